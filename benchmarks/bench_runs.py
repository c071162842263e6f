"""Long runs from the command line: rows per core-second, one and two workers, a local cluster of two, and peak memory.

python benchmarks/bench_runs.py [MODEL] [--rows 1000000] [--searched 6000] [--no-cluster]

Makes a csv of SST-2 sentences (LEVCERT_DATA), runs the command itself, checks that all plans give the same bytes, and
prints the table of docs/large-runs.md.  Core-seconds are user and system time of the command and its workers, start-up
included; wall time, and so the gain of two workers, means something on an idle machine only.
"""

import argparse
import csv
import hashlib
import os
import random
import resource
import sys
import tempfile
import time
from pathlib import Path

MODEL = "results/models/sst2-0c016c4d1ae9.safetensors"
PLANS = {"1 worker": ["--workers", "1"], "2 workers": ["--workers", "2"], "cluster of 2": ["--cluster", "local:2"]}


def measured(arguments: list[str]) -> tuple[float, float, float]:
    """Run levcert; return its wall seconds, its core-seconds, and the peak of its largest process in MB."""
    started = time.perf_counter()
    child = os.posix_spawn(sys.executable, [sys.executable, "-m", "levcert", *arguments], os.environ)
    _, status, used = os.wait4(child, 0)  # with the processes that it waited for: its workers
    assert status == 0, f"levcert {' '.join(arguments)} ended with {status}"
    return time.perf_counter() - started, used.ru_utime + used.ru_stime, used.ru_maxrss / 1024


def write_rows(path: Path, count: int) -> None:
    """Write sentences of SST-2, drawn at random."""
    import levcert

    texts = list(map(str, levcert.load_dataset("sst2", os.environ.get("LEVCERT_DATA")).train.texts))
    rng = random.Random(0)
    with path.open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["text"])
        writer.writerows([rng.choice(texts)] for _ in range(count))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("model", nargs="?", default=MODEL)
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--searched", type=int, default=6_000, help="rows for the method that searches")
    parser.add_argument("--no-cluster", action="store_true")
    arguments = parser.parse_args()
    tasks = {
        "`predict`": (["predict"], arguments.rows),
        "`certify --method lipschitz`": (["certify", "--method", "lipschitz"], arguments.rows),
        "`certify --max-distance 2`": (["certify", "--max-distance", "2"], arguments.searched),
    }
    print("| | | rows | seconds | times as fast as 1 worker | rows per core-second | MB of the largest process |")
    print("|---|---|---|---|---|---|---|")
    with tempfile.TemporaryDirectory(prefix="bench_runs") as name:
        folder = Path(name)
        for task, (command, count) in tasks.items():
            rows, alone, digests = folder / f"{count}.csv", None, set()
            if not rows.exists():
                write_rows(rows, count)
            for plan, flags in PLANS.items():
                if arguments.no_cluster and "--cluster" in flags:
                    continue
                output = folder / "out.csv"
                options = ["--file", str(rows), "-o", str(output), "--progress", "none", *flags]
                wall, cores, memory = measured([*command, arguments.model, *options])
                with output.open("rb") as file:
                    digests.add(hashlib.file_digest(file, "sha256").hexdigest())
                for path in folder.glob("out.csv*"):
                    path.unlink()
                alone = alone or wall
                print(
                    f"| {task} | {plan} | {count:,} | {wall:.1f} | {alone / wall:.2f} | {count / cores:,.0f} | "
                    f"{memory:.0f} |",
                    flush=True,
                )
            assert len(digests) == 1, "outputs differ"
    print(f"peak of this program: {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:.0f} MB", file=sys.stderr)


if __name__ == "__main__":
    main()
