"""The model, as an argument of a command."""

from pathlib import Path
from typing import Annotated

import typer

ModelFile = Annotated[Path, typer.Argument(help="A model file, as levcert train writes it.")]
