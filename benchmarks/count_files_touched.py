"""How far one has to walk through the source to follow a command: files, and changes of folder between them.

    python benchmarks/count_files_touched.py                             # certify a csv file into a parquet file
    python benchmarks/count_files_touched.py predict MODEL "some text"   # any command
    python benchmarks/count_files_touched.py --list ...                  # name the functions

The command runs once in this process under a profiler.  A function of levcert counts when it is first called: in this
order a reader meets them.  The figures are the number of different files that these functions are in, and how often
the folder changes from one function to the next.  What runs while a module is imported is not counted.
"""

from __future__ import annotations

import inspect
import os
import sys
import tempfile
from collections.abc import Callable
from importlib import import_module
from itertools import pairwise
from pathlib import Path
from types import CodeType, FrameType
from typing import Any

import levcert

PACKAGE = Path(levcert.__file__).parent
MODEL = Path(__file__).parents[1] / "tests" / "files_of_version_0_1" / "votes.safetensors"


def functions_in_order(run: Callable[[], object]) -> list[tuple[Path, str]]:
    """Return file and name of each function of levcert that a call reaches, in the order of their first calls."""
    seen: dict[CodeType, None] = {}
    root = f"{PACKAGE}{os.sep}"

    def watch(frame: FrameType, event: str, argument: Any) -> None:
        code = frame.f_code
        # Bodies of modules and classes are not functions: their variables are not optimised.
        if event == "call" and code.co_flags & inspect.CO_OPTIMIZED and code.co_filename.startswith(root):
            seen.setdefault(code)

    sys.setprofile(watch)
    try:
        run()
    except SystemExit as ended:
        if ended.code:
            raise
    finally:
        sys.setprofile(None)
    return [(Path(code.co_filename).relative_to(PACKAGE), code.co_qualname) for code in seen]


def folder_changes(files: list[Path]) -> int:
    """Count how often a file lies in another folder than the one before it."""
    return sum(first.parent != second.parent for first, second in pairwise(files))


def main() -> None:
    """Run the command of the arguments, or the example, and print the figures."""
    arguments = [argument for argument in sys.argv[1:] if argument != "--list"]
    with tempfile.TemporaryDirectory() as folder:
        if not arguments:
            texts = Path(folder, "x.csv")
            texts.write_text("text\nhello w0rld\n12e4567\nsome text\n")
            arguments = ["certify", str(MODEL), "--file", str(texts), "-o", str(Path(folder, "rows.parquet"))]
        command = import_module(os.environ.get("LEVCERT_MAIN", "levcert.cli.app")).main  # version 0.1: levcert.cli
        listing, sys.argv = "--list" in sys.argv, ["levcert", *arguments]
        functions = functions_in_order(command)
    files = [file for file, _ in functions]
    if listing:
        print(*(f"{file}: {name}" for file, name in functions), sep="\n")
    print(f"{len(functions)} functions in {len(set(files))} files, {folder_changes(files)} changes of folder")


if __name__ == "__main__":
    main()
