"""Measure the texts, fill in the template, and write the file completely or not at all."""

from __future__ import annotations

import hashlib
import platform
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any

from markupsafe import Markup

from levcert import __version__
from levcert.certificates.claims import Unit
from levcert.certificates.difference import excerpt
from levcert.certificates.explain import free_changes
from levcert.certifiers.base import Method
from levcert.errors import InputError
from levcert.evaluation.evaluator import Evaluator, Measured, labelled, name_of
from levcert.files.atomic import atomic_path
from levcert.models.known_classifiers import as_classifier, fold_of, unit_of
from levcert.models.window import WindowModel
from levcert.reports.chart import Series, chart
from levcert.reports.html_page import AROUND, filled
from levcert.reports.summary import STUDIED, Collector, Summary
from levcert.text.alphabet import Text, hashable_bytes


@dataclass(frozen=True)
class Origin:
    """Where model and texts come from, so that others can repeat the report."""

    data: str = "texts given in Python"
    model_file: Path | None = None
    command: str | None = None


def report(
    model: Any,
    texts: Sequence[Text],
    truth: Sequence[str],
    path: str | Path,
    *,
    method: str | Method = "auto",
    max_distance: int | None = None,
    budget: float | None = None,
    target: str | None = None,
    origin: Origin | None = None,
    watch: Callable[[Iterator[Measured]], Iterable[Measured]] | None = None,
) -> Summary:
    """Certify and attack texts with known labels, and write the results as one self-contained HTML file.

    The curve ends at ``max_distance`` edits, and no larger radius is looked for; by default it goes to 10 edits, and
    certificates go as far as the method can.  ``budget`` is in seconds for each text.  Without a budget the same input
    gives the same file, byte by byte.  With a ``target``, the report is one-sided: it counts the texts whose true label
    is another one, and asks whether edits make that label.  ``watch`` wraps the stream of measured texts, to show a
    progress bar.

    Examples:
        >>> model = levcert.load("toy.safetensors")
        >>> texts, truth = ["hello world", "12e4567"], ["letters", "digits"]
        >>> levcert.report(model, texts, truth, "report.html", max_distance=1).size
        2
    """
    if max_distance is not None and (not isinstance(max_distance, int) or max_distance < 1):
        raise InputError(f"max_distance must be an integer of at least 1, not {max_distance!r}.")
    if isinstance(texts, str | bytes) or not len(texts):
        raise InputError("A report needs a list of at least one text.")
    if name_of(method) == "smoothing":
        raise InputError(
            "smoothing certifies a different classifier, not the model itself; use auto, exact or lipschitz."
        )
    model = model if isinstance(model, WindowModel) else as_classifier(model)
    labelled(model, texts, truth)  # refuses what does not fit together
    with atomic_path(path) as part:  # entered before the work, so that a bad path is refused at once
        evaluator = Evaluator(model, method, max_distance=max_distance, budget=budget, target=target)
        measured = evaluator.measured(labelled(model, texts, truth))
        collector = Collector(model, max_distance, target)
        symbols: Text | None = None  # of a function, only edits that bring in these are covered
        for row in watch(measured) if watch else measured:
            if row.outcome.truth != target:
                collector.add(row)
            if symbols is None and row.certificate.threat is not None:
                symbols = row.certificate.threat.symbols
        if not collector.rows:
            raise InputError(f"All texts have the true label {target!r}, so none can be made it; add other texts.")
        summary = collector.summary()
        provenance = _provenance(model, texts, truth, origin or Origin(), str(method), budget)
        substitutions = name_of(method) == "lipslev"
        page = render(summary, substitutions, unit_of(model), fold_of(model), provenance, symbols, target)
        part.write_text(page, encoding="utf-8")
    return summary


def render(
    summary: Summary,
    replacements_only: bool,
    unit: Unit,
    fold: str,
    provenance: dict[str, str],
    symbols: Text | None = None,
    target: str | None = None,
) -> str:
    """Fill in the template."""
    return filled(
        "report.html",
        summary=summary,
        studied=STUDIED,
        replacements_only=replacements_only,
        unit=unit,
        target=target,
        symbols=symbols,
        free=free_changes(fold),
        curve=_curve_chart(summary),
        lengths=_length_chart(summary),
        fragile=[
            (row.label, row.counterexample, excerpt(row.counterexample.difference, AROUND)) for row in summary.fragile
        ],
        provenance=provenance,
    )


def _curve_chart(summary: Summary) -> Markup:
    points = summary.curve
    return chart(
        [
            Series("clean", "clean", "triangle", [summary.clean] * len(points), whiskers=False),
            Series("attacked", "attacked", "square", [point.attacked for point in points]),
            Series("certified", "certified", "circle", [point.certified for point in points]),
        ],
        [str(point.k) for point in points],
        "edits that the attacker may make",
        "Accuracy against the number of edits; the table below has the numbers.",
        between=(1, 2),
    )


def _length_chart(summary: Summary) -> Markup:
    lines = [Series("clean", "clean", "triangle", [group.clean for group in summary.lengths])]
    for position, k in enumerate(STUDIED):
        style, marker = (("certified", "circle"), ("second", "square"))[position]
        shares = [group.certified[position] for group in summary.lengths]
        lines.append(Series(f"{k} edit{'s' * (k > 1)}", style, marker, shares))  # type: ignore[arg-type]
    return chart(
        lines,
        [group.name for group in summary.lengths],
        "characters in the text",
        "Accuracy against the length of the text; the table below has the numbers.",
        spread=9,
    )


def _provenance(
    model: Any,
    texts: Sequence[Text],
    truth: Sequence[str],
    origin: Origin,
    method: str,
    budget: float | None,
) -> dict[str, str]:
    """Return names and values for the last section: enough to repeat the report and to see that it is the same."""
    digest = hashlib.sha256()
    for text, label in zip(texts, truth, strict=True):
        for raw in (hashable_bytes(label), hashable_bytes(text)):
            digest.update(b"%d " % len(raw))
            digest.update(raw)
    facts = {"Model": repr(model)}
    if origin.model_file is not None:
        facts["Model file"] = origin.model_file.name
        with origin.model_file.open("rb") as file:
            facts["Model fingerprint"] = "sha256 " + hashlib.file_digest(file, "sha256").hexdigest()
    facts["Texts"] = f"{len(texts):,} from {origin.data}"
    facts["Text fingerprint"] = "sha256 " + digest.hexdigest()
    facts["Method"] = method if budget is None else f"{method}, at most {budget:g} s for each text"
    versions = [f"{name} {version(name)}" for name in ("numpy", "numba", "scipy")]
    facts["Versions"] = ", ".join([f"levcert {__version__}", f"Python {platform.python_version()}", *versions])
    if origin.command is not None:
        facts["Command"] = origin.command
    return facts
