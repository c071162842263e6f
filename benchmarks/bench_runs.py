"""Long runs from the command line: rows per core-second, one and two workers, a local cluster, and peak memory.

``python benchmarks/bench_runs.py MODEL ROWS.csv`` runs the command itself and prints one line per figure.  Core-seconds
are user and system time of the command and all of its workers, with start-up; wall time means little on a busy machine.
"""

import hashlib
import os
import resource
import sys
import tempfile
import time
from pathlib import Path

TASKS = {"predict": ["predict"], "certify": ["certify", "--method", "lipschitz"]}
PLANS = {"1 worker": ["--workers", "1"], "2 workers": ["--workers", "2"], "cluster of 2": ["--cluster", "local:2"]}


def measured(arguments: list[str]) -> tuple[float, float, float]:
    """Run levcert; return its wall seconds, its core-seconds, and the peak of its largest process in MB."""
    started = time.perf_counter()
    child = os.posix_spawn(sys.executable, [sys.executable, "-m", "levcert", *arguments], os.environ)
    _, status, used = os.wait4(child, 0)  # with the processes that it waited for: its workers
    assert status == 0, f"levcert {' '.join(arguments)} ended with {status}"
    return time.perf_counter() - started, used.ru_utime + used.ru_stime, used.ru_maxrss / 1024


def main() -> None:
    """Print the figures of docs/large-runs.md."""
    model, rows = sys.argv[1:3]
    with Path(rows).open("rb") as file:
        count = sum(1 for _ in file) - 1
    folder = Path(tempfile.mkdtemp(prefix="bench_runs"))
    for task, command in TASKS.items():
        digests = set()
        for plan, flags in PLANS.items():
            output = folder / f"{task}.csv"
            wall, cores, memory = measured([*command, model, "--file", rows, "-o", str(output), *flags])
            digests.add(hashlib.sha256(output.read_bytes()).hexdigest())
            for path in folder.iterdir():
                path.unlink()
            print(
                f"{task}, {plan}: {count:,} rows, {wall:.1f} s, {cores:.1f} core-seconds, "
                f"{count / cores:,.0f} rows per core-second, {memory:.0f} MB",
                flush=True,
            )
        assert len(digests) == 1, "outputs differ"
    folder.rmdir()
    print(f"peak of this program: {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:.0f} MB")


if __name__ == "__main__":
    main()
