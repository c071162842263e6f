"""The examples of the README and of the docs, run as a reader would: page by page, from the top, in an empty folder.

Python and shell blocks run.  A ``text`` block right after one of them is its output, with … for what may differ.  A
block that cannot run here has the line ``<!-- not run: REASON -->`` before it; then its flags must at least exist.
"""

import json
import re
import shlex
import tomllib
from contextlib import redirect_stdout
from dataclasses import dataclass
from io import StringIO
from pathlib import Path

import pytest
import yaml
from typer.main import get_command

from levcert.cli.app import app

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md"))]
LANGUAGES = {"python", "sh", "text", "toml", "json", "mermaid", "yaml"}
REASONS = {
    "installs", "needs files of yours", "needs the paper's datasets",
    "needs a cluster", "needs a GPU", "starts a server",
    "needs a running server", "takes minutes", "needs other packages",
}  # fmt: skip
_FENCE = re.compile(
    r"^(?:<!-- not run: (?P<reason>[^>]*) -->\n)?```(?P<language>.*)\n(?P<code>(?:.*\n)*?)```$", re.MULTILINE
)


@dataclass(frozen=True)
class Block:
    """A fenced block: where it is, what it is, and what should be printed."""

    place: str
    language: str
    code: str
    reason: str | None
    output: str | None = None


def blocks(page: Path, text: str | None = None) -> list[Block]:
    """Return the blocks of a page, with the text blocks that follow a program as its output."""
    text = page.read_text(encoding="utf-8") if text is None else text
    found: list[Block] = []
    end = None
    for match in _FENCE.finditer(text):
        place = f"{page.name}:{text.count(chr(10), 0, match.start()) + 1}"
        block = Block(place, match["language"], match["code"], match["reason"])
        if block.language == "text" and end is not None and not text[end : match.start()].strip():
            found[-1] = Block(
                *(getattr(found[-1], name) for name in ("place", "language", "code", "reason")), block.code
            )
        else:
            found.append(block)
        end = match.end() if block.language in ("python", "sh") else None
    return found


def runs(block: Block) -> bool:
    return block.language in ("python", "sh") and block.reason is None


# Its own test runs it, on generated files: tests/cli/test_stop_a_spammer.py.
ELSEWHERE = {"stop-a-spammer.md"}
WITH_PROGRAMS = [page for page in PAGES if page.name not in ELSEWHERE and any(map(runs, blocks(page)))]


@pytest.mark.parametrize("page", WITH_PROGRAMS, ids=[page.name for page in WITH_PROGRAMS])
def test_programs_run_and_print_what_the_page_shows(page, shell, invoke, folder):
    names: dict[str, object] = {}
    for block in filter(runs, blocks(page)):
        printed = run_python(block, names) if block.language == "python" else run_shell(block, shell, invoke)
        if block.output is not None:
            wanted = ".*".join(re.escape(part.strip()) for part in block.output.split("…"))
            tidy = "\n".join(line.rstrip() for line in printed.splitlines())
            assert re.fullmatch(wanted, tidy.strip(), re.DOTALL), f"{block.place} prints:\n{printed}"


def run_python(block, names):
    with redirect_stdout(StringIO()) as printed:
        exec(compile(block.code, block.place, "exec"), names)
    return printed.getvalue()


def run_shell(block, shell, invoke):
    """Run plain calls of levcert inside this process, which saves minutes, and all else by bash."""
    printed = ""
    for part in re.split(r"^(levcert [^|<>&\n]*)$", block.code, flags=re.MULTILINE):
        if re.fullmatch(r"levcert [^|<>&\n]*", part):
            result = invoke(*shlex.split(part, comments=True)[1:])
            assert result.exit_code == 0, f"{block.place}: {part}: {result.stderr} {result.exception!r}"
        elif part.strip():
            result = shell(part)
            assert result.returncode == 0, f"{block.place}: {part}: {result.stderr}"
        else:
            continue
        printed += result.stdout
    return printed


@pytest.mark.parametrize("page", PAGES, ids=[page.name for page in PAGES])
def test_blocks_say_what_they_are(page):
    for block in blocks(page):
        assert block.language in LANGUAGES, f"{block.place}: write one of {LANGUAGES} after the backticks"
        assert block.reason is None or block.language in ("python", "sh"), f"{block.place}: only programs can be marked"
        assert block.reason is None or block.reason in REASONS, f"{block.place}: {block.reason} is not a known reason"
        if block.language == "toml":
            tomllib.loads(block.code)
        if block.language == "json":
            json.loads(block.code)
        if block.language == "yaml":
            assert yaml.safe_load(block.code)
    marks = re.findall(r"^<!-- not run:", page.read_text(encoding="utf-8"), re.MULTILINE)
    assert len(marks) == sum(block.reason is not None for block in blocks(page)), "a mark is not right before a block"


@pytest.mark.parametrize("page", PAGES, ids=[page.name for page in PAGES])
def test_commands_that_cannot_run_here_have_flags_that_exist(page):
    for block in blocks(page):
        if block.language == "sh" and block.reason is not None:
            for line in block.code.replace("\\\n", " ").splitlines():
                check_flags(line, block.place)


def check_flags(line, place):
    words = shlex.split(line, comments=True)
    starts = [number for number, word in enumerate(words) if Path(word).name == "levcert" and number + 1 < len(words)]
    for start in starts:
        command = get_command(app)
        for word in words[start + 1 :]:
            if word in getattr(command, "commands", {}):
                command = command.commands[word]
            elif word in ("|", "&&", ";", "&"):
                break
            elif word.startswith("--"):
                flags = {flag for parameter in command.params for flag in (*parameter.opts, *parameter.secondary_opts)}
                assert word.partition("=")[0] in flags, f"{place}: {command.name} has no {word}"
        assert not hasattr(command, "commands") or command.name in ("benchmark",), f"{place}: {line} names no command"


def test_the_marks_are_seen():
    page = Path("x.md")
    text = (
        "```python\nprint(1)\n```\n```text\n1\n```\n\n<!-- not run: installs -->\n```sh\npip\n```\n```text\nfree\n```\n"
    )
    ran, marked = blocks(page, text)
    assert (ran.output, runs(ran)) == ("1\n", True)
    assert (marked.reason, marked.output, runs(marked)) == ("installs", "free\n", False)


def test_a_flag_that_does_not_exist_is_seen():
    check_flags("levcert train toy --epochs 3  # --nonsense", "here")
    with pytest.raises(AssertionError, match="train has no --nonsense"):
        check_flags("cat x | levcert train toy --nonsense 3", "here")
