"""Groups of flags: every flag reaches its group, every command shows it, and no two commands explain it differently."""

from dataclasses import dataclass
from typing import Annotated, ClassVar

import pytest
import typer
from typer.testing import CliRunner

from levcert.cli.app import app
from levcert.cli.flag_groups import with_flag_groups
from levcert.errors import InputError


@dataclass(frozen=True)
class Box:
    """A group with an argument, a flag and a check."""

    PANEL: ClassVar = "The box"

    name: Annotated[str, typer.Argument(help="Its name.")]
    size: Annotated[int, typer.Option(help="Its size.")] = 3

    def __post_init__(self) -> None:
        if self.size < 0:
            raise InputError("size must be at least 0.")


@pytest.fixture
def command():
    made = typer.Typer()
    seen = []

    @made.command()
    @with_flag_groups
    def show(box: Box, *, loud: bool = False) -> None:
        """Show a box."""
        seen.append((box, loud))

    return made, seen


def test_a_command_gets_the_object(command):
    made, seen = command
    assert CliRunner().invoke(made, ["a", "--size", "5", "--loud"]).exit_code == 0
    assert CliRunner().invoke(made, ["b"]).exit_code == 0
    assert seen == [(Box("a", 5), True), (Box("b"), False)]


def test_a_missing_argument_and_a_failed_check_stop_before_the_command(command):
    made, seen = command
    assert CliRunner().invoke(made, []).exit_code == 2
    assert isinstance(CliRunner().invoke(made, ["a", "--size", "-1"]).exception, InputError)
    assert seen == []


def test_help_shows_a_group_under_its_heading(command):
    shown = CliRunner().invoke(command[0], ["--help"]).output
    assert "The box" in shown
    assert shown.index("The box") < shown.index("--size")
    assert shown.index("--loud") < shown.index("The box")


def test_one_flag_has_one_help_text_in_all_commands_on_rows():
    """What ``--file`` or ``--workers`` means does not depend on the command."""
    commands = typer.main.get_command(app).commands
    helps: dict[str, set[str | None]] = {}
    for name in ("predict", "certify", "attack", "evaluate", "check", "report", "scan"):
        for parameter in commands[name].params:
            if parameter.param_type_name == "option" and parameter.name not in _OF_ONE_COMMAND:
                helps.setdefault(parameter.name, set()).add(parameter.help)
    assert {name: texts for name, texts in helps.items() if len(texts) > 1} == {}
    assert {"text_column", "workers", "operations", "trusted_key"} <= set(helps)


_OF_ONE_COMMAND = {"output", "rows", "max_distance", "method", "help"}  # these say what the command does with them
