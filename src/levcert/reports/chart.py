"""Line charts of shares as inline SVG: no library, no script, colours and fonts from the page's own style.

Lines differ by colour, by dash and by marker, and are named where they end, so nobody needs the colours.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Literal

from markupsafe import Markup, escape

from levcert.certificates.share import Share

Marker = Literal["circle", "square", "triangle"]

WIDTH: Final = 560
HEIGHT: Final = 300
_LEFT, _RIGHT, _TOP, _BOTTOM = 46, 112, 12, 48
_NAME_HEIGHT: Final = 19  # names at the right keep this distance


@dataclass(frozen=True)
class Series:
    """One line: a share for each tick."""

    name: str
    style: str  # the class that the style sheet knows
    marker: Marker
    shares: Sequence[Share]
    whiskers: bool = True


def chart(
    series: Sequence[Series],
    ticks: Sequence[str],
    x_title: str,
    description: str,
    *,
    between: tuple[int, int] | None = None,
    spread: float = 0,
) -> Markup:
    """Draw shares over ticks, with 95 % intervals as whiskers.

    The area ``between`` two of the lines is tinted; ``spread`` moves the lines apart sideways.
    """
    first, last = _LEFT + 6 + 2 * spread, WIDTH - _RIGHT - 2 * spread
    if len(ticks) == 1:
        first = last = (first + last) / 2
    xs = [first + (last - first) * number / max(len(ticks) - 1, 1) for number in range(len(ticks))]
    inside = spread * (len(series) - 1) / 2
    parts = [_grid(), _x_axis(xs, ticks, x_title)]
    if between is not None:
        parts.append(_area(series[between[0]], series[between[1]], xs))
    for number, line in enumerate(series):
        parts.append(_line(line, [x - inside + spread * number for x in xs]))
    parts.append(_names(series))
    body = Markup("").join(parts)
    return Markup('<svg class="chart" viewBox="0 0 {} {}" role="img" aria-label="{}">{}</svg>').format(
        WIDTH, HEIGHT, description, body
    )


def _y(value: float) -> float:
    return _TOP + (1 - value) * (HEIGHT - _TOP - _BOTTOM)


def _grid() -> Markup:
    lines = [
        f'<line class="grid" x1="{_LEFT}" x2="{WIDTH - _RIGHT + 8}" y1="{_y(v):.1f}" y2="{_y(v):.1f}"/>'
        f'<text class="tick" x="{_LEFT - 10}" y="{_y(v) + 4:.1f}" text-anchor="end">{v:.0%}</text>'
        for v in (0, 0.25, 0.5, 0.75, 1)
    ]
    return Markup("").join(map(Markup, lines))


def _x_axis(xs: Sequence[float], ticks: Sequence[str], title: str) -> Markup:
    base = _y(0)
    marks = [
        Markup('<text class="tick" x="{:.1f}" y="{:.1f}" text-anchor="middle">{}</text>').format(x, base + 18, tick)
        for x, tick in zip(xs, ticks, strict=True)
    ]
    middle = (_LEFT + WIDTH - _RIGHT) / 2
    named = Markup('<text class="title" x="{:.1f}" y="{}" text-anchor="middle">{}</text>').format(
        middle, HEIGHT - 6, title
    )
    return Markup("").join([*marks, named])


def _area(upper: Series, lower: Series, xs: Sequence[float]) -> Markup:
    forth = [(x, _y(share.value)) for x, share in zip(xs, upper.shares, strict=True)]
    back = [(x, _y(share.value)) for x, share in zip(xs, lower.shares, strict=True)]
    corners = " ".join(f"{x:.1f},{y:.1f}" for x, y in [*forth, *reversed(back)])
    return Markup('<polygon class="between" points="{}"/>').format(corners)


def _line(series: Series, xs: Sequence[float]) -> Markup:
    points = [(x, _y(share.value)) for x, share in zip(xs, series.shares, strict=True) if share.total]
    path = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
    whiskers = "".join(
        f'<line class="whisker" x1="{x:.1f}" x2="{x:.1f}" y1="{_y(low):.1f}" y2="{_y(high):.1f}"/>'
        for x, share in zip(xs, series.shares, strict=True)
        if series.whiskers and share.total
        for low, high in [share.interval]
    )
    markers = "".join(_marker(series.marker, x, y) for x, y in points)
    return Markup('<g class="series {}">{}<polyline points="{}"/>{}</g>').format(
        series.style, Markup(whiskers), path, Markup(markers)
    )


def _marker(kind: Marker, x: float, y: float) -> str:
    match kind:
        case "circle":
            return f'<circle cx="{x:.1f}" cy="{y:.1f}" r="4.2"/>'
        case "square":
            return f'<rect x="{x - 3.6:.1f}" y="{y - 3.6:.1f}" width="7.2" height="7.2"/>'
        case "triangle":
            return f'<path d="M{x:.1f} {y - 4.8:.1f}l4.6 8.2h-9.2z"/>'


def _names(series: Sequence[Series]) -> Markup:
    """Write each line's name where it ends; names that would overlap move apart, downwards and then up."""
    wanted = sorted((_y(line.shares[-1].value), number) for number, line in enumerate(series) if line.shares[-1].total)
    lowest = _y(0)
    places = [y for y, _ in wanted]
    for i in range(1, len(places)):
        places[i] = max(places[i], places[i - 1] + _NAME_HEIGHT)
    for i in range(len(places) - 1, -1, -1):
        limit = lowest if i == len(places) - 1 else places[i + 1] - _NAME_HEIGHT
        places[i] = min(places[i], limit)
    names = [
        f'<text class="name {series[number].style}" x="{WIDTH - _RIGHT + 16}" y="{y + 4:.1f}">'
        f"{escape(series[number].name)}</text>"
        for y, (_, number) in zip(places, wanted, strict=True)
    ]
    return Markup("").join(map(Markup, names))
