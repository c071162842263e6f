"""Search for as long as you like: ``python -m tests.trouble --minutes 5 --seed 1``."""

from __future__ import annotations

import argparse
import sys

from tests.trouble.judge import Tally, judged
from tests.trouble.searches import SEARCHES


def main() -> int:
    """Give each search its share of the time; print verdicts per certifier, and what is unsound."""
    parser = argparse.ArgumentParser(description="Search for false certificates.")
    parser.add_argument("--minutes", type=float, default=5.0, help="in all")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--search", choices=list(SEARCHES), action="append", help="only this one; may be repeated")
    arguments = parser.parse_args()
    chosen = arguments.search or list(SEARCHES)
    whole = Tally()
    for name in chosen:
        tally = judged(SEARCHES[name].cases(arguments.seed), seconds=60 * arguments.minutes / len(chosen))
        print(f"{name}: {tally}\n", flush=True)
        whole.include(tally)
    print(f"all: {whole}" if len(chosen) > 1 else "")
    return int(bool(whole.unsound))


if __name__ == "__main__":
    sys.exit(main())
