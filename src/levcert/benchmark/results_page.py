"""The page of all results: every study with its remarks, tables, figures, row file and command."""

from __future__ import annotations

import os
from pathlib import Path

from levcert.benchmark.document import FORMATS, Block, Heading, Paragraph, Picture
from levcert.benchmark.figures import curves, draw
from levcert.benchmark.result_rows import read_rows
from levcert.benchmark.runner import rows_file
from levcert.benchmark.study import Study, load_study, page_introduction, study_names
from levcert.benchmark.tables import make_table
from levcert.benchmark.tables_as_json import write_claims
from levcert.errors import InputError
from levcert.files.atomic import atomic_path


def write_page(output: Path, results: Path, pictures: Path) -> None:
    """Write the page in the format that its extension names, and the numbers in its tables next to the rows."""
    if output.suffix not in FORMATS:
        raise InputError(f"Cannot write {output}: the name of a page ends in {', '.join(FORMATS)}.")
    if not results.is_dir():
        raise InputError(f"There is no folder {results}. Run a study first, or name the folder with --results.")
    blocks: list[Block] = [Heading(1, "Results"), *map(Paragraph, page_introduction())]
    for name in study_names():
        blocks += study_blocks(load_study(name), results, pictures, output.parent)
    with atomic_path(output) as part:
        part.write_text(FORMATS[output.suffix](blocks), encoding="utf-8")


def study_blocks(study: Study, results: Path, pictures: Path, seen_from: Path) -> list[Block]:
    """Return what the page says about one study."""
    path = rows_file(results, study.name)
    rows = read_rows(path)
    source = "none yet"
    if rows:
        files = (path, write_claims(study, path, rows))
        source = "; the tables as JSON: ".join(f"[{f.name}]({os.path.relpath(f, seen_from)})" for f in files)
    paper = study.declaration["paper"]
    origin = "Not in the paper." if paper == "ours" else f"In the paper: {paper}."
    blocks: list[Block] = [
        Heading(2, study.title),
        Paragraph(f"{origin} Rows: {source}. Command: `{study.command}`."),
        *map(Paragraph, study.remarks.split("\n\n")),
    ]
    blocks += [make_table(study, spec, rows) for spec in study.page_tables]
    for spec in study.figures:
        lines = curves(study, spec, rows)
        if lines:
            picture = draw(spec, lines, pictures)[0]
            blocks.append(Picture(spec["title"], os.path.relpath(picture, seen_from)))
    return blocks
