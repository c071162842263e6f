"""``levcert serve``: a page and a JSON API for one model."""

from __future__ import annotations

import os
from typing import Annotated

import typer

from levcert.cli.inputs import ModelFile, TrustedKey


def serve(
    model: ModelFile,
    host: Annotated[
        str, typer.Option(help="The address to listen on; the default accepts connections from this machine only.")
    ] = "127.0.0.1",
    port: Annotated[int, typer.Option(help="The port to listen on; 0: any free port.", min=0, max=65535)] = 8000,
    *,
    trusted_key: TrustedKey = None,
) -> None:
    """Try a model in the browser.

    Example: levcert serve toy.safetensors
    """
    # One thread for each matrix product: requests run in threads of their own, and more of them only get in each
    # other's way.  Must be said before numpy is imported.
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    from levcert.models.load import load
    from levcert.web.server import serve as run

    loaded = load(model, trusted_key=trusted_key)
    run(
        loaded,
        model.name,
        host=host,
        port=port,
        ready=lambda address: print(f"{model.name} is served at {address}; press Ctrl-C to stop.", flush=True),
    )
