"""A hundred models that someone has made on purpose."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import numpy as np
from safetensors.numpy import save

Tensors = dict[str, Any]

_ODD = (True, None, -1, 0, 1.5, 2**70, "x", [], {}, [[]], 1e308)


def _raw(fields: dict[str, Any], tensors: Tensors) -> bytes:
    return save(tensors, metadata={"levcert": json.dumps(fields)})


def _votes(**changes: Any) -> dict[str, Any]:
    alphabet = {"kind": "characters", "symbols": "abc", "folding": True, "unknown": "drop"}
    fields = {"format_version": 1, "kind": "votes", "labels": ["x", "y"], "training": {}, "alphabet": alphabet}
    return fields | {"options": {"orders": [2], "rows": 4096}} | changes


def _conv(**changes: Any) -> dict[str, Any]:
    return _votes() | {"kind": "conv", "options": {"layers": 1, "activation": "relu", "pooling": "sum"}} | changes


def _few(classes: int = 2) -> Tensors:
    return {"votes": np.ones((2, classes), np.int8), "used_rows": np.arange(2, dtype=np.uint32)}


def _weights(symbols: int = 3, taps: int = 2, classes: int = 2, kind: Any = np.float32, value: float = 1.0) -> Tensors:
    return {
        "embedding": np.full((symbols, 1), value, kind),
        "kernel.0": np.full((taps, 1, 1), value, kind),
        "head": np.linspace(-1, 1, classes).astype(kind)[:, None] * kind(value),
    }


def hostile_models() -> Iterator[tuple[str, bytes]]:
    """Give names and contents of files, those that cost most last."""
    yield from _wrong_types()
    yield from _numbers()
    yield from _bombs()


def _wrong_types() -> Iterator[tuple[str, bytes]]:
    """Every field of a header with every odd value."""
    for value in _ODD:
        for name in ("format_version", "kind", "labels", "training", "alphabet", "options"):
            yield f"{name} {value!r}", _raw(_votes(**{name: value}), _few())
        for name in ("orders", "rows"):
            yield f"{name} {value!r}", _raw(_votes(options={"orders": [2], "rows": 4096} | {name: value}), _few())
        for name in ("layers", "activation", "pooling"):
            options = {"layers": 1, "activation": "relu", "pooling": "sum"} | {name: value}
            yield f"{name} {value!r}", _raw(_conv(options=options), _weights())
        for name in ("kind", "symbols", "folding", "unknown"):
            alphabet = _votes()["alphabet"] | {name: value}
            yield f"alphabet {name} {value!r}", _raw(_votes(alphabet=alphabet), _few())
        yield f"labels {value!r} twice", _raw(_votes(labels=[value, value]), _few())
        yield f"metrics {value!r}", _raw(_votes(training={"metrics": value, "config": {"epochs": value}}), _few())


def _bombs() -> Iterator[tuple[str, bytes]]:
    """Small files that ask for much memory or time."""
    yield "32 tables of 2^24 rows", _raw(_votes(options={"orders": list(range(1, 33)), "rows": 2**24}), _few())
    for classes in (500, 2_000, 100_000):
        labels = [f"{number}" for number in range(classes)]
        yield f"{classes} labels of votes", _raw(_votes(labels=labels), _few(classes))
        yield f"{classes} labels of a convolution", _raw(_conv(labels=labels), _weights(classes=classes))
    for taps in (1_000, 100_000):
        yield f"{taps} taps", _raw(_conv(), _weights(taps=taps))
    everything = "".join(map(chr, [*range(0x20, 0xD800), *range(0xE000, 0x110000)]))
    for symbols in (everything, everything + "a"):
        alphabet = {"kind": "characters", "symbols": symbols, "folding": False, "unknown": "drop"}
        yield f"{len(symbols)} symbols of votes", _raw(_votes(alphabet=alphabet), _few())
        yield (
            f"{len(symbols)} symbols of a convolution",
            _raw(_conv(alphabet=alphabet), _weights(len(symbols), kind=np.float16)),
        )
    alphabet = {"kind": "characters", "symbols": everything[:20_000], "folding": False, "unknown": "drop"}
    yield "20,000 symbols and 1,000 taps", _raw(_conv(alphabet=alphabet), _weights(20_000, 1_000))
    yield "a million layers", _raw(_conv(options={"layers": 10**6}), _weights())
    yield "a label of 10 MB", _raw(_votes(labels=["x" * 10**7, "y"]), _few())
    nested: Any = 1
    for _ in range(900):
        nested = [nested]
    yield "nested lists", _raw(_votes(training={"metrics": {"a": nested}}), _few())
    deep = json.dumps(_votes()).replace('"training": {}', '"training": ' + '{"a":' * 50_000 + "1" + "}" * 50_000)
    yield "deeply nested", save(_few(), metadata={"levcert": deep})
    yield "a header of 20 MB", _raw(_votes(training={"other": [[]] * 5_000_000}), _few())
    yield "a huge whole number", save(_few(), metadata={"levcert": json.dumps(_votes()).replace("4096", "9" * 10_000)})
    yield "no tensors", _raw(_votes(), {})
    yield "empty tensors", _raw(_votes(), {"votes": np.zeros((0, 2), np.int8), "used_rows": np.zeros(0, np.uint32)})
    yield "100,000 tensors", _raw(_votes(), _few() | {f"t{number}": np.zeros(0, np.int8) for number in range(100_000)})


def _numbers() -> Iterator[tuple[str, bytes]]:
    """Weights at the ends of what numbers can be."""
    for value in (np.nan, np.inf, -np.inf, 1e308, 1e-308, 5e-324, 0.0, 1e154, 1e200):
        yield f"weights {value}", _raw(_conv(), _weights(kind=np.float64, value=value))
    for kind in (np.float16, np.float32):
        yield f"weights of {kind.__name__}", _raw(_conv(), _weights(kind=kind, value=np.finfo(kind).max))
    yield "votes of -128", _raw(_votes(), _few() | {"votes": np.full((2, 2), -128, np.int8)})
