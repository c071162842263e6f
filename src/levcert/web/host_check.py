"""Reject requests for other hosts: otherwise a web page can reach this server by a name of its own (DNS rebinding)."""

from __future__ import annotations

from collections.abc import Collection
from ipaddress import ip_address
from urllib.parse import urlsplit

from starlette.datastructures import Headers
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Receive, Scope, Send

SENTENCE = "This server does not answer for that host; its operator can allow it with --allowed-host."


class HostCheck:
    """Answer for ``localhost``, for numeric addresses, and for the names given; 421 for all others.

    A numeric address is safe: a page that was loaded from it was loaded from this server.
    """

    def __init__(self, app: ASGIApp, allowed: Collection[str] = ()) -> None:
        self.app = app
        self.allowed = {"localhost", *(name.lower().rstrip(".") for name in allowed)}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http" and not self.answers_for(Headers(scope=scope).getlist("host")):
            await JSONResponse({"error": SENTENCE}, 421)(scope, receive, send)
        else:
            await self.app(scope, receive, send)

    def answers_for(self, hosts: list[str]) -> bool:
        """Return whether there is one Host header, and it names this server."""
        if len(hosts) != 1:
            return False
        try:
            name = urlsplit(f"//{hosts[0]}").hostname or ""
            if urlsplit(f"//{hosts[0]}").netloc != hosts[0] or "@" in hosts[0]:
                return False
        except ValueError:
            return False
        return name.rstrip(".") in self.allowed or _is_address(name)


def _is_address(name: str) -> bool:
    try:
        ip_address(name)
    except ValueError:
        return False
    return True
