"""The page of all results: every study with its remarks, tables, figures, row file and command."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from levcert.benchmark.document import FORMATS, Block, Heading, Paragraph, Picture
from levcert.benchmark.figures import curves, draw
from levcert.benchmark.result_rows import Row, read_rows
from levcert.benchmark.runner import rows_file
from levcert.benchmark.study import Study, load_study, page_front, page_introduction, study_names
from levcert.benchmark.tables import make_table
from levcert.benchmark.tables_as_json import write_claims
from levcert.errors import InputError
from levcert.files.atomic import atomic_path


def write_page(output: Path, results: Path, pictures: Path, *, remarks: bool = False) -> None:
    """Write the page in the format that its extension names, and the tables as JSON.

    ``remarks`` adds what we wrote about the rows of our repository, and a page of explanations; with other rows it
    would be false.
    """
    if output.suffix not in FORMATS:
        raise InputError(f"Cannot write {output}: the name of a page ends in {', '.join(FORMATS)}.")
    if not results.is_dir():
        raise InputError(f"There is no folder {results}. Run a study first, or name the folder with --results.")
    studies = [load_study(name) for name in study_names()]
    explained = output.with_stem(f"{output.stem}-explained")
    blocks: list[Block] = [Heading(1, "Results"), *_front(results, pictures, output.parent)]
    blocks += [Heading(2, "How to read this page"), *map(Paragraph, page_introduction(remarks))]
    for study in studies:
        blocks += study_blocks(study, results, pictures, output.parent, explained.name if remarks else None)
    _write(output, blocks)
    if remarks:
        _write(explained, explanation_blocks(studies, output.name))


def _write(path: Path, blocks: list[Block]) -> None:
    with atomic_path(path) as part:
        part.write_text(FORMATS[path.suffix](blocks), encoding="utf-8")


def _front(results: Path, pictures: Path, seen_from: Path) -> list[Block]:
    """Return what a reader sees first: a sentence, accuracy against distance for every dataset, and one table."""
    front = page_front()
    study = load_study(front["study"])
    rows = read_rows(rows_file(results, study.name))
    (figure,) = (spec for spec in study.figures if spec["name"] == front["figure"])
    (table,) = (spec for spec in study.tables if spec["name"] == front["table"])
    picture = _picture(study, figure, rows, pictures, seen_from)
    return [Paragraph(front["paragraph"]), *picture, make_table(study, table, rows)]


def explanation_blocks(studies: Sequence[Study], results_page: str) -> list[Block]:
    """Return the page of everything that was tried to explain a difference, study by study."""
    blocks: list[Block] = [
        Heading(1, "Results, explained"),
        Paragraph(
            f"What we tried to explain the differences on [the results page]({results_page}), and what else its rows "
            "show. The sections have the same titles."
        ),
    ]
    for study in studies:
        if study.explanations:
            blocks += [Heading(2, study.title), *map(Paragraph, study.explanations)]
    return blocks


def study_blocks(study: Study, results: Path, pictures: Path, seen_from: Path, explained: str | None) -> list[Block]:
    """Return what the page says about one study, with remarks if ``explained`` names the page with the longer ones."""
    path = rows_file(results, study.name)
    rows = read_rows(path)
    source = "none yet"
    if rows:
        files = (path, write_claims(study, path, rows))
        source = "; the tables as JSON: ".join(f"[{f.name}]({os.path.relpath(f, seen_from)})" for f in files)
    paper = study.declaration["paper"]
    origin = "Not in the paper." if paper == "ours" else f"In the paper: {paper}."
    has_more = explained is not None and study.explanations
    more = f" More in [the explanations]({explained}#{_anchor(study.title)})." if has_more else ""
    blocks: list[Block] = [
        Heading(2, study.title),
        Paragraph(f"{origin} Rows: {source}. Command: `{study.command}`.{more}"),
    ]
    if explained is not None:
        blocks.append(Paragraph(study.summary))
    blocks += [make_table(study, spec, rows) for spec in study.page_tables]
    for spec in study.figures:
        blocks += _picture(study, spec, rows, pictures, seen_from)
    return blocks


def _picture(study: Study, spec: dict[str, Any], rows: Sequence[Row], pictures: Path, seen_from: Path) -> list[Picture]:
    lines = curves(study, spec, rows)
    if not lines:
        return []
    return [Picture(spec["title"], os.path.relpath(draw(spec, lines, pictures)[0], seen_from))]


def _anchor(title: str) -> str:
    """Return the address that Markdown gives a heading."""
    return re.sub(r"[^\w -]", "", title.lower()).replace(" ", "-")
