"""A small model, and two ways to run the command: as users do, and quickly."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

import levcert
from levcert.cli.app import app

COMMAND = Path(sys.executable).with_name("levcert")


@pytest.fixture(scope="session")
def toy_model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A classifier of letters and digits, trained in a second."""
    path = tmp_path_factory.mktemp("model") / "toy.safetensors"
    sizes = {"epochs": 3, "kernel_size": 3, "filters": 8, "embedding_size": 6, "learning_rate": 10.0, "batch_size": 32}
    data = levcert.load_dataset("toy")
    classifier = levcert.LevenshteinClassifier("conv", **sizes)
    classifier.fit(data.train.texts, [data.labels[y] for y in data.train.labels]).model_.save(path)
    return path


@pytest.fixture
def folder(tmp_path: Path, toy_model: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder to be in, with ``toy.safetensors`` alone."""
    shutil.copy(toy_model, tmp_path / "toy.safetensors")
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def invoke(folder: Path):
    """Run the command inside this process, in the folder."""

    def run(*arguments: object, stdin: str | bytes | None = None) -> Result:
        return CliRunner(env={"COLUMNS": "200"}).invoke(app, list(map(str, arguments)), input=stdin)

    return run


@pytest.fixture
def shell(folder: Path):
    """Run lines of bash in the folder, with ``levcert`` on the path."""

    def run(script: str) -> subprocess.CompletedProcess[str]:
        path = f"{COMMAND.parent}{os.pathsep}{os.environ['PATH']}"
        return subprocess.run(
            ["bash", "-euo", "pipefail", "-c", script], capture_output=True, text=True, check=False, timeout=250,
            env=os.environ | {"PATH": path, "COLUMNS": "200"},
        )  # fmt: skip

    return run
