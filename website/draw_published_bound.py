"""Draw docs/pictures/published-bound.svg: one deletion shifts half of every window that straddles it.

The text abab… under a filter of eight alternating taps, embeddings +1 and −1, ReLU: the counterexample of
docs/published-bound.md, small enough to see every window.  Run this file to write the figure again; a test compares it.
"""

from __future__ import annotations

from pathlib import Path

TAPS, TEXT, DELETED = 8, "ab" * 12, 12
BOUND = 2 * TAPS  # M(E)·M(K): two embeddings differ by 2, eight taps of size 1
PATH = Path(__file__).resolve().parents[1] / "docs" / "pictures" / "published-bound.svg"
LEFT, STEP, BASE, UNIT = 24, 22, 236, 15  # pixels: margin, a window, the foot of the bars, one unit of score
BEFORE = "All windows of abab…: the sum of their scores is {}."
AFTER = "One deletion: the sum is {}. It changed by {}, and the published bound allows {}."
TITLE = "One deletion in abab… changes the pooled feature by {}; the published bound is {}."

STYLE = """
  text { font: 13px ui-monospace, Menlo, Consolas, 'DejaVu Sans Mono', monospace; fill: #26323a }
  .words { font-family: system-ui, 'Segoe UI', 'DejaVu Sans', sans-serif }
  .bold { font-weight: 700 } .small { font-size: 11px; fill: #5b6b75 } .middle { text-anchor: middle }
  .cell { fill: #e5f3f1; stroke: #7fb5ae } .doomed { fill: #fbdcd7; stroke: #c8452f }
  .bar { fill: #4f9e94; transform-box: fill-box; transform-origin: bottom } .hit { fill: #c8452f }
  .gauge { fill: #c8452f; transform-box: fill-box; transform-origin: left }
  .limit { stroke: #26323a; stroke-width: 2; stroke-dasharray: 5 4 }
  .doomed-cell, .shift, .bar, .gauge, .before, .after { animation: 10s infinite }
  .doomed-cell { animation-name: vanish } .shift { animation-name: shift } .bar { animation-name: bar }
  .gauge { animation-name: gauge } .before { animation-name: before } .after { animation-name: after }
  @keyframes vanish { 0%, 22% { opacity: 1 } 32%, 94% { opacity: 0 } 100% { opacity: 1 } }
  @keyframes shift { 0%, 32% { transform: none } 44%, 94% { transform: translateX(-22px) } 100% { transform: none } }
  @keyframes bar { 0%, 44% { transform: scaleY(var(--old)) } 60%, 94% { transform: scaleY(var(--new)) }
    100% { transform: scaleY(var(--old)) } }
  @keyframes gauge { 0%, 44% { transform: scaleX(0) } 60%, 94% { transform: scaleX(1) } 100% { transform: scaleX(0) } }
  @keyframes before { 0%, 22% { opacity: 1 } 32%, 94% { opacity: 0 } 100% { opacity: 1 } }
  @keyframes after { 0%, 56% { opacity: 0 } 62%, 94% { opacity: 1 } 100% { opacity: 0 } }
  @media (prefers-reduced-motion: reduce) {
    .doomed-cell { opacity: .35 } .bar { transform: scaleY(var(--new)) } .before { opacity: 0 }
    .doomed-cell, .shift, .bar, .gauge, .before, .after { animation: none }
  }
"""


def window_scores(text: str) -> list[int]:
    """Return ReLU(Σ_j ±s_{i+j}) for every window of the padded text."""
    padding = [0] * (TAPS - 1)
    row = padding + [1 if character == "a" else -1 for character in text] + padding
    windows = range(len(text) + TAPS - 1)
    return [max(0, sum((-1) ** j * row[i + j] for j in range(TAPS))) for i in windows]


def figure() -> str:
    """Return the figure as SVG: an animation in CSS, without scripts."""
    edited = TEXT[:DELETED] + TEXT[DELETED + 1 :]
    old, new = window_scores(TEXT), window_scores(edited)
    change = sum(old) - sum(new)
    parts = [
        f'<text class="words bold before" x="{LEFT}" y="26">{BEFORE.format(sum(old))}</text>',
        f'<text class="words bold after" x="{LEFT}" y="26">{AFTER.format(sum(new), change, BOUND)}</text>',
    ]
    for place, character in enumerate(TEXT):
        x = LEFT + place * STEP
        kind = "doomed-cell" if place == DELETED else "shift" if place > DELETED else "still"
        parts.append(
            f'<g class="{kind}"><rect class="{"doomed" if place == DELETED else "cell"}" x="{x}" y="44" width="20" '
            f'height="24" rx="3"/><text class="middle" x="{x + 10}" y="61">{character}</text></g>'
        )
    for window, score in enumerate(old):
        touched = DELETED <= window < DELETED + TAPS
        after = score if not touched else new[window] if window < DELETED + TAPS - 1 else 0
        moves = "shift" if window >= DELETED + TAPS else "still"
        parts.append(
            f'<g class="{moves}"><rect class="bar{" hit" if touched else ""}" style="--old: {score / TAPS:g}; '
            f'--new: {after / TAPS:g}" x="{LEFT + window * STEP + 3}" y="{BASE - TAPS * UNIT}" width="14" '
            f'height="{TAPS * UNIT}"/></g>'
        )
    end = LEFT + len(old) * STEP
    parts.append(f'<line x1="{LEFT}" x2="{end}" y1="{BASE}" y2="{BASE}" stroke="#26323a"/>')
    caption = "Score of each window, drawn at its last character. Red: windows that straddle the deletion."
    parts.append(f'<text class="words small" x="{LEFT}" y="{BASE + 18}">{caption}</text>')
    scale = 24
    parts.append(f'<rect class="gauge" x="{LEFT}" y="{BASE + 36}" width="{change * scale}" height="20"/>')
    limit = LEFT + BOUND * scale
    parts.append(f'<line class="limit" x1="{limit}" x2="{limit}" y1="{BASE + 30}" y2="{BASE + 62}"/>')
    parts.append(f'<text class="words small" x="{LEFT}" y="{BASE + 76}">change of the sum</text>')
    parts.append(f'<text class="words small middle" x="{limit}" y="{BASE + 76}">published bound: {BOUND}</text>')
    parts.append(f'<text class="words bold after" x="{LEFT + change * scale + 8}" y="{BASE + 51}">{change}</text>')
    body = "\n".join(parts)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {end + LEFT} {BASE + 92}" role="img">\n'
        f"<title>{TITLE.format(change, BOUND)}</title>\n"
        f'<style>{STYLE}</style>\n<rect width="100%" height="100%" fill="#fff" rx="8"/>\n{body}\n</svg>\n'
    )


if __name__ == "__main__":
    PATH.write_text(figure(), encoding="utf-8")
