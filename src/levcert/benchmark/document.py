"""A page as data, and its three formats: Markdown, HTML, LaTeX.

Paragraphs use three marks, as Markdown writes them: `code`, **bold** and [text](address).
"""

from __future__ import annotations

import html
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

from levcert.benchmark.tables import Table


@dataclass(frozen=True)
class Heading:
    level: int
    text: str


@dataclass(frozen=True)
class Paragraph:
    text: str


@dataclass(frozen=True)
class Picture:
    title: str
    address: str  # of the SVG, as seen from the page


Block = Heading | Paragraph | Picture | Table


def markdown(blocks: Sequence[Block]) -> str:
    """Write the page as GitHub's Markdown."""
    parts = []
    for block in blocks:
        if isinstance(block, Heading):
            parts.append(f"{'#' * block.level} {block.text}")
        elif isinstance(block, Paragraph):
            parts.append(block.text)
        elif isinstance(block, Picture):
            parts.append(f"![{block.title}]({block.address})")
        else:
            parts += [f"**{block.title}**", markdown_table(block), *block.notes]
    return "\n\n".join(parts) + "\n"


def markdown_table(table: Table) -> str:
    lines = [table.heads, ["---"] * len(table.heads), *table.lines]
    return "\n".join("| " + " | ".join(cell.replace("|", "\\|") for cell in line) + " |" for line in lines)


def html_page(blocks: Sequence[Block]) -> str:
    """Write the page as one HTML file with its style inside."""
    parts = []
    for block in blocks:
        if isinstance(block, Heading):
            parts.append(f"<h{block.level}>{_html_inline(block.text)}</h{block.level}>")
        elif isinstance(block, Paragraph):
            parts.append(f"<p>{_html_inline(block.text)}</p>")
        elif isinstance(block, Picture):
            title, address = html.escape(block.title), html.escape(block.address)
            parts.append(f'<figure><img src="{address}" alt="{title}"><figcaption>{title}</figcaption></figure>')
        else:
            parts.append(_html_table(block))
            parts += [f"<p class=note>{_html_inline(note)}</p>" for note in block.notes]
    return f"{_HTML_HEAD}\n{chr(10).join(parts)}\n</html>\n"


def _html_table(table: Table) -> str:
    heads = "".join(f"<th>{html.escape(head)}</th>" for head in table.heads)
    lines = "\n".join(
        "<tr>" + "".join(f"<td>{html.escape(cell)}</td>" for cell in line) + "</tr>" for line in table.lines
    )
    caption = f"<caption>{html.escape(table.title)}</caption>"
    return f"<table>{caption}\n<thead><tr>{heads}</tr></thead>\n<tbody>\n{lines}\n</tbody></table>"


def latex(blocks: Sequence[Block]) -> str:
    """Write the page as a LaTeX document for pdflatex and lualatex."""
    parts = []
    for block in blocks:
        if isinstance(block, Heading):
            command = "section" if block.level == 1 else "subsection"
            parts.append(f"\\{command}*{{{_latex_inline(block.text)}}}")
        elif isinstance(block, Paragraph):
            parts.append(_latex_inline(block.text))
        elif isinstance(block, Picture):
            png = block.address.removesuffix(".svg") + ".png"
            parts.append(f"\\begin{{center}}\\includegraphics[width=\\linewidth]{{{png}}}\\end{{center}}")
        else:
            parts.append(latex_table(block))
            parts += [_latex_inline(note) for note in block.notes]
    return _PREAMBLE + "\n\n".join(parts) + "\n\n\\end{document}\n"


def latex_table(table: Table) -> str:
    lines = [" & ".join(_latex_inline(cell) for cell in line) + r" \\" for line in table.lines]
    heads = " & ".join(_latex_inline(head) for head in table.heads) + r" \\"
    return "\n".join(
        [
            r"\begin{table}[h!]\centering",
            f"\\caption{{{_latex_inline(table.title)}}}",
            f"{_SHRINK}{{\\begin{{tabular}}{{ll{'r' * (len(table.heads) - 2)}}}",
            r"\toprule",
            heads,
            r"\midrule",
            *lines,
            r"\bottomrule",
            r"\end{tabular}}",
            r"\end{table}",
        ]
    )


def _html_inline(text: str) -> str:
    text = html.escape(text, quote=False)
    return _marked(
        text, lambda t: f"<code>{t}</code>", lambda t: f"<b>{t}</b>", lambda t, to: f'<a href="{to}">{t}</a>'
    )


def _latex_inline(text: str) -> str:
    escaped = "".join(_LATEX.get(character, character) for character in text)
    return _marked(escaped, lambda t: f"\\texttt{{{t}}}", lambda t: f"\\textbf{{{t}}}", lambda t, to: t)


def _marked(text: str, code: Callable[[str], str], bold: Callable[[str], str], link: Callable[[str, str], str]) -> str:
    text = re.sub(r"`([^`]+)`", lambda match: code(match[1]), text)
    text = re.sub(r"\*\*([^*]+)\*\*", lambda match: bold(match[1]), text)
    return re.sub(r"\[([^\]]+)\]\(([^)]+)\)", lambda match: link(match[1], match[2]), text)


_LATEX: Final = {
    **{character: f"\\{character}" for character in "&%$#_{}"},
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "\\": r"\textbackslash{}",
    "±": r"$\pm$",
    "−": "$-$",
    "×": r"$\times$",
    "÷": r"$\div$",
    "≤": r"$\le$",
    "≥": r"$\ge$",
    "∞": r"$\infty$",
    "λ": r"$\lambda$",
    "α": r"$\alpha$",
    "★": r"$\star$",
    "–": "--",
    "…": r"\dots{}",
}
_HTML_HEAD: Final = (
    '<!doctype html>\n<html lang="en">\n<meta charset="utf-8">\n<title>levcert: results</title>\n<style>'
    "body{font:15px/1.5 system-ui,sans-serif;max-width:75rem;margin:2rem auto;padding:0 1rem}"
    "table{border-collapse:collapse;margin:1rem 0;display:block;overflow-x:auto}"
    "caption{text-align:left;font-weight:600}"
    "th,td{padding:.15rem .6rem;text-align:right;white-space:nowrap;border-bottom:1px solid #ddd}"
    "th:first-child,td:first-child,td:nth-child(2){text-align:left}.note{color:#555}img{max-width:100%}</style>"
)
_SHRINK: Final = r"\resizebox{\ifdim\width>\linewidth\linewidth\else\width\fi}{!}"  # never larger than its letters
_PREAMBLE: Final = (
    "\\documentclass{article}\n\\usepackage[utf8]{inputenc}\n\\usepackage[a4paper,margin=2cm]{geometry}\n"
    "\\usepackage{booktabs,graphicx}\n\\begin{document}\n\n"
)
FORMATS: Final[dict[str, Callable[[Sequence[Block]], str]]] = {".md": markdown, ".html": html_page, ".tex": latex}
