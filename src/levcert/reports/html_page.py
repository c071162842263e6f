"""Fill in the templates of this folder: ``base.html`` is the frame of every page, ``parts.html`` what pages share."""

from __future__ import annotations

from typing import Any, Final

from levcert.certificates.difference import visible
from levcert.certificates.share import Share

AROUND: Final = 48  # characters shown before and after an edit


def filled(template: str, **values: Any) -> str:
    """Return the page; everything that comes from texts is escaped."""
    from jinja2 import Environment, PackageLoader, StrictUndefined

    environment = Environment(
        loader=PackageLoader("levcert.reports", "."),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters |= {"percent": _percent, "interval": _interval, "visible": visible}
    return environment.get_template(template).render(values)


def _percent(share: Share) -> str:
    return f"{share.value:.1%}" if share.total else "–"


def _interval(share: Share) -> str:
    low, high = share.interval
    return f"{100 * low:.1f}–{100 * high:.1f}" if share.total else ""
