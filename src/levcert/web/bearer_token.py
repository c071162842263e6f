"""An optional token: without it, nobody can ask the model anything."""

from __future__ import annotations

import hmac
import re
from pathlib import Path
from typing import Final

from starlette.datastructures import Headers
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Receive, Scope, Send

from levcert.errors import InputError
from levcert.files.atomic import existing_file

SHORTEST: Final = 16  # characters
_SENTENCE: Final = "This server needs a token: send it in the header Authorization, as Bearer TOKEN."
# The page's own files and the description of the API say nothing about the model; health checks have no token.
_OPEN: Final = re.compile(r"/(docs|openapi\.json|healthz|readyz|static/.*)?")


class BearerToken:
    """Ask for the token everywhere except for the page's own files, the description of the API and health checks."""

    def __init__(self, app: ASGIApp, token: str) -> None:
        self.app = app
        self._expected = f"Bearer {token}".encode()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http" and not _OPEN.fullmatch(scope["path"]) and not self._is_known(scope):
            headers = {"WWW-Authenticate": "Bearer"}
            await JSONResponse({"error": _SENTENCE}, 401, headers)(scope, receive, send)
        else:
            await self.app(scope, receive, send)

    def _is_known(self, scope: Scope) -> bool:
        """Compare in a time that does not depend on how much of the token is right."""
        given = Headers(scope=scope).get("authorization", "").encode("latin-1")
        return hmac.compare_digest(given, self._expected)


def read_token(path: Path) -> str:
    """Return the token in a file; line breaks at its end do not count."""
    try:
        token = existing_file(path).read_text(encoding="ascii").strip()
    except (UnicodeDecodeError, OSError):
        token = ""
    if len(token) < SHORTEST or not re.fullmatch(r"[!-~]+", token):
        raise InputError(
            f"{path} must contain one token of at least {SHORTEST} visible ASCII characters without spaces, "
            "for example from `openssl rand -hex 32`."
        )
    return token
