"""``levcert report``: how robust a model is on the texts of a dataset, as one HTML file."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path
from typing import Annotated

import typer

from levcert.cli.certification_flags import Budget, Method, Target
from levcert.cli.flag_groups import with_flag_groups
from levcert.cli.inputs import GivenData
from levcert.cli.model_flags import GivenModel
from levcert.cli.outputs import Json, print_json, print_line
from levcert.cli.reading_flags import Reading
from levcert.errors import InputError
from levcert.runs.progress_bar import watched


@with_flag_groups
def report(
    model: GivenModel,
    data: GivenData,
    reading: Reading,
    output: Annotated[Path, typer.Option("-o", "--output", help="The HTML file to write.")] = Path("report.html"),
    *,
    rows: Annotated[int, typer.Option(help="Use at most this many rows.", min=1)] = 1_000,
    shuffle: Annotated[
        int | None, typer.Option(help="Choose rows at random with this seed, instead of the first ones.")
    ] = None,
    max_distance: Annotated[
        int | None, typer.Option(help="The largest number of edits on the curve.", show_default="up to 10", min=1)
    ] = None,
    method: Method = "auto",
    budget: Budget = None,
    target: Target = None,
    json: Json = False,
) -> None:
    """Write a report on a model's robustness on the test rows of a dataset, or on the rows of a file.

    Example: levcert report toy.safetensors toy -o report.html
    """
    from levcert.reports import Origin
    from levcert.reports import report as write

    loaded = model.load()
    data.warn_if_trained_on(loaded)
    labelled = data.labelled(reading)
    found = list(labelled.rows)
    if not found:
        raise InputError(f"{data} has no rows to report on.")
    chosen = _choose(len(found), rows, shuffle)
    which = "rows" if len(chosen) == len(found) else "first rows" if shuffle is None else f"rows by seed {shuffle}"
    summary = write(
        loaded,
        [found[i][0] for i in chosen],
        [found[i][1] for i in chosen],
        output,
        method=method,
        max_distance=max_distance,
        budget=budget,
        target=target,
        origin=Origin(f"{labelled.name} ({which})", model.model, shlex.join(["levcert", *sys.argv[1:]])),
        watch=lambda certified: watched(certified, "certifying", len(chosen)),
    )
    if json:
        verified = {str(point.k): point.certified.value for point in summary.curve if point.k}
        clean = summary.curve[0].certified.value
        print_json({"output": str(output), "texts": summary.size, "clean": clean, "verified": verified})
        return
    shares = [f"verified k={point.k}: {point.certified}" if point.k else f"clean: {point.certified}"
              for point in summary.curve[:3]]  # fmt: skip
    what = "accuracy" if target is None else f"recall of what is not {target!r}"
    part = "" if len(chosen) == len(found) else f" ({len(chosen):,} of {len(found):,} rows; --rows takes more)"
    print_line(f"{output}: {what} on {summary.size:,} texts{part}, {', '.join(shares)}")


def _choose(total: int, rows: int, shuffle: int | None) -> list[int]:
    """Return the indices of the first rows, or of random ones in order."""
    if shuffle is None:
        return list(range(min(rows, total)))
    import numpy as np

    return sorted(np.random.default_rng(shuffle).permutation(total)[:rows].tolist())
