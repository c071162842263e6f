"""Files as attackers and broken disks leave them: mutated bytes, mutated headers, with and without a right checksum."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
from safetensors.numpy import load, save

from levcert.files.tensor_file import CHECKSUM, checksum

VALUES = (
    True,
    False,
    None,
    -1,
    0,
    1,
    2,
    3,
    2**31,
    2**70,
    1.5,
    -0.0,
    1e308,
    "",
    "x",
    "\x00",
    "\ud800",
    [],
    [1],
    {},
    {"a": 1},
)


def mutated_bytes(raw: bytes, rng: np.random.Generator) -> bytes:
    """Change some bytes: flipped, overwritten, cut off, taken out, doubled, moved or inserted; once to three times."""
    changed = bytearray(raw)
    for _ in range(int(rng.integers(1, 4))):
        size = len(changed)
        if not size:
            break
        # Half of all changes are near the beginning, where headers are.
        at = int(rng.integers(0, min(size, 400) if rng.random() < 0.5 else size))
        length = int(min(rng.integers(1, 40), size - at))
        match int(rng.integers(8)):
            case 0:
                changed[at] ^= 1 << int(rng.integers(8))
            case 1:
                changed[at] = int(rng.integers(256))
            case 2:
                del changed[at:]
            case 3:
                del changed[at : at + length]
            case 4:
                changed[at:at] = changed[at : at + length]
            case 5:
                changed[at:at] = rng.bytes(length)
            case 6:
                changed[at : at + length] = bytes(length)
            case _:
                changed[at : at + 8] = int(rng.integers(2**63)).to_bytes(8, "little")
    return bytes(changed)


def mutated_header(raw: bytes, key: str, rng: np.random.Generator) -> bytes:
    """Change header or tensors as someone does who knows the format; the checksum is right, or there is none."""
    length = int.from_bytes(raw[:8], "little")
    fields = json.loads(json.loads(raw[8 : 8 + length])["__metadata__"][key])
    fields.pop(CHECKSUM, None)
    tensors = {name: tensor.copy() for name, tensor in load(raw).items()}
    for _ in range(int(rng.integers(1, 3))):
        if rng.random() < 0.6:
            _change(fields, rng)
        elif tensors:
            _change_tensor(tensors, rng)
    if rng.random() < 0.5:
        fields[CHECKSUM] = checksum(fields, tensors)
    return save(tensors, metadata={key: json.dumps(fields)})


def _change(value: Any, rng: np.random.Generator) -> None:
    """Replace, remove or add something somewhere inside an object or a list."""
    while isinstance(value, dict | list) and value:
        keys = list(value) if isinstance(value, dict) else list(range(len(value)))
        chosen = keys[int(rng.integers(len(keys)))]
        inner = value[chosen]
        if not (isinstance(inner, dict | list) and inner) or rng.random() < 0.3:
            match int(rng.integers(5)):
                case 0:
                    del value[chosen]
                case 1 if isinstance(value, dict):
                    value[f"{chosen}x"] = inner
                case 2 if isinstance(inner, int):
                    value[chosen] = inner * int(rng.integers(-2, 5))
                case 3 if isinstance(inner, str):
                    value[chosen] = inner * 2
                case _:
                    value[chosen] = VALUES[int(rng.integers(len(VALUES)))]
            return
        value = inner


def _change_tensor(tensors: dict[str, Any], rng: np.random.Generator) -> None:
    names = sorted(tensors)
    name = names[int(rng.integers(len(names)))]
    tensor = tensors[name]
    match int(rng.integers(7)):
        case 0:
            del tensors[name]
        case 1:
            tensors[f"{name}x"] = tensor
        case 2:
            kinds = (np.int8, np.uint8, np.int64, np.uint32, np.uint64, np.float16, np.float32, np.float64, np.bool_)
            with np.errstate(all="ignore"):
                tensors[name] = tensor.astype(kinds[int(rng.integers(len(kinds)))])
        case 3:
            tensors[name] = tensor.reshape(-1)[: int(rng.integers(tensor.size + 1))]
        case 4:
            tensors[name] = tensor.reshape(tensor.shape[::-1])
        case 5:
            flat = tensor.reshape(-1)
            if flat.size:
                large = (np.nan, np.inf, 1e308, 1e-308) if tensor.dtype.kind == "f" else (np.iinfo(tensor.dtype).max, 0)
                flat[int(rng.integers(flat.size))] = large[int(rng.integers(len(large)))]
        case _:
            tensors[name] = np.repeat(tensor, 2, axis=0)
