"""The campaigns in full: ``python -m tests.hostile --seed 1``, or some of them: ``--campaign models --count 1000``."""

from __future__ import annotations

import argparse
import sys
import tempfile
from pathlib import Path

from tests.hostile.campaigns import CAMPAIGNS


def main() -> int:
    """Print what became of the files; 1 if anything was unexpected or wrong."""
    parser = argparse.ArgumentParser(description="Read mutated files.")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--campaign", choices=list(CAMPAIGNS), action="append", help="only this one; may be repeated")
    parser.add_argument("--count", type=int, help="this many files, instead of all")
    arguments = parser.parse_args()
    failed = False
    for name in arguments.campaign or CAMPAIGNS:
        run, count = CAMPAIGNS[name]
        with tempfile.TemporaryDirectory() as folder:
            tally = run(arguments.count or count, arguments.seed, Path(folder))
        print(tally, flush=True)
        failed |= bool(tally.unexpected or tally.wrong)
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
