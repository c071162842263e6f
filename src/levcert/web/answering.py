"""One request from its arrival to its answer: choose a lane, wait, and stop when the client has gone."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from typing import TypeVar

from fastapi import Request

from levcert.web.access_log import NOTES
from levcert.web.clients import client_of
from levcert.web.deadline import Deadline
from levcert.web.lanes import Lanes
from levcert.web.schemas import AnyRequest
from levcert.web.service import Service

R = TypeVar("R", bound=AnyRequest)
T = TypeVar("T")


class ClientGoneError(Exception):
    """Nobody waits for the answer."""


@dataclass
class Answering:
    """The two lanes in front of a service."""

    service: Service
    lanes: Lanes

    async def answer(self, http: Request, request: R, work: Callable[[R, Deadline], T]) -> T:
        """Return the answer; work that has not begun when its client leaves is withdrawn.

        The page leaves whenever somebody types the next character.
        """
        light = self.service.is_light(request)
        http.scope.get(NOTES, {})["lane"] = "light" if light else "heavy"
        lane = self.lanes.light if light else self.lanes.heavy
        client = client_of(http.client.host if http.client else None)
        working = asyncio.ensure_future(lane.run(client, lambda deadline: work(request, deadline)))
        leaving = asyncio.ensure_future(_leaving(http))
        try:
            await asyncio.wait({working, leaving}, return_when=asyncio.FIRST_COMPLETED)
            if not working.done():
                raise ClientGoneError
            return working.result()
        finally:
            for task in (working, leaving):
                task.cancel()
                with suppress(asyncio.CancelledError, Exception):
                    await task


async def _leaving(http: Request) -> None:
    """Return when the connection is closed."""
    while (await http.receive())["type"] != "http.disconnect":
        pass
