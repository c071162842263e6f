"""What newcomers tripped over, and must not again."""

import json
import subprocess
import sys

import pytest

import levcert
from levcert import InputError
from levcert.cli.app import COMMANDS
from levcert.kernels.compile import _Announcer


@pytest.fixture
def table(folder):
    """A file of 60 rows with two labels."""
    rows = [f"{word} {number},{label}" for label, word in (("a", "yes"), ("b", "no")) for number in range(30)]
    (folder / "rows.csv").write_text("\n".join(["text,label", *rows]))
    return folder / "rows.csv"


def test_train_says_which_rows_it_did_not_train_on(table, invoke):
    result = invoke("train", "rows.csv", "--target-distance", "1", "--epochs", "1", "-o", "m.safetensors")
    assert result.exit_code == 0, result.stderr
    counts = json.loads(invoke("train", "rows.csv", "--target-distance", "1", "--epochs", "1", "--json").stdout)["rows"]
    assert sum(counts.values()) == 60
    assert min(counts.values()) > 0
    held_out = f"{counts['validation']} for validation and {counts['test']} for test"
    assert f"trained on {counts['training']} rows; held out: {held_out}" in result.stdout


def test_tune_does_not_claim_all_rows(table, invoke):
    options = ("--orders", "2", "--temperatures", "1", "--table-bits", "12", "--epochs", "1", "--rows", "5")
    result = invoke("tune", "rows.csv", *options, "-o", "m.safetensors")
    assert result.exit_code == 0, result.stderr
    assert "all rows" not in result.stdout
    assert "for test" in result.stdout


@pytest.mark.parametrize(
    "command", [("report", "--rows", "5"), ("evaluate", "--max-distance", "1")], ids=lambda w: w[0]
)
def test_training_rows_are_not_taken_for_a_test(command, table, invoke):
    assert invoke("train", "rows.csv", "--epochs", "1", "-o", "m.safetensors").exit_code == 0
    name, *options = command
    result = invoke(name, "m.safetensors", "rows.csv", *options)
    assert result.exit_code == 0, result.stderr
    assert "rows.csv is the file that this model was trained on" in result.stderr
    table.with_name("other.csv").write_text(table.read_text() + "\nnew,a")
    assert "trained on" not in invoke(name, "m.safetensors", "other.csv", *options).stderr


@pytest.mark.parametrize("command", ["predict", "certify", "attack"])
def test_the_name_of_a_file_is_not_taken_for_a_text(command, table, invoke):
    result = invoke(command, "toy.safetensors", "rows.csv")
    assert result.exit_code == 2
    assert "write --file rows.csv" in result.stderr
    assert invoke("predict", "toy.safetensors", "no-such-file.csv").exit_code == 0  # a text like any other


@pytest.mark.parametrize("command", ["predict", "certify", "attack"])
def test_advice_about_columns_names_flags_that_the_command_has(command, table, invoke):
    result = invoke(command, "toy.safetensors", "--file", "rows.csv", "--text-column", "body")
    assert result.exit_code == 2
    assert "--text-column" in result.stderr
    assert "--label-column" not in result.stderr
    assert "--weight-column" not in result.stderr


def test_commands_that_print_results_have_json():
    from typer.main import get_command

    from levcert.cli.app import app

    group = get_command(app).commands
    for name in {command.__name__ for command in COMMANDS} - {
        "serve",
        "scan",
    }:  # which have a JSON API, and write a page
        assert any("--json" in parameter.opts for parameter in group[name].params), name
    for name, command in group["benchmark"].commands.items():
        assert name == "render" or any("--json" in parameter.opts for parameter in command.params), name


def test_the_report_as_json(table, invoke):
    assert invoke("train", "rows.csv", "--epochs", "1", "-o", "m.safetensors").exit_code == 0
    figures = json.loads(invoke("report", "m.safetensors", "rows.csv", "--rows", "5", "--json").stdout)
    assert figures["texts"] == 5
    assert figures["clean"] >= figures["verified"]["1"]


def test_the_report_says_of_which_rows_and_which_class(table, invoke):
    assert invoke("train", "rows.csv", "--epochs", "1", "-o", "m.safetensors").exit_code == 0
    assert "accuracy on 5 texts (5 of 60 rows;" in invoke("report", "m.safetensors", "rows.csv", "--rows", "5").stdout
    everything = invoke("report", "m.safetensors", "rows.csv", "--rows", "60", "--target", "a").stdout
    assert "recall of what is not 'a' on " in everything
    assert "--rows" not in everything


@pytest.mark.parametrize(
    ("call", "cure"),
    [
        (lambda: levcert.character_losses(len, "text"), "certify_callable"),
        (lambda: levcert.train(["some", "texts"]), "load_dataset"),
    ],
)
def test_wrong_things_are_explained(call, cure):
    with pytest.raises(InputError, match=cure):
        call()


def test_the_estimator_without_scikit_learn_names_the_cure():
    code = (
        "import sys; sys.modules['sklearn'] = None\n"
        "import levcert\n"
        "try:\n    levcert.LevenshteinClassifier\n"
        "except ModuleNotFoundError as error:\n    print(error)"
    )
    said = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert said.startswith("LevenshteinClassifier needs sklearn; install it with: pip install 'scikit-learn>=")


def test_compiling_is_announced_once_and_promises_nothing_false(capsys):
    announcer = _Announcer()
    announcer.on_start(None)
    announcer.on_start(None)
    said = capsys.readouterr().err
    assert said.count("\n") == 1
    assert "once" not in said  # another command compiles other kernels
