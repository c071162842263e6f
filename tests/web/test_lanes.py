"""Busy and late, light and heavy, one client and the others: what happens when more is asked than can be answered."""

import asyncio
import math
import threading

import pytest
from fastapi.testclient import TestClient

import levcert
from levcert.web import create_app, schemas
from levcert.web.clients import client_of
from levcert.web.deadline import Deadline, LateError
from levcert.web.lanes import BusyError, Lane, Lanes
from levcert.web.limits import Limits
from levcert.web.service import Service


def waiting_on(event):
    return lambda _: event.wait(20)


async def taken(lane, hold, client="first"):
    """Give the lane's only thread something to do until ``hold`` is set."""
    task = asyncio.create_task(lane.run(client, waiting_on(hold)))
    await asyncio.sleep(0)
    return task


def test_work_runs_and_its_errors_come_back():
    async def go():
        lane = Lane(seconds=20, threads=1, waiting=0)
        assert await lane.run("me", lambda deadline: 0 < deadline.left() <= 20)
        with pytest.raises(ZeroDivisionError):
            await lane.run("me", lambda _: 1 / 0)

    asyncio.run(go())


def test_more_than_can_wait_are_refused_at_once():
    async def go():
        lane, hold = Lane(seconds=20, threads=1, waiting=1), threading.Event()
        inside = [await taken(lane, hold), await taken(lane, hold)]
        assert lane.is_full()
        with pytest.raises(BusyError):
            await lane.run("first", lambda _: None)
        hold.set()
        assert await asyncio.gather(*inside) == [True, True]
        assert await lane.run("first", lambda _: "free again") == "free again"

    asyncio.run(go())


def test_late_work_is_given_up_and_keeps_its_thread_until_it_ends():
    async def go():
        lane, hold = Lane(seconds=0.05, threads=1, waiting=0), threading.Event()
        with pytest.raises(LateError):
            await lane.run("me", waiting_on(hold))
        with pytest.raises(BusyError):
            await lane.run("me", lambda _: None)
        hold.set()

    asyncio.run(go())


def test_work_sees_that_nobody_waits_any_more():
    deadline = Deadline(60)
    deadline.check()
    deadline.give_up()
    for late in (deadline, Deadline(-1)):
        assert late.left() == 0
        with pytest.raises(LateError):
            late.check()


def test_clients_take_turns():
    """The first client has four jobs in the queue when the second one comes; the second one is next, not fifth."""

    async def go():
        lane, hold, order = Lane(seconds=20, threads=1, waiting=9), threading.Event(), []
        tasks = [await taken(lane, hold)]
        for client in ["many", "many", "many", "many", "one"]:
            tasks.append(asyncio.create_task(lane.run(client, lambda _, client=client: order.append(client))))
            await asyncio.sleep(0)
        hold.set()
        await asyncio.gather(*tasks)
        assert order == ["many", "one", "many", "many", "many"]

    asyncio.run(go())


def test_searches_are_shorter_when_others_wait():
    """Two threads, and six more in the queue: each thread has four searches to find time for."""

    async def go():
        lane, hold, given = Lane(seconds=40, threads=2, waiting=9), threading.Event(), []

        def search(deadline):
            given.append(deadline)
            return hold.wait(20)

        tasks = [await taken(lane, hold, "a"), await taken(lane, hold, "b")]
        tasks += [asyncio.create_task(lane.run("c", search)) for _ in range(7)]
        await asyncio.sleep(0)
        hold.set()
        await asyncio.gather(*tasks)
        assert [deadline.sharing for deadline in given] == [4.0, 3.5, 3.0, 2.5, 2.0, 1.5, 1.0]

    asyncio.run(go())
    deadline = Deadline(40)
    deadline.sharing = 4.0
    assert deadline.for_search() == pytest.approx(5.0, rel=0.1)


def test_a_client_cannot_keep_the_others_out_of_the_queue():
    async def go():
        lane, hold = Lane(seconds=20, threads=1, waiting=4), threading.Event()
        many = [await taken(lane, hold, "many") for _ in range(5)]
        one = asyncio.create_task(lane.run("one", lambda _: "answered"))
        await asyncio.sleep(0)
        with pytest.raises(BusyError):  # the newest of the many made room
            await many.pop()
        with pytest.raises(BusyError):  # and cannot come back
            await lane.run("many", lambda _: None)
        hold.set()
        assert await one == "answered"
        assert await asyncio.gather(*many) == [True] * 4

    asyncio.run(go())


def test_work_that_has_not_begun_is_withdrawn_with_its_client():
    async def go():
        lane, hold, begun = Lane(seconds=20, threads=1, waiting=1), threading.Event(), []
        first = await taken(lane, hold)
        gone = asyncio.create_task(lane.run("gone", begun.append))
        await asyncio.sleep(0)
        gone.cancel()
        await asyncio.sleep(0)
        assert not lane.is_full()
        hold.set()
        await first
        await lane.run("another", lambda _: None)
        assert begun == []

    asyncio.run(go())


def test_light_work_does_not_wait_for_searches():
    """As many searches as there may be, held for ever, from other clients and from the same one."""

    async def go():
        limits = Limits(workers=2, waiting=18)
        lanes, hold = Lanes(limits), threading.Event()
        searches = [await taken(lanes.heavy, hold, client) for client in ["a", "b"] * 10]
        assert lanes.are_full()
        for client in ["a", "b", "c"] * 10:
            assert await lanes.light.run(client, lambda _: "answered") == "answered"
        assert not any(search.done() for search in searches)
        hold.set()
        await asyncio.gather(*searches)

    asyncio.run(go())


def test_the_application_answers_light_requests_next_to_twenty_searches(model, monkeypatch):
    """The bounded version of benchmarks/bench_web.py: the searches do not end before the light requests do."""
    hold, begun, statuses = threading.Event(), threading.Semaphore(0), []
    search = Service.certify

    def held_search(self, request, deadline):
        begun.release()
        assert hold.wait(60)
        return search(self, request, deadline)

    monkeypatch.setattr(Service, "certify", held_search)
    app = create_app(model, limits=Limits(seconds=60, workers=2), allowed_hosts=["testserver"])
    with TestClient(app) as client:

        def heavy(number):
            statuses.append(client.post("/certify", json={"texts": [f"heavy {number}"]}).status_code)

        threads = [threading.Thread(target=heavy, args=(number,)) for number in range(20)]
        for thread in threads:
            thread.start()
        for _ in range(2):
            assert begun.acquire(timeout=60)
        for number in range(20):
            assert client.post("/predict", json={"texts": [f"light {number}"]}).status_code == 200
        assert statuses == []
        hold.set()
        for thread in threads:
            thread.join()
    assert statuses == [200] * 20


def test_what_is_light_is_known_before_it_runs(model):
    service = Service(model, Limits())
    light = [
        schemas.PredictRequest(texts=["hello"]),
        schemas.CertifyRequest(texts=["hello"], method="lipschitz"),
        schemas.CertifyRequest(texts=["hello"], method="lipslev"),
    ]
    heavy = [
        schemas.CertifyRequest(texts=["hello"]),
        schemas.CertifyRequest(texts=["hello"], max_distance=1),
        schemas.CertifyRequest(texts=["hello"], method="lipschitz", losses=True),
        schemas.AttackRequest(texts=["hello"]),
        schemas.PredictRequest(texts=["a" * 5000] * 5),
    ]
    assert [service.is_light(request) for request in light + heavy] == [True] * 3 + [False] * 5
    service.certify(heavy[0], Deadline(60))
    assert service.is_light(heavy[0])  # cached


@pytest.mark.parametrize(
    ("error", "message"),
    [(LateError, "The request took longer than 10 s"), (BusyError, "Too many requests are waiting")],
)
def test_both_are_503_and_say_what_to_do(model, error, message, monkeypatch):
    async def fail(*_):
        raise error

    monkeypatch.setattr(Lane, "run", fail)
    with TestClient(create_app(model, allowed_hosts=["testserver"])) as client:
        response = client.post("/certify", json={"texts": ["hello"]})
    assert response.status_code == 503
    assert response.headers["Retry-After"] == "1"
    assert response.json()["error"].startswith(message)


@pytest.mark.parametrize(
    ("host", "client"),
    [
        ("10.1.2.3", "10.1.2.3"),
        ("::ffff:10.1.2.3", "10.1.2.3"),
        ("2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"),
        ("fe80::1%eth0", "fe80::/64"),
        ("testclient", "testclient"),
        (None, "unknown"),
    ],
)
def test_a_client_is_an_address_or_a_network(host, client):
    assert client_of(host) == client


@pytest.mark.parametrize(
    "values", [{"seconds": 0}, {"texts": -1}, {"workers": 0}, {"waiting": -1}, {"seconds": math.nan}]
)
def test_a_limit_is_a_positive_number(values):
    with pytest.raises(levcert.InputError, match=r"--max-\w+ is (-?\d|nan); it must be a positive number\."):
        Limits(**values)
