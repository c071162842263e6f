"""What --help promises works, and it comes at once."""

import os
import re
import subprocess
import sys

import pytest
from typer.main import get_command
from typer.testing import CliRunner

import levcert
from levcert.attacks import ATTACKS
from levcert.certifiers import CERTIFIERS
from levcert.cli.app import COMMANDS, app
from levcert.training.model_families import CONFIGURATIONS

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


def every_command(group=None, path=()):
    """All commands, those of groups inside the group included, with their names."""
    for name, command in (group or get_command(app)).commands.items():
        yield (*path, name), command
        if hasattr(command, "commands"):
            yield from every_command(command, (*path, name))


COMMANDS_BY_PATH = dict(every_command())


@pytest.mark.parametrize(("path", "command"), COMMANDS_BY_PATH.items(), ids=[*map(" ".join, COMMANDS_BY_PATH)])
def test_brackets_in_help_texts_are_shown(path, command):
    """What looks like markup to rich, such as levcert[train], must be escaped."""
    shown = CliRunner(env={"COLUMNS": "400"}).invoke(app, [*path, "--help"]).output
    for parameter in command.params:
        text = (getattr(parameter, "help", None) or "").replace("\\[", "[")
        for word in text.split():
            assert word in shown, f"{parameter.name}: {word}"


def test_the_extra_that_conv_needs_is_shown():
    shown = CliRunner(env={"COLUMNS": "250"}).invoke(app, ["train", "--help"]).output
    assert "needs levcert[train])" in shown


def test_a_flag_of_both_models_shows_the_help_of_each():
    shown = " ".join(CliRunner(env={"COLUMNS": "400"}).invoke(app, ["train", "--help"]).output.split())
    for family, kind in CONFIGURATIONS.items():
        assert f"{family}: {kind.__dataclass_fields__['learning_rate'].metadata['help']}" in shown
    assert shown.count(CONFIGURATIONS["votes"].__dataclass_fields__["epochs"].metadata["help"]) == 1
    assert "None" not in shown


def test_the_version():
    result = CliRunner().invoke(app, ["--version"])
    assert (result.exit_code, result.output) == (0, f"levcert {levcert.__version__}\n")


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
