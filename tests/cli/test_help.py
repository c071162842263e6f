"""What --help promises works, and it comes at once."""

import os
import re
import subprocess
import sys

import pytest
from typer.testing import CliRunner

from levcert.attacks import ATTACKS
from levcert.certifiers import CERTIFIERS
from levcert.cli.app import COMMANDS, app

NAMES = [command.__name__ for command in COMMANDS]
ELSEWHERE = {"demo", "serve"}  # tests/test_package.py runs the demo; a server does not end by itself


def example(name):
    text = CliRunner(env={"COLUMNS": "250"}).invoke(app, [name, "--help"]).output
    found = re.search(r"Example: (levcert .*?)\s*$", text, re.MULTILINE)
    assert found, f"levcert {name} --help has no example"
    return found.group(1)


@pytest.mark.parametrize("name", NAMES)
def test_every_command_has_an_example_of_itself(name):
    assert example(name).split()[1] == name


@pytest.mark.parametrize("name", [name for name in NAMES if name not in ELSEWHERE])
def test_the_example_works_in_an_empty_folder(name, shell):
    result = shell(example(name))
    assert result.returncode == 0, result.stderr
    assert result.stdout
    assert "Traceback" not in result.stderr


def test_help_imports_nothing_heavy():
    code = (
        "import sys; sys.argv = ['levcert', '--help']\n"
        "from levcert.cli.app import main\n"
        "try:\n    main()\n"
        "except SystemExit as end:\n    assert end.code == 0\n"
        "heavy = ['numpy', 'torch', 'numba', 'sklearn', 'pyarrow', 'scipy', 'fastapi', 'matplotlib']\n"
        "print([name for name in heavy if name in sys.modules], file=sys.stderr)"
    )
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert all(name in result.stdout for name in NAMES)
    assert result.stderr.strip() == "[]"


def test_the_module_is_the_command():
    result = subprocess.run([sys.executable, "-m", "levcert", "--help"], capture_output=True, text=True, check=True)
    assert "certify" in result.stdout


def test_shells_can_complete_commands():
    environment = {"_LEVCERT_COMPLETE": "complete_bash", "COMP_WORDS": "levcert cer", "COMP_CWORD": "1"}
    command = os.path.join(os.path.dirname(sys.executable), "levcert")
    result = subprocess.run([command], capture_output=True, text=True, check=False, env=os.environ | environment)
    assert result.stdout.split() == ["certify"]


def test_completion_can_be_installed():
    assert "--install-completion" in CliRunner().invoke(app, ["--help"]).output


@pytest.mark.parametrize(("name", "methods"), [("certify", CERTIFIERS), ("attack", ATTACKS), ("evaluate", ATTACKS)])
def test_help_names_all_methods(name, methods):
    text = CliRunner(env={"COLUMNS": "250"}).invoke(app, [name, "--help"]).output
    assert all(method in text for method in methods)
