"""The examples run: scripts as a reader would start them, the notebook cell by cell."""

import ast
import json
import runpy
from pathlib import Path

import pytest

import levcert

ROOT = Path(__file__).resolve().parents[1]
EXAMPLES = ROOT / "examples"
SCRIPTS = sorted(EXAMPLES.glob("plot_*.py"))
pytestmark = pytest.mark.skipif(not EXAMPLES.is_dir(), reason="installed without the examples")


@pytest.fixture(autouse=True)
def quick(monkeypatch, tmp_path):
    """One model for all examples, and no window for the pictures."""
    pytest.importorskip("matplotlib", reason="the plots need levcert[benchmark]").use("Agg")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(levcert, "train", trained)


def trained(data, **options):
    """Train once for all examples that ask for the same."""
    key = repr(sorted((name, value) for name, value in options.items() if name != "show_progress"))
    if key not in _MODELS:
        _MODELS[key] = _TRAIN(data, **options | {"show_progress": False})
    return _MODELS[key]


_MODELS: dict[str, object] = {}
_TRAIN = levcert.train


@pytest.mark.parametrize("script", SCRIPTS, ids=[script.stem for script in SCRIPTS])
def test_a_script_draws_its_picture(script, monkeypatch, tmp_path, capsys):
    monkeypatch.setattr("sys.argv", [str(script), "12"])
    runpy.run_path(str(script), run_name="__main__")
    assert capsys.readouterr().out
    assert [path.suffix for path in tmp_path.iterdir()] == [".svg"]


def test_every_cell_of_the_notebook_runs():
    notebook = json.loads((EXAMPLES / "first-steps.ipynb").read_text(encoding="utf-8"))
    names: dict[str, object] = {}
    shown = []
    for number, cell in enumerate(notebook["cells"]):
        assert cell["cell_type"] in ("markdown", "code")
        if cell["cell_type"] == "code":
            assert cell["outputs"] == [], "notebooks are stored without outputs"
            shown.append(run_cell("".join(cell["source"]), names, f"cell {number}"))
    tables = [value._repr_html_() for value in shown if hasattr(value, "_repr_html_")]
    assert len(tables) == 2  # the dataset and the certificates
    assert all(table.startswith("<table>") for table in tables)


def run_cell(source, names, place):
    """Run a cell as Jupyter does: the value of a last expression is what the cell shows."""
    tree = ast.parse(source)
    last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
    exec(compile(tree, place, "exec"), names)
    return None if last is None else eval(compile(ast.Expression(last.value), place, "eval"), names)
