"""The numbers by which kernels, tables and scripts count the operations of an edit."""

from __future__ import annotations

import warnings
from enum import IntEnum
from typing import Literal, cast

OperationName = Literal["insert", "delete", "substitute"]


class Operation(IntEnum):
    """What one edit does.  Users may give the name instead.

    Examples:
        >>> [operation.name for operation in levcert.Operation]
        ['SUBSTITUTE', 'INSERT', 'DELETE']
    """

    SUBSTITUTE = 0
    INSERT = 1
    DELETE = 2

    @property
    def word(self) -> OperationName:
        """The name by which users give an operation."""
        return cast(OperationName, self.name.lower())

    def __eq__(self, other: object) -> bool:
        if isinstance(other, str):  # what version 0.1 had
            warnings.warn(
                "Compare an operation with levcert.Operation.INSERT, DELETE or SUBSTITUTE; 0.3 will accept no strings.",
                DeprecationWarning,
                stacklevel=2,
            )
            return self.word == other
        return int.__eq__(self, other) if isinstance(other, int) else NotImplemented

    def __ne__(self, other: object) -> bool:
        return not self == other

    __hash__ = IntEnum.__hash__

    def __str__(self) -> str:
        return self.word
