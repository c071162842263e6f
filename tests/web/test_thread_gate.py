"""Busy and late: what happens when more is asked than can be answered."""

import asyncio
import threading
import time

import pytest

from levcert.web.limits import Limits
from levcert.web.thread_gate import BusyError, Gate, LateError, check_time


def test_work_runs_and_its_errors_come_back():
    async def go():
        gate = Gate(Limits(workers=1, waiting=0))
        assert await gate.run(lambda deadline: deadline > time.perf_counter())
        with pytest.raises(ZeroDivisionError):
            await gate.run(lambda _: 1 / 0)

    asyncio.run(go())


def test_more_than_can_wait_are_refused_at_once():
    async def go():
        gate, hold = Gate(Limits(workers=1, waiting=1)), threading.Event()
        inside = [asyncio.create_task(gate.run(lambda _: hold.wait(20))) for _ in range(2)]
        await asyncio.sleep(0)
        with pytest.raises(BusyError):
            await gate.run(lambda _: None)
        hold.set()
        assert await asyncio.gather(*inside) == [True, True]
        assert await gate.run(lambda _: "free again") == "free again"

    asyncio.run(go())


def test_late_work_is_given_up_and_keeps_its_place_until_it_ends():
    async def go():
        gate, hold = Gate(Limits(seconds=0.05, workers=1, waiting=0)), threading.Event()
        with pytest.raises(LateError):
            await gate.run(lambda _: hold.wait(20))
        with pytest.raises(BusyError):
            await gate.run(lambda _: None)
        hold.set()

    asyncio.run(go())


def test_work_can_see_that_it_is_late():
    check_time(time.perf_counter() + 60)
    with pytest.raises(LateError):
        check_time(time.perf_counter() - 1)


@pytest.mark.parametrize(
    ("limits", "message"),
    [
        (Limits(seconds=0.0), "The request took longer than 0 s"),
        (Limits(workers=1, waiting=-1), "Too many requests are waiting"),
    ],
)
def test_both_are_503_and_say_what_to_do(model, limits, message):
    from fastapi.testclient import TestClient

    from levcert.web import create_app

    with TestClient(create_app(model, limits=limits)) as client:
        response = client.post("/certify", json={"texts": ["hello"]})
    assert response.status_code == 503
    assert response.headers["Retry-After"] == "1"
    assert response.json()["error"].startswith(message)
