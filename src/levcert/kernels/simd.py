"""Many numbers at once: LLVM's vectors as a numba type, for inner loops that the compiler does not vectorise well.

A short numba loop over two arrays first asks whether they overlap, and adding ten rows keeps the sum in memory
between them.  ``Lanes`` are values, so a sum stays in registers; LLVM cuts them to what the machine has (128
bytes are four registers of AVX2, eight of SSE).  Indices are into the flat array and are
not checked: callers pad rows to a multiple of ``LANES``.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from llvmlite import ir
from numba import types
from numba.extending import intrinsic, models, register_model

LANES: Final = 128
instruction: Callable[[Callable[..., Any]], Callable[..., Any]] = intrinsic  # called without numba's typing context


class Lanes(types.Type):
    """The type of ``LANES`` numbers of one type."""

    def __init__(self, element: Any) -> None:
        self.element = element
        super().__init__(name=f"Lanes({element}, {LANES})")


@register_model(Lanes)
class _LanesModel(models.PrimitiveModel):
    def __init__(self, manager: Any, kind: Lanes) -> None:
        super().__init__(  # type: ignore[no-untyped-call]
            manager, kind, ir.VectorType(manager.lookup(kind.element).get_data_type(), LANES)
        )


@instruction
def entry(_typing: Any, array: Any, index: Any) -> Any:
    """Return array[index] as an index, without the question whether it counts from the end."""

    def build(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        value = builder.load(_address(context, builder, signature, values))
        return context.cast(builder, value, array.dtype, types.intp)

    return types.intp(array, types.intp), build


@instruction
def load(_typing: Any, array: Any, index: Any) -> Any:
    """Return array[index : index + LANES]."""
    kind = Lanes(array.dtype)

    def build(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        pointer = context.get_value_type(kind).as_pointer()
        loaded = builder.load(builder.bitcast(_address(context, builder, signature, values), pointer))
        loaded.align = _bytes(array)
        return loaded

    return kind(array, types.intp), build


@instruction
def store(_typing: Any, array: Any, index: Any, lanes: Any) -> Any:
    """array[index : index + LANES] = lanes."""

    def build(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        pointer = values[2].type.as_pointer()
        stored = builder.store(values[2], builder.bitcast(_address(context, builder, signature, values), pointer))
        stored.align = _bytes(array)
        return context.get_dummy_value()

    return types.none(array, types.intp, lanes), build


@instruction
def zeros_like(_typing: Any, lanes: Any) -> Any:
    """Return 0 in every lane."""
    return lanes(lanes), lambda context, builder, signature, values: ir.Constant(values[0].type, None)


@instruction
def add(_typing: Any, first: Any, second: Any) -> Any:
    """Return the sums, lane by lane."""

    def build(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        return builder.fadd(*values) if isinstance(first.element, types.Float) else builder.add(*values)

    return first(first, second), build


@instruction
def times_count(_typing: Any, floats: Any, counts: Any) -> Any:
    """Return floats · counts, lane by lane."""

    def build(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        return builder.fmul(values[0], builder.uitofp(values[1], values[0].type))

    return floats(floats, counts), build


@instruction
def relu(_typing: Any, lanes: Any) -> Any:
    """Return max(x, 0), lane by lane; NaN stays NaN, so that training sees it."""

    def build(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        zero = ir.Constant(values[0].type, None)
        return builder.select(builder.fcmp_ordered("<", values[0], zero), zero, values[0])

    return lanes(lanes), build


@instruction
def positive(_typing: Any, lanes: Any) -> Any:
    """Return 1 where x > 0 and 0 elsewhere, as bytes."""
    bits = Lanes(types.uint8)

    def build(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        above = builder.fcmp_ordered(">", values[0], ir.Constant(values[0].type, None))
        return builder.zext(above, context.get_value_type(bits))

    return bits(lanes), build


def _address(context: Any, builder: Any, signature: Any, values: Any) -> Any:
    array = context.make_array(signature.args[0])(context, builder, values[0])
    return builder.gep(array.data, [values[1]])


def _bytes(array: Any) -> int:
    return int(array.dtype.bitwidth) // 8
