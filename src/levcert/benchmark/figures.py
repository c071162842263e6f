"""Figures: curves as data, and matplotlib to draw them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import mean
from typing import Any

from levcert.benchmark.result_rows import Row, row_of
from levcert.benchmark.study import Study, label, matches
from levcert.errors import InputError
from levcert.files.atomic import atomic_path


@dataclass(frozen=True)
class Curve:
    """Means over seeds by x, in one panel."""

    panel: str
    label: str
    points: dict[float, float]


def curves(study: Study, spec: dict[str, Any], rows: Sequence[Row]) -> list[Curve]:
    """Collect the curves of a declared figure.

    x is a setting, or a number in the names of values: in the pattern ``exact k={x}`` it is k; ``at_zero``
    names the value at x = 0.  ``published`` curves are points from the paper.
    """
    collected: dict[tuple[str, str], dict[float, list[float]]] = {}
    for cell in study.cells:
        row = row_of(cell, rows)
        if row is None or not matches(spec.get("where", {}), cell.settings):
            continue
        panel = label(spec["panels"], cell.settings[spec["panels"]])
        for curve in spec["curves"]:
            if matches(curve.get("where", {}), cell.settings):
                points = collected.setdefault((panel, curve["label"]), {})
                if "at_zero" in curve:
                    points.setdefault(0.0, []).append(row.values[curve["at_zero"]])
                for x, value in _points(spec["x"], curve["pattern"], row):
                    points.setdefault(x, []).append(value)
    measured = [
        Curve(panel, name, {x: mean(values) for x, values in sorted(points.items())})
        for (panel, name), points in collected.items()
        if points
    ]
    panels = {curve.panel for curve in measured}
    published = [
        Curve(label(spec["panels"], entry["panel"]), entry["label"], {float(x): y for x, y in entry["points"].items()})
        for entry in spec.get("published", [])
    ]
    return measured + [curve for curve in published if curve.panel in panels]


def draw(spec: dict[str, Any], lines: Sequence[Curve], folder: Path) -> list[Path]:
    """Draw a figure as SVG and PNG, with the same bits for the same data; return the paths."""
    try:
        import matplotlib as mpl
    except ImportError:
        raise InputError("Figures need matplotlib; install levcert[benchmark].") from None
    from matplotlib.figure import Figure

    panels = list(dict.fromkeys(curve.panel for curve in lines))
    names = list(dict.fromkeys(curve.label for curve in lines))
    with mpl.rc_context(
        {"svg.hashsalt": "levcert", "font.size": 9, "axes.spines.top": False, "axes.spines.right": False}
    ):
        figure = Figure(figsize=(3.2 * len(panels) + 0.6, 3.2), layout="constrained")
        is_setting = all("{x}" not in curve["pattern"] for curve in spec["curves"])  # the same values in every panel
        every_axes = figure.subplots(1, len(panels), sharex=is_setting, squeeze=False)[0]
        for place, (panel, axes) in enumerate(zip(panels, every_axes, strict=True)):
            for curve in lines:
                if curve.panel == panel:
                    colour = f"C{names.index(curve.label)}"
                    axes.plot(
                        list(curve.points), list(curve.points.values()), "o-", ms=3, color=colour, label=curve.label
                    )
            axes.set_title(panel)
            axes.set_xlabel(spec["x_label"])
            axes.set_xscale(spec.get("scale", "linear"))
            if "scale" not in spec:  # edits, layers and characters are counted
                axes.locator_params(axis="x", integer=True)
            axes.set_ylim(0, 100)
            axes.set_ylabel("% of texts" if place == 0 else "")
        handles = {line.get_label(): line for axes in figure.axes for line in axes.get_legend_handles_labels()[0]}
        curves = list(handles.values())  # of all panels: one may have a curve that others lack
        figure.legend(handles=curves, loc="outside lower center", ncols=min(len(names), 4), frameon=False)
        folder.mkdir(parents=True, exist_ok=True)
        paths = [folder / f"benchmark-{spec['name']}.{ending}" for ending in ("svg", "png")]
        for path in paths:
            with atomic_path(path) as part:
                kind = path.suffix[1:]
                figure.savefig(part, format=kind, dpi=120, metadata={"Date": None} if kind == "svg" else None)
    return paths


def _points(x: str, pattern: str, row: Row) -> list[tuple[float, float]]:
    if "{x}" not in pattern:
        return [(float(row.settings[x]), row.values[pattern])] if pattern in row.values else []
    expression = re.compile(re.escape(pattern).replace(re.escape("{x}"), r"(\d+)"))
    found = ((expression.fullmatch(name), value) for name, value in row.values.items())
    return [(float(match[1]), value) for match, value in found if match]
