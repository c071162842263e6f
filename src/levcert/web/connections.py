"""Connections that end: limits on their number, and on how long a client may take to send, receive, or be silent."""

from __future__ import annotations

import asyncio
import json
from typing import Any, ClassVar, Final

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

from levcert.web.clients import client_of
from levcert.web.limits import Limits

_GRACE: Final = 1.0  # seconds for the last bytes of a connection that we close
_REQUEST_ON_ITS_WAY: Final = (h11.IDLE, h11.SEND_BODY)


def _raw(status: str, sentence: str, headers: str = "") -> bytes:
    body = json.dumps({"error": sentence})
    return (
        f"HTTP/1.1 {status}\r\nContent-Type: application/json\r\nContent-Length: {len(body)}\r\n"
        f"Connection: close\r\n{headers}\r\n{body}"
    ).encode()


_FULL: Final = _raw(
    "503 Service Unavailable", "Too many connections are open; try again in a second.", "Retry-After: 1\r\n"
)
_SLOW: Final = _raw("408 Request Timeout", "The request did not arrive in time; send it again.")


class Connection(H11Protocol):
    """One connection; a clock runs while we wait for the client to send the rest of a request or to take a response."""

    limits: ClassVar[Limits] = Limits()
    most: ClassVar[int] = limits.connections
    proxies: ClassVar[frozenset[str]] = frozenset()  # they speak for many clients

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self._reading: asyncio.TimerHandle | None = None
        self._writing: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        if self._is_one_too_many():
            transport.write(_FULL)
            self._close()
        else:
            self._reading = self.loop.call_later(self.limits.read_seconds, self._too_slow)

    def connection_lost(self, exc: Exception | None) -> None:
        for clock in (self._reading, self._writing):
            if clock is not None:
                clock.cancel()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        if self._reading is None:
            self._reading = self.loop.call_later(self.limits.read_seconds, self._too_slow)
        super().data_received(data)
        self._look()

    def on_response_complete(self) -> None:
        super().on_response_complete()
        if self.transport.is_closing():
            self._close()
        else:
            self._look()  # the next request may have begun in the same packet

    def timeout_keep_alive_handler(self) -> None:
        self._close()

    def pause_writing(self) -> None:
        super().pause_writing()
        self._writing = self.loop.call_later(self.limits.read_seconds, self.transport.abort)

    def resume_writing(self) -> None:
        super().resume_writing()
        if self._writing is not None:
            self._writing.cancel()

    def shutdown(self) -> None:
        """End now, unless a complete request waits for its response."""
        if self.cycle is None or self.cycle.response_complete or self.conn.their_state is h11.SEND_BODY:
            self._close()
        else:
            self.cycle.keep_alive = False

    def _is_one_too_many(self) -> bool:
        host = self.client[0] if self.client else None
        if len(self.connections) > self.most:
            return True
        if host in self.proxies:
            return False
        clients = [getattr(one, "client", None) for one in self.connections]
        own = sum(client_of(client[0]) == client_of(host) for client in clients if client)
        return own > self.limits.connections_per_client

    def _look(self) -> None:
        """Stop the clock when a request is complete, and start it when only its beginning has come."""
        if self.conn.their_state not in _REQUEST_ON_ITS_WAY and self._reading is not None:
            self._reading.cancel()
            self._reading = None
        elif self.conn.their_state is h11.SEND_BODY and self._reading is None:
            self._reading = self.loop.call_later(self.limits.read_seconds, self._too_slow)

    def _too_slow(self) -> None:
        began = self.conn.their_state is h11.SEND_BODY or bool(self.conn.trailing_data[0])
        if began and (self.cycle is None or self.cycle.response_complete or not self.cycle.response_started):
            self.transport.write(_SLOW)
        self._close()

    def _close(self) -> None:
        self.transport.close()
        self.loop.call_later(_GRACE, self.transport.abort)


def connections_within(limits: Limits, most: int, proxies: frozenset[str]) -> type[asyncio.Protocol]:
    """Return the class of connections with these limits, for uvicorn."""
    return type("LimitedConnection", (Connection,), {"limits": limits, "most": most, "proxies": proxies})
