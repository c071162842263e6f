"""More than a server can answer: 50 clients at once, and light requests next to 20 clients who search.

Each client has an address of its own (127.0.1.N, which Linux allows) and one connection, asks again as soon as it is
answered, and waits for a second when it is refused, as the response tells it to.
"""

import asyncio
import json
import random
import time
from collections import Counter
from dataclasses import dataclass, field

import numpy as np

PREDICT, CERTIFY = "/predict", "/certify"


@dataclass
class Seen:
    """What clients saw: the seconds of each answer, and how many requests had which status."""

    waits: list[float] = field(default_factory=list)
    statuses: Counter[int] = field(default_factory=Counter)

    def line(self, name, seconds):
        answered, others = self.statuses[200], sum(self.statuses.values()) - self.statuses[200] - self.statuses[503]
        quantiles = np.quantile(self.waits, [0.5, 0.95, 0.99]) if self.waits else [np.nan] * 3
        shown = ", ".join(f"p{p} {1000 * q:6.0f} ms" for p, q in zip((50, 95, 99), quantiles, strict=True))
        return (
            f"{name:42} {answered / seconds:6.0f}/s, {shown}, "
            f"{self.statuses[503]} refused, {others} failed, of {sum(self.statuses.values())}"
        )


@dataclass
class Load:
    """Clients against one server, with texts that nobody asked for before."""

    port: int
    corpus: str
    seconds: float

    async def all(self, clients=50, searching=20):
        one, far = {"max_distance": 1}, {}
        for name, path, options in [
            ("predict", PREDICT, {}),
            ("certify, one pass", CERTIFY, {"method": "lipschitz"}),
            ("certify, auto, k = 1", CERTIFY, one),
            ("certify, auto, any distance", CERTIFY, far),
        ]:
            seen = await self.together([(path, options, 250, 0.0)] * clients)
            print(f"{clients} clients, " + seen[0].line(name, self.seconds), flush=True)
        seen = await self.together([(PREDICT, {}, 250, 0.1)] * 10)
        print("10 clients, " + seen[0].line("predict, 10 a second each, alone", self.seconds), flush=True)
        for length in (250, 5000):
            heavy = [(CERTIFY, far, length, 0.0)] * searching
            light = [(PREDICT, {}, 250, 0.1)] * 9 + [(CERTIFY, {"method": "lipschitz"}, 250, 0.1)]
            seen = await self.together(heavy, light)
            print(f"{searching} clients, " + seen[0].line(f"auto, {length} characters", self.seconds), flush=True)
            print("  next to 10, " + seen[1].line("predict and one pass, 10 a second each", self.seconds), flush=True)

    async def together(self, *groups):
        """Run groups of clients at the same time; return what each group saw."""
        seen = [Seen() for _ in groups]
        end = time.perf_counter() + self.seconds
        clients = [(client, seen[number]) for number, group in enumerate(groups) for client in group]
        await asyncio.gather(
            *(self.client(f"127.0.1.{place + 1}", *client, end, saw) for place, (client, saw) in enumerate(clients))
        )
        return seen

    async def client(self, address, path, options, length, pause, end, seen):
        reader, writer = None, None
        while time.perf_counter() < end:
            first = random.randrange(len(self.corpus) - length)
            body = json.dumps({"texts": [self.corpus[first : first + length]], **options}).encode()
            started = time.perf_counter()
            if writer is None:
                reader, writer = await asyncio.open_connection("127.0.0.1", self.port, local_addr=(address, 0))
            status, closed = await ask(reader, writer, path, body)
            took = time.perf_counter() - started
            seen.statuses[status] += 1
            if status == 200:
                seen.waits.append(took)
            if closed:
                writer.close()
                writer = None
            await asyncio.sleep(1.0 if status == 503 else max(0.0, pause - took) * random.uniform(0.5, 1.5))
        if writer is not None:
            writer.close()


async def ask(reader, writer, path, body):
    """Send a request and read the response; return its status and whether the server closes the connection."""
    writer.write(
        f"POST {path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
        f"Content-Length: {len(body)}\r\n\r\n".encode()
        + body
    )
    head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").lower()
    size = int(head.split("content-length:")[1].split("\r\n")[0])
    await reader.readexactly(size)
    return int(head.split(" ")[1]), "connection: close" in head
