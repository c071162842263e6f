"""The server process: it binds first, so that a port in use gives a clear error, and says when it is ready."""

from __future__ import annotations

import socket
from collections.abc import Callable, Sequence
from typing import Final

import uvicorn

from levcert.errors import InputError
from levcert.models.window import WindowModel
from levcert.web.access_log import to_stderr
from levcert.web.app import create_app
from levcert.web.connections import connections_within
from levcert.web.file_descriptors import connections_that_fit
from levcert.web.limits import Limits

_WAITING: Final = 1024  # connections that the system keeps until we accept them


class _Server(uvicorn.Server):
    """Reports that it is ready only when it listens and handles Ctrl-C."""

    def __init__(self, config: uvicorn.Config, ready: Callable[[], None]) -> None:
        super().__init__(config)
        self._ready = ready

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        for listener in sockets or []:
            listener.listen(
                _WAITING
            )  # asyncio has given the system its own number, which is how many it accepts in one go
        self._ready()


def serve(
    model: WindowModel,
    name: str = "model",
    *,
    host: str = "127.0.0.1",
    port: int = 8000,
    limits: Limits | None = None,
    allowed_hosts: Sequence[str] = (),
    trusted_proxies: Sequence[str] = (),
    token: str | None = None,
    log: Callable[[str], None] | None = to_stderr,
    ready: Callable[[str], None] = print,
) -> None:
    """Serve a model until Ctrl-C; ``ready`` is called with the address once kernels are warm.

    Port 0 means any free port.  Only this machine can reach the default host.  Addresses in ``trusted_proxies`` may say
    for whom they speak (``X-Forwarded-For``).
    """
    limits = limits or Limits()
    listener = _listen(host, port)
    try:
        shown = f"[{host}]" if ":" in host else host
        address = f"http://{shown}:{listener.getsockname()[1]}"
        app = create_app(model, name, limits=limits, allowed_hosts=[host, *allowed_hosts], token=token, log=log)
        most, backlog = connections_that_fit(limits.connections)
        config = uvicorn.Config(
            app,
            http=connections_within(limits, most, frozenset(trusted_proxies)),
            ws="none",
            backlog=backlog,
            h11_max_incomplete_event_size=limits.header_bytes,
            timeout_keep_alive=limits.idle_seconds,  # type: ignore[arg-type]  # a delay of the event loop
            timeout_graceful_shutdown=limits.shutdown_seconds,  # type: ignore[arg-type]
            proxy_headers=bool(trusted_proxies),
            forwarded_allow_ips=list(trusted_proxies),
            log_level="error",  # a warning for each malformed request would let clients fill the log
            access_log=False,
            server_header=False,
        )
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
