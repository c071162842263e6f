"""The versions and the processor behind a result, but never the name of the machine."""

from __future__ import annotations

import os
import platform
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any, Final

import levcert

_PACKAGES: Final = ("numpy", "numba", "scipy", "torch")


def versions() -> dict[str, str]:
    """Return the versions of everything that takes part in the computation."""
    found = {"levcert": levcert.__version__, "python": platform.python_version()}
    for package in _PACKAGES:
        try:
            found[package] = version(package)
        except PackageNotFoundError:
            continue
    return found


def machine() -> dict[str, Any]:
    """Return the processor's model and the number of cores."""
    return {"cpu": _processor(), "cores": os.cpu_count()}


def _processor() -> str:
    cpuinfo = Path("/proc/cpuinfo")
    if cpuinfo.exists():
        for line in cpuinfo.read_text(encoding="utf-8", errors="replace").splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return platform.processor() or platform.machine()
