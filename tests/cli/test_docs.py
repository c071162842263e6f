"""The examples of the docs, run as a reader would: one page after the other, each in an empty folder."""

import re
import shlex
from pathlib import Path

import pytest

DOCS = Path(__file__).parents[2] / "docs"


def blocks(page, language):
    found = re.findall(
        rf"^```{language}\n(.*?)^```", (DOCS / page).read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE
    )
    assert found, f"{page} has no block of {language}"
    return found


@pytest.mark.parametrize("page", ["scikit-learn.md", "your-own-model.md", "extending.md", "interchange.md"])
def test_python_blocks_run(page, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    names = {}
    for block in blocks(page, "python"):
        exec(compile(block, page, "exec"), names)
    printed = capsys.readouterr().out
    for promised in re.findall(r"^print\(rows\[0\]\)  # (.*?)(?:…|$)", "\n".join(blocks(page, "python")), re.MULTILINE):
        assert promised in printed


def test_shell_blocks_about_evaders_run(shell, invoke, folder):
    said = ""
    for part in re.split(r"^(levcert [^|\n]*)$", "\n".join(blocks("evaders.md", "sh")), flags=re.MULTILINE):
        if re.fullmatch(r"levcert [^|\n]*", part):
            result = invoke(*shlex.split(part)[1:])
            assert result.exit_code == 0, f"{part}: {result.stderr}"
            said += result.stdout
        elif part.strip():
            assert shell(part).returncode == 0
    assert "on top of any number of look-alike swaps" in said
    for name in ("leet", "keyboard", "whitespace", "swedish"):
        assert f"of the profile {name}" in said


def test_shell_blocks_run(shell, invoke, folder):
    """Plain calls of levcert inside this process, which saves minutes; all else by bash."""
    script = "\n".join(blocks("command-line.md", "sh"))
    explained = 0
    for part in re.split(r"^(levcert [^|\n]*)$", script, flags=re.MULTILINE):  # plain calls, and what is between
        if re.fullmatch(r"levcert [^|\n]*", part):
            result = invoke(*shlex.split(part)[1:])
            assert result.exit_code == 0, f"{part}: {result.stderr}"
            explained += result.stdout.count("  meaning ")
        elif part.strip():
            result = shell(part)
            assert result.returncode == 0, f"{part}: {result.stderr}"
    assert explained == len(re.findall(r'^levcert certify \S+ "', script, re.MULTILINE))
    for name in ("mails.safetensors", "rows.parquet", "attacks.csv", "rows.csv"):
        assert (folder / name).stat().st_size


SPAM = (
    "win a free {} now",
    "claim your {} prize today",
    "you have won a {}, call to claim",
    "free {} waiting, text WIN",
)
HAM = (
    "see you at the {} tomorrow",
    "are you home? the {} is here",
    "I left my {} at work",
    "call me about the {} later",
)
THINGS = (
    "phone",
    "lunch",
    "meeting",
    "garden",
    "ticket",
    "holiday",
    "camera",
    "car",
    "book",
    "train",
    "house",
    "party",
)


def write_messages(path, things, spam=SPAM):
    rows = [(template.format(thing), "spam") for template in spam for thing in things]
    rows += [
        (f"{template.format(thing)}{end}", "ham") for template in HAM for thing in things for end in ("", " ok", "?")
    ]
    path.write_text("text,label\n" + "".join(f'"{text}",{label}\n' for text, label in rows), encoding="utf-8")


def test_the_walk_through_runs_on_a_generated_file(invoke, folder):
    """Spam is rare in it, as in life; a tenth of the things is in the test file only."""
    write_messages(folder / "train.csv", THINGS[:9])
    write_messages(folder / "test.csv", THINGS[9:] * 4)
    said = ""
    for command in "".join(blocks("stop-a-spammer.md", "sh")).splitlines():
        result = invoke(*shlex.split(command)[1:])
        assert result.exit_code == 0, f"{command}: {result.output}"
        said += result.stdout
    for promise in (
        "verified recall k=3",
        "cannot be made 'ham' with 3 edits",
        "label 'ham'",
        "2 of 2 requirements met",
    ):
        assert promise in said
    for name in ("spam.safetensors", "check.xml", "check.json", "report.html"):
        assert (folder / name).stat().st_size
    missed = invoke("check", "spam.safetensors", "test.csv", "--min-recall", "spam:9:0.99")
    assert missed.exit_code == 1
