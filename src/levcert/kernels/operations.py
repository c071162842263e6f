"""The numbers by which kernels, tables and scripts count the operations of an edit."""

from __future__ import annotations

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

    def __str__(self) -> str:
        return self.word
