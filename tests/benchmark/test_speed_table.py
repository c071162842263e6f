"""The page of speeds: figures with ratios, curves with exponents, and the script that measures them."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from levcert.benchmark.speed_table import growth_table, speed_table, time_of

ROOT = Path(__file__).parents[2]
FIGURES = [
    {
        "kind": "figure",
        "name": "prediction",
        "seconds": 2e-6,
        "unit": "text",
        "others": {"torch": 7.13e-4},
        "limit": 5e-7,
        "limit_of": "rows",
    },
    {
        "kind": "figure",
        "name": "start",
        "seconds": 0.4,
        "unit": "start",
        "others": {"numpy": 0.9},
        "limit": None,
        "limit_of": "",
    },
    {"kind": "curve", "name": "exact", "x": "characters", "points": {"100.0": 0.001, "1000.0": 0.01}, "exponent": 1.0},
]


@pytest.fixture
def results(tmp_path):
    document = {"commit": "abc1234", "date": "2026-01-02", "machine": "a machine", "figures": FIGURES}
    (tmp_path / "speeds.json").write_text(json.dumps(document))
    return tmp_path


def test_figures_are_shown_with_their_ratios_and_limits(results):
    table = speed_table(results)
    assert table.lines == [
        ["prediction", "2 µs per text", "torch: 360×", "500 ns (rows)"],
        ["start", "400 ms per start", "numpy: 2.2×", ""],
    ]
    assert "abc1234 on 2026-01-02" in table.notes[0]


def test_curves_are_shown_with_their_exponents(results):
    assert growth_table(results).lines == [["exact, by characters", "characters^1.0", "100: 1 ms, 1,000: 10 ms"]]


@pytest.mark.parametrize(
    ("seconds", "shown"), [(12.34, "12.3 s"), (0.0123, "12.3 ms"), (1.5e-6, "1.5 µs"), (3e-9, "3 ns")]
)
def test_times_have_the_unit_that_suits_them(seconds, shown):
    assert time_of(seconds) == shown


def test_the_script_measures_and_compares(tmp_path):
    """The part that needs neither training nor minutes; a second run is compared with the first."""
    pytest.importorskip("torch")
    code = (
        "import benchmarks.text as text; from benchmarks.measuring import Figure; import benchmarks.__main__ as m\n"
        "text.measure = lambda: iter([Figure('encoding', 2e-9, 'character', {'loop': 4e-9})])\n"
        "m.main()\n"
    )

    def run(*arguments):
        command = [sys.executable, "-c", code, "--only", "text", *arguments]
        return subprocess.run(command, check=True, capture_output=True, text=True, cwd=ROOT).stdout

    first = tmp_path / "first.json"
    assert "loop 4 ns = 2x" in run("--json", str(first))
    assert json.loads(first.read_text())["figures"][0]["seconds"] == 2e-9
    assert "1.00x" in run("--against", str(first))
