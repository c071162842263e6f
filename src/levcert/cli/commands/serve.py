"""``levcert serve``: a page and a JSON API for one model."""

from __future__ import annotations

import os
import sys
from ipaddress import ip_address
from pathlib import Path
from typing import Annotated, Any

import typer

from levcert.cli.model_flags import ModelFile, TrustedKey
from levcert.cli.outputs import print_line


def _limit(text: str, **options: Any) -> Any:
    return typer.Option(help=text, rich_help_panel="Limits", **options)


def serve(
    model: ModelFile,
    host: Annotated[
        str, typer.Option(help="The address to listen on; the default accepts connections from this machine only.")
    ] = "127.0.0.1",
    port: Annotated[int, typer.Option(help="The port to listen on; 0: any free port.", min=0, max=65535)] = 8000,
    allowed_host: Annotated[
        list[str] | None,
        typer.Option(help="A name under which clients may reach this server, besides localhost and numeric addresses."),
    ] = None,
    trusted_proxy: Annotated[
        list[str] | None,
        typer.Option(help="The address of a reverse proxy whose X-Forwarded-For header names the client."),
    ] = None,
    token_file: Annotated[
        Path | None,
        typer.Option(help="A file with a token that requests must send (Authorization: Bearer TOKEN)."),
    ] = None,
    access_log: Annotated[bool, typer.Option(help="Print a line for each request to stderr.")] = True,
    max_characters: Annotated[int, _limit("Characters in a text.")] = 5_000,
    max_texts: Annotated[int, _limit("Texts in a request.")] = 64,
    max_distance: Annotated[int, _limit("Edits that a request may ask about.")] = 12,
    max_body_bytes: Annotated[int, _limit("Bytes in the body of a request.", show_default="enough for the texts")] = 0,
    max_header_bytes: Annotated[int, _limit("Bytes in the headers of a request.")] = 16_384,
    max_seconds: Annotated[float, _limit("Seconds for a request, including waiting.")] = 10.0,
    max_workers: Annotated[
        int | None, _limit("Searches and attacks that run at the same time.", show_default="the cores, at most 4")
    ] = None,
    max_waiting: Annotated[int, _limit("Searches and attacks that may wait.")] = 32,
    max_connections: Annotated[int, _limit("Open connections.")] = 256,
    max_connections_per_client: Annotated[int, _limit("Open connections of one client.")] = 64,
    max_read_seconds: Annotated[
        float, _limit("Seconds for a client to send a request, or to take the response.")
    ] = 10.0,
    max_idle_seconds: Annotated[float, _limit("Seconds between two requests of a connection.")] = 15.0,
    max_shutdown_seconds: Annotated[
        float, _limit("Seconds for requests that are running when the server is told to stop.")
    ] = 5.0,
    max_cached: Annotated[int, _limit("Certificates that the server remembers.")] = 512,
    trusted_key: TrustedKey = None,
) -> None:
    """Try a model in the browser.

    Example: levcert serve toy.safetensors
    """
    chosen = {name[4:]: value for name, value in locals().items() if name.startswith("max_") and value is not None}
    # One thread for each matrix product: requests run in threads of their own, and more of them only get in each
    # other's way.  Must be said before numpy is imported.
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    from levcert.models.load import load
    from levcert.web.access_log import to_stderr
    from levcert.web.bearer_token import read_token
    from levcert.web.limits import Limits
    from levcert.web.server import serve as run

    limits = Limits(**chosen)
    token = read_token(token_file) if token_file is not None else None
    loaded = load(model, trusted_key=trusted_key)
    if token is None and not _is_this_machine(host):
        print(f"levcert: anyone who can reach {host} may use this server; see --token-file.", file=sys.stderr)
    run(
        loaded,
        model.name,
        host=host,
        port=port,
        limits=limits,
        allowed_hosts=allowed_host or (),
        trusted_proxies=trusted_proxy or (),
        token=token,
        log=to_stderr if access_log else None,
        ready=lambda address: print_line(f"{model.name} is served at {address}; press Ctrl-C to stop."),
    )


def _is_this_machine(host: str) -> bool:
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"
