"""The load of benchmarks/bench_web.py for a second, against the real command: who is answered, not how fast."""

import asyncio
import random

from benchmarks.load_on_a_server import CERTIFY, PREDICT, Load

CORPUS = "".join(random.Random(0).choices("abc 123", k=100_000))


def seen_by(address, *groups):
    return asyncio.run(Load(int(address.rpartition(":")[2]), CORPUS, seconds=1.0).together(*groups))


def test_fifty_clients_are_answered_or_told_to_come_back(address):
    for path, options in [(PREDICT, {}), (CERTIFY, {"max_distance": 1}), (CERTIFY, {})]:
        (seen,) = seen_by(address, [(path, options, 60, 0.0)] * 50)
        assert set(seen.statuses) <= {200, 503}
        assert seen.statuses[200] > 0
        assert "0 failed" in seen.line(path, 1.0)


def test_light_requests_are_all_answered_next_to_twenty_searches(address):
    heavy, light = seen_by(address, [(CERTIFY, {}, 2000, 0.0)] * 20, [(PREDICT, {}, 60, 0.1)] * 10)
    assert set(heavy.statuses) <= {200, 503}
    assert set(light.statuses) == {200}
    assert len(light.waits) >= 10
