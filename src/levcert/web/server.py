"""The server process: it binds first, so that a port in use gives a clear error, and says when it is ready."""

from __future__ import annotations

import socket
from collections.abc import Callable

import uvicorn

from levcert.errors import InputError
from levcert.models.window import WindowModel
from levcert.web.app import create_app


class _Server(uvicorn.Server):
    """Reports that it is ready only when it listens and handles Ctrl-C."""

    def __init__(self, config: uvicorn.Config, ready: Callable[[], None]) -> None:
        super().__init__(config)
        self._ready = ready

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        self._ready()


def serve(
    model: WindowModel,
    name: str = "model",
    *,
    host: str = "127.0.0.1",
    port: int = 8000,
    ready: Callable[[str], None] = print,
) -> None:
    """Serve a model until Ctrl-C; ``ready`` is called with the address once kernels are warm.

    Port 0 means any free port.  Only this machine can reach the default host.
    """
    listener = _listen(host, port)
    try:
        shown = f"[{host}]" if ":" in host else host
        address = f"http://{shown}:{listener.getsockname()[1]}"
        config = uvicorn.Config(create_app(model, name), log_level="warning", access_log=False, server_header=False)
        _Server(config, lambda: ready(address)).run(sockets=[listener])
    except KeyboardInterrupt:  # the usual way to end a server
        pass
    finally:
        listener.close()


def _listen(host: str, port: int) -> socket.socket:
    """Bind a socket that names its protocol: otherwise asyncio sends small responses 40 ms late."""
    try:
        family = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0][0]
        listener = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
        try:
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            listener.bind((host, port))
            listener.listen()
        except BaseException:
            listener.close()
            raise
    except (OSError, OverflowError, UnicodeError) as error:
        cause = getattr(error, "strerror", None) or error
        raise InputError(
            f"Cannot serve at {host}, port {port}: {cause}. Choose another with --host or --port."
        ) from None
    return listener
