"""``levcert info``."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from levcert.cli.model_flags import ModelFile, TrustedKey
from levcert.cli.outputs import Json, print_json

if TYPE_CHECKING:
    from levcert.models.window import WindowModel


_MOST_OPERATIONS: Final = 2e10  # of computing constants: some seconds


def info(
    model: ModelFile,
    *,
    card: Annotated[bool, typer.Option("--card", help="Print a model card in Markdown instead.")] = False,
    trusted_key: TrustedKey = None,
    json: Json = False,
) -> None:
    """Describe a model file: kind, sizes, labels, alphabet, constants, how it was trained.

    Example: levcert info toy.safetensors
    """
    facts = _facts(model, trusted_key)
    if json:
        print_json(facts)
        return
    if card:
        from levcert.cli.model_card import model_card

        print(model_card(model, facts), end="")
        return
    from levcert.cli.console import console, table
    from levcert.text.printable import printable

    listing = table(f"{facts['file']}  ({facts['bytes']:,} bytes)", "", "")
    for name, value in _flat({key: facts[key] for key in facts if key not in ("file", "bytes")}):
        listing.add_row(name, printable(value))
    console.print(listing, markup=False, soft_wrap=not console.is_terminal)


def _facts(path: Path, trusted_key: Path | None) -> dict[str, Any]:
    """Return everything as JSON can hold it."""
    from levcert.models.load import model_of
    from levcert.models.model_file import read_model

    header, tensors = read_model(path, trusted_key)
    model = model_of(path, header, tensors)
    return {
        "file": path.name,
        "bytes": path.stat().st_size,
        "kind": header.kind,
        "labels": list(header.labels),
        "width": model.width,
        "alphabet": {"size": header.alphabet.size} | header.alphabet.to_dict(),
        "options": header.options,
        "parameters": sum(tensor.size for tensor in tensors.values()),
        "tensors": {name: list(tensor.shape) for name, tensor in sorted(tensors.items())},
        "constants": _constants(model),
        "training": header.training.to_dict(),
    }


def _constants(model: WindowModel) -> dict[str, Any]:
    """Return the most that one edit of each kind can take from a margin, and the paper's G where the model has it."""
    import numpy as np

    from levcert.certifiers.lipschitz import window_ranges
    from levcert.models.conv import ConvModel
    from levcert.models.window import WindowModel

    if isinstance(model, ConvModel) and model.bound_operations > _MOST_OPERATIONS:
        return {"largest_loss": f"not computed, because there are {model.classes:,} classes"}
    if not isinstance(model, WindowModel):
        return {}  # what an edit of an imported pipeline costs depends on the text
    costs = []
    if model.tap_costs is not None:
        costs.append(np.stack(model.tap_costs.edit_costs()))
    ranges = window_ranges(model)
    if ranges is not None:
        costs.append(np.sum([known.edit_costs(width) for width, known in ranges], axis=0))
    constants: dict[str, Any] = {}
    if costs:
        largest = np.minimum.reduce(costs).max(axis=(1, 2)).tolist()
        constants["largest_loss"] = dict(zip(("substitution", "insertion", "deletion"), largest, strict=True))
    if isinstance(model, ConvModel):
        norms = {"p=1": 1.0, "p=2": 2.0, "p=inf": float("inf")}
        constants["lipslev"] = {name: float(model.constants(p).max()) for name, p in norms.items()}
    return constants


def _flat(facts: dict[str, Any], prefix: str = "") -> list[tuple[str, str]]:
    """Return nested facts as rows; long lists by their ends."""
    rows: list[tuple[str, str]] = []
    for name, value in facts.items():
        if isinstance(value, dict):
            rows += _flat(value, f"{prefix}{name}: ")
        elif name == "changes":  # of a fold: thousands of lines, in the file and in --json
            rows.append((prefix + name, f"{len(value):,} characters"))
        elif isinstance(value, list) and value and isinstance(value[0], dict):
            rows += _flat(value[-1], f"{prefix}{name}, last: ")
        elif isinstance(value, list):
            joint = " × " if prefix == "tensors: " else ", "
            rows.append((prefix + name, joint.join(map(str, value))))
        else:
            rows.append((prefix + name, f"{value:.6g}" if isinstance(value, float) else f"{value}"))
    return rows
