"""Kill runs again and again, and compare what they leave with the output of a run that nobody disturbed.

``python -m tests.cli.soak 30`` kills parents and workers 30 times over csv, JSON lines and parquet, and prints
what it found.
"""

import csv
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from os import kill
from pathlib import Path

ENDINGS = ("csv", "jsonl", "parquet")


@dataclass
class Soaked:
    """What became of the rows of one output."""

    ending: str
    parents: int = 0  # killed
    workers: int = 0
    lost: int = 0
    doubled: int = 0
    bytes_equal: bool = False


def make_rows(path: Path, count: int, seed: int = 0) -> None:
    """Write texts of letters and digits, some with commas, quotes and line breaks."""
    rng = random.Random(seed)
    with path.open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["id", "text"])
        for number in range(count):
            writer.writerow([number, "".join(rng.choices('abcdefgh 0123456789,"\nä', k=rng.randint(3, 40))) + "x"])


def command(folder: Path, model: Path, name: str) -> list[str]:
    flags = ["--file", str(folder / "rows.csv"), "--keep-columns", "id", "--workers", "2", "--progress", "none"]
    return [sys.executable, "-m", "levcert", "certify", str(model), *flags, "-o", str(folder / name), "--resume"]


def children_of(process: int) -> list[int]:
    """The workers of a run, whose command line says that they were spawned."""
    found = []
    for path in Path(f"/proc/{process}/task/{process}").glob("children"):
        for child in path.read_text().split():
            try:
                if b"spawn_main" in Path(f"/proc/{child}/cmdline").read_bytes():
                    found.append(int(child))
            except OSError:
                continue
    return found


def soak(folder: Path, model: Path, ending: str, kills: int, seed: int = 0, longest: float = 6.0) -> Soaked:
    """Kill a run ``kills`` times at random moments, let it end, and compare."""
    rng, result = random.Random(f"{seed} {ending}"), Soaked(ending)
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.PIPE}
    whole, output = folder / f"whole.{ending}", folder / f"out.{ending}"
    subprocess.run(command(folder, model, whole.name), check=True, **quiet)
    process = None
    while True:
        if process is None:
            process = subprocess.Popen(command(folder, model, output.name), start_new_session=True, **quiet)
        if result.parents + result.workers == kills:
            break
        time.sleep(rng.uniform(0.2, longest))
        if process.poll() is not None:  # it ended before its turn came: start over
            assert process.returncode == 0, process.stderr.read().decode()
            process.stderr.close()
            for path in folder.glob(f"out.{ending}*"):
                path.unlink()
            process, longest = None, longest / 2
            continue
        workers = children_of(process.pid)
        if workers and rng.random() < 0.5:
            kill(rng.choice(workers), signal.SIGKILL)
            result.workers += 1
        else:
            process.kill()
            process.communicate()
            process, result.parents = None, result.parents + 1
    _, said = process.communicate(timeout=250)
    assert process.returncode == 0, said.decode()
    rows, expected = rows_in(output), rows_in(whole)
    result.lost, result.doubled = len(set(expected) - set(rows)), len(rows) - len(set(rows))
    result.bytes_equal = output.read_bytes() == whole.read_bytes()
    return result


def rows_in(path: Path) -> list[int]:
    from levcert.files.row_files import read_records

    return [int(record["row"]) for record in read_records(path, {"text": "text", "counterexample": "text"})]


def main() -> None:
    """Soak all formats with a model of version 0.1, and print the results."""
    kills = int(sys.argv[1]) if len(sys.argv) > 1 else 30
    model = Path(__file__).parents[1] / "files_of_version_0_1" / "conv.safetensors"
    folder = Path(tempfile.mkdtemp(prefix="soak"))
    make_rows(folder / "rows.csv", int(sys.argv[2]) if len(sys.argv) > 2 else 20_000)
    for number, ending in enumerate(ENDINGS):
        print(soak(folder, model, ending, kills // 3 + (number < kills % 3)), flush=True)
    shutil.rmtree(folder)


if __name__ == "__main__":
    main()
