"""Options of methods that had another name in version 0.1."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from functools import wraps
from typing import Any, TypeVar

Kind = TypeVar("Kind", bound=type)


def renamed_option(**names: str) -> Callable[[Kind], Kind]:
    """Let a class take options under their old names (``old="new"``), with a warning that says the new one."""

    def accepting(kind: Kind) -> Kind:
        made: Callable[..., None] = kind.__init__  # type: ignore[misc]

        @wraps(made)
        def init(self: Any, *values: Any, **options: Any) -> None:
            for old in [name for name in options if name in names]:
                sentence = f"{kind.__name__}({old}=...) is now {kind.__name__}({names[old]}=...)."
                warnings.warn(sentence, DeprecationWarning, stacklevel=2)
                options[names[old]] = options.pop(old)
            made(self, *values, **options)

        kind.__init__ = init  # type: ignore[misc]
        return kind

    return accepting
