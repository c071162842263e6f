"""Measure everything: ``python -m benchmarks [--only WORD] [--json FILE] [--against FILE]``."""

from __future__ import annotations

import os

os.environ["OMP_NUM_THREADS"] = "1"  # before numpy and torch: one core

import argparse
import importlib
import json
import platform
import subprocess
from datetime import date
from pathlib import Path

import torch
from rich.console import Console
from rich.table import Table

from benchmarks.measuring import Curve, Figure, Measured
from levcert.benchmark.speed_table import time_of

PARTS = ("training", "convolution", "votes", "text")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", default="", help=f"a part: {', '.join(PARTS)}")
    parser.add_argument("--json", type=Path, help="write the figures here")
    parser.add_argument("--against", type=Path, help="figures of another commit: print the ratio to them")
    arguments = parser.parse_args()
    torch.set_num_threads(1)
    found: list[Measured] = []
    for part in PARTS:
        if arguments.only in part:
            found += importlib.import_module(f"benchmarks.{part}").measure()
    before = {} if arguments.against is None else seconds_of(json.loads(arguments.against.read_text()))
    Console(width=None if os.isatty(1) else 150).print(table(found, before))
    if arguments.json is not None:
        arguments.json.write_text(json.dumps(document(found), indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


def table(found: list[Measured], before: dict[str, float]) -> Table:
    shown = Table("what", "ours", "others in this run", "limit of the memory", *(["before"] if before else []))
    for figure in found:
        if isinstance(figure, Curve):
            steps = ", ".join(f"{x:g}: {time_of(y)}" for x, y in figure.points.items())
            shown.add_row(f"{figure.name}, by {figure.x}", f"grows as {figure.x}^{figure.exponent:.1f}", steps)
            continue
        others = ", ".join(f"{name} {time_of(s)} = {s / figure.seconds:.3g}x" for name, s in figure.others.items())
        limit = "" if figure.limit is None else f"{time_of(figure.limit)} ({figure.limit_of})"
        old = [f"{before[figure.name] / figure.seconds:.2f}x" if figure.name in before else ""] if before else []
        shown.add_row(figure.name, f"{time_of(figure.seconds)} per {figure.unit}", others, limit, *old)
    return shown


def document(found: list[Measured]) -> dict[str, object]:
    commit = subprocess.run(["git", "rev-parse", "--short", "HEAD"], capture_output=True, text=True, check=False)
    return {
        "commit": commit.stdout.strip(),
        "date": date.today().isoformat(),
        "machine": f"{platform.machine()}, {os.cpu_count()} cores, Python {platform.python_version()}",
        "figures": [figure.to_dict() for figure in found],
    }


def seconds_of(document: dict) -> dict[str, float]:
    return {
        entry["name"]: entry["seconds"] for entry in document["figures"] if entry["kind"] == Figure.__name__.lower()
    }


if __name__ == "__main__":
    main()
