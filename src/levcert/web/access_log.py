"""One line for each request: time, client, method and path, status, verdict, duration; never a text."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from datetime import UTC, datetime
from typing import Final

from starlette.types import ASGIApp, Message, Receive, Scope, Send

NOTES: Final = "levcert.notes"  # in a scope: what the application says about a request
_LONGEST_PATH: Final = 200
_VERDICTS: Final = {
    400: "not JSON",
    401: "no token",
    404: "no such address",
    405: "no such method",
    413: "too large",
    421: "other host",
    422: "invalid",
    499: "client gone",
    503: "busy",
}


class AccessLog:
    """Write the line when a response is complete, or when there will be none."""

    def __init__(self, app: ASGIApp, write: Callable[[str], None]) -> None:
        self.app, self.write = app, write

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        started, status = time.perf_counter(), 500
        scope[NOTES] = {}

        async def send_and_look(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
            await send(message)

        try:
            await self.app(scope, receive, send_and_look)
        finally:
            self.write(_line(scope, status, 1000 * (time.perf_counter() - started)))


def _line(scope: Scope, status: int, milliseconds: float) -> str:
    """Return the line; what a client chose is in quotes and escaped, so that it can neither end a line nor a field."""
    path = scope["path"]
    shown = path if len(path) <= _LONGEST_PATH else path[:_LONGEST_PATH] + "…"
    client = (scope.get("client") or ["unknown"])[0]
    notes = scope[NOTES]
    verdict = notes.get("verdict") or ("answered" if status < 400 else _VERDICTS.get(status, "failed"))
    now = datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
    lane = f" ({notes['lane']})" if "lane" in notes else ""
    asked = escaped(f"{scope['method']} {shown}")
    return f"{now} {escaped(client)} {asked} {status} {verdict}{lane} {milliseconds:.1f} ms"


def escaped(text: str) -> str:
    """Return a text in quotes, with only visible ASCII characters and spaces between them."""
    return json.dumps(text).replace("\x7f", "\\u007f")


def to_stderr(line: str) -> None:
    """Print a line; a closed stderr does not stop the server."""
    with suppress(OSError, ValueError):
        print(line, file=sys.stderr, flush=True)
