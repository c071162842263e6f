"""What goes to users: the wheel has everything that the code reads, and works away from the repository."""

import ast
import os
import re
import subprocess
import sys
import tomllib
import zipfile
from email.parser import Parser
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
pytest.importorskip("hatchling", reason="the build backend is part of levcert[dev]'s lock")
VERSION = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["version"]


@pytest.fixture(scope="module")
def wheel(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("wheel")
    command = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", folder]
    subprocess.run(command, cwd=ROOT, check=True, capture_output=True, timeout=100)
    [path] = folder.glob("*.whl")
    return path


def test_every_package_that_the_code_imports_is_declared():
    """An environment with everything hides what is missing: typer stopped bringing click, and nothing could start."""
    names = {"scikit-learn": "sklearn", "python-calamine": "python_calamine", "huggingface-hub": "huggingface_hub"}
    comes_with = {
        "starlette": "fastapi",
        "pydantic": "fastapi",
        "h11": "uvicorn",
        "llvmlite": "numba",
        "markupsafe": "jinja2",
    }
    yours = {"pandas", "polars"}  # certificates become a frame of these if you have them
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    wanted = [
        *project["dependencies"],
        *(name for extra in project["optional-dependencies"].values() for name in extra),
    ]
    declared = {re.match(r"[\w-]+", line)[0].lower() for line in wanted}
    allowed = {names.get(name, name) for name in declared} | yours
    allowed |= {name for name, bringer in comes_with.items() if bringer in declared}
    imported = set()
    for path in (ROOT / "src").rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Import):
                imported |= {name.name.partition(".")[0] for name in node.names}
            elif isinstance(node, ast.ImportFrom) and not node.level:
                imported.add(node.module.partition(".")[0])
    assert imported - set(sys.stdlib_module_names) - allowed == set()
    assert set(comes_with) | set(names.values()) | yours <= imported | {"huggingface_hub"}


def test_the_version_is_in_one_place(wheel):
    with zipfile.ZipFile(wheel) as archive:
        metadata = Parser().parsestr(archive.read(f"levcert-{VERSION}.dist-info/METADATA").decode())
    assert metadata["Version"] == VERSION
    assert f"\nversion: {VERSION}\n" in (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    changelog = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    assert changelog.startswith(f"# Changelog\n\n## {VERSION} ")
    sources = "".join(path.read_text(encoding="utf-8") for path in (ROOT / "src").rglob("*.py"))
    assert f'"{VERSION}"' not in sources


def test_the_wheel_has_every_file_of_the_package(wheel):
    with zipfile.ZipFile(wheel) as archive:
        names = set(archive.namelist())
    source = ROOT / "src"
    wanted = {str(path.relative_to(source)) for path in (source / "levcert").rglob("*") if path.is_file()}
    missing = {name for name in wanted if "__pycache__" not in name} - names
    assert missing == set()
    assert not [name for name in names if name.startswith(("tests", "docs"))]


def test_the_wheel_works_away_from_the_repository(wheel, tmp_path):
    """Its own files only: kernels and studies are found where the wheel was unpacked."""
    installed, empty = tmp_path / "installed", tmp_path / "empty"
    empty.mkdir()
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(installed)

    def levcert(*arguments: str) -> str:
        environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
        result = subprocess.run(
            [sys.executable, "-P", "-m", "levcert", *arguments], cwd=empty, capture_output=True, text=True, check=False,
            env=environment | {"PYTHONPATH": str(installed)}, timeout=250,
        )  # fmt: skip
        assert result.returncode == 0, result.stderr
        return result.stdout

    assert levcert("--version") == f"levcert {VERSION}\n"
    levcert("train", "toy", "--orders", "2", "--table-bits", "12", "--epochs", "1", "-o", "toy.safetensors")
    assert "# Model card: toy.safetensors" in levcert("info", "toy.safetensors", "--card")
    assert "main" in levcert("benchmark", "--help")
