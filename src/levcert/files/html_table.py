"""A small HTML table, for notebooks: everything is escaped, long texts are shortened."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape
from typing import Final

LONGEST: Final = 60


def html_table(head: Sequence[str], rows: Iterable[Sequence[object]], caption: str) -> str:
    """Return a table with a caption; cells are shown as ``str`` shows them, None as an empty cell."""
    lines = ["<table>", f"<caption>{escape(caption)}</caption>", _row("th", head)]
    lines += [_row("td", row) for row in rows]
    return "\n".join([*lines, "</table>"])


def _row(tag: str, cells: Iterable[object]) -> str:
    return "<tr>" + "".join(f"<{tag}>{escape(_short(cell))}</{tag}>" for cell in cells) + "</tr>"


def _short(cell: object) -> str:
    text = "" if cell is None else str(cell)
    return text if len(text) <= LONGEST else text[: LONGEST - 1] + "…"
