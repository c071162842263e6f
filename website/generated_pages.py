"""Pages of the site that are made from the code: commands, public names, and the files at the root of the repository.

MkDocs calls the functions ``on_…`` (``hooks`` in mkdocs.yml).  Pages in docs/ link to files of the repository as a
forge shows them (``../CONTRIBUTING.md``); on the site these links lead to the generated pages.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, get_args

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page
from typer.main import get_command

ROOT = Path(__file__).resolve().parents[1]
# Files at the root that are pages of the site.
PAGE_OF = {"CONTRIBUTING.md": "contributing.md", "CHANGELOG.md": "changelog.md", "SECURITY.md": "security.md"}


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the generated pages to those of docs/."""
    pages = {"reference/commands.md": commands_page(), "reference/api.md": api_page()}
    pages["examples.md"] = examples_page()
    for name, page in PAGE_OF.items():
        if (ROOT / name).exists():
            pages[page] = root_page(name)
    for page, text in pages.items():
        files.append(File.generated(config, page, content=text))
    return files


def on_page_markdown(markdown: str, page: Page, config: MkDocsConfig, files: Files) -> str:
    """Let links of docs/*.md to files at the root lead to their pages; other files are named without a link."""
    for name, target in (PAGE_OF | {"README.md": "index.md"}).items():
        markdown = markdown.replace(f"](../{name}", f"]({target}")
    if page.parent is None:  # a page that is a tab of its own has no neighbours to list
        page.meta.setdefault("hide", ["navigation"])
    markdown = re.sub(r"\[([^\]]+)\]\(\.\./[^)]*\)", r"\1", markdown)  # rows and sources are not on the site
    return with_blank_lines(markdown)


_BLOCK = re.compile(r"\||[-*] |\d+\. ")  # a row of a table, or an item of a list


def with_blank_lines(markdown: str) -> str:
    """Put a blank line before each table and list; a forge does not need it, Python-Markdown does."""
    lines: list[str] = []
    fenced = False
    for line in markdown.split("\n"):
        before = lines[-1] if lines else ""
        starts = _BLOCK.match(line)
        if starts and not fenced and before.strip() and not before.startswith((" ", "|")) and not _BLOCK.match(before):
            lines.append("")
        if line.startswith("```"):
            fenced = not fenced
        lines.append(line)
    return "\n".join(lines)


def on_page_content(html: str, page: Page, config: MkDocsConfig, files: Files) -> str:
    """Take the roles of docstrings (:meth: and the like) off; what they name is code."""
    return re.sub(r":(?:func|meth|class):(<code>)", r"\1", html)


def root_page(name: str) -> str:
    """Return a file of the root as a page: its links lead to pages instead of files."""
    text = (ROOT / name).read_text(encoding="utf-8").replace("](docs/", "](")
    for other, target in (PAGE_OF | {"README.md": "index.md"}).items():
        text = text.replace(f"]({other}", f"]({target}")
    return text


def examples_page() -> str:
    """Return the scripts of examples/ with what their first lines say."""
    parts = [
        "# Examples\n\nScripts that draw, from the folder `examples/`; each runs without a download. The notebook "
        "`examples/first-steps.ipynb` is there, too. The tests run all of them."
    ]
    for path in sorted((ROOT / "examples").glob("plot_*.py")):
        text = path.read_text(encoding="utf-8")
        title, _, about = (ast.get_docstring(ast.parse(text)) or "").partition("\n")
        code = text.partition('"""\n\n')[2].strip()
        parts.append(f"## {title}\n\n{about.strip()}\n\n```python\n{code}\n```\n\n`{path.name}`")
    return "\n\n".join(parts) + "\n"


# The command line

_CONTROL = {"help", "install_completion", "show_completion"}


def every_command(group: Any, path: tuple[str, ...] = ("levcert",)) -> Iterator[tuple[str, Any]]:
    """Give all commands with their full names, in the order of --help; a group comes before its commands."""
    for name, command in group.commands.items():
        yield " ".join((*path, name)), command
        if hasattr(command, "commands"):
            yield from every_command(command, (*path, name))


def commands_page() -> str:
    """Return the reference of all commands, as --help has it."""
    from levcert.cli.app import app

    parts = [
        "# Commands\n\nGenerated from the commands: `levcert COMMAND --help` shows the same. "
        "[The command line](../command-line.md) shows how to use them together."
    ]
    first: dict[str, str] = {}
    for name, command in every_command(get_command(app)):
        about, _, example = (command.help or "").partition("Example: ")
        usage = " ".join([name, *(_metavar(p) for p in command.params if p.param_type_name == "argument")])
        parts.append(f"## {name}\n\n{_plain(about)}\n\n```text\n{usage} [OPTIONS]\n```")
        if example:
            parts.append(f"Example:\n\n```text\n{example.strip()}\n```")
        rows = "\n".join(_row(parameter) for parameter in command.params if parameter.name not in _CONTROL)
        if rows in first:  # the studies of the benchmark all have the same options
            parts.append(f"Options: those of [`{first[rows]}`](#{first[rows].replace(' ', '-')}).")
        elif rows:
            first[rows] = name
            parts.append(f"| | meaning | default |\n|---|---|---|\n{rows}")
    return "\n\n".join(parts) + "\n"


def _metavar(argument: Any) -> str:
    name = (argument.metavar or argument.name).upper()
    return (name if argument.required else f"[{name}]") + ("..." if argument.nargs == -1 else "")


def _row(parameter: Any) -> str:
    if parameter.param_type_name == "argument":
        name = f"`{(parameter.metavar or parameter.name).upper()}`"
    else:
        name = ", ".join(f"`{flag}`" for flag in [*parameter.opts, *parameter.secondary_opts])
    choices = [choice for choice in get_args(parameter.type_descriptor.annotation) if isinstance(choice, str)]
    meaning = _plain(getattr(parameter, "help", None) or "")
    if choices:
        listed = ", ".join(f"`{choice}`" for choice in choices)
        meaning = f"{meaning} One of {listed}."
    return f"| {name} | {meaning.strip().replace('|', chr(92) + '|')} | {_default(parameter)} |"


def _default(parameter: Any) -> str:
    value = parameter.default
    if value is None or callable(value) or value in ((), [], "", False) or "Sentinel" in type(value).__name__:
        return ""
    return f"`{value}`"


def _plain(text: str) -> str:
    """Undo what is written for the terminal: escaped brackets, and marks of paragraphs."""
    return text.replace("\\[", "[").replace("\b", "").strip()


# The public names

_GROUP = re.compile(r"^    # (.+)$|^    \"(\w+)\": \"", re.MULTILINE)


def groups_of_names() -> dict[str, list[str]]:
    """Return the public names by the headings that levcert/__init__.py gives them."""
    source = (ROOT / "src" / "levcert" / "__init__.py").read_text(encoding="utf-8").partition("_MODULE_OF = {")[2]
    groups: dict[str, list[str]] = {}
    for heading, name in _GROUP.findall(source.partition("\n}\n")[0]):
        if heading:
            groups[heading] = []
        else:
            groups[[*groups][-1]].append(name)
    return groups


def api_page() -> str:
    """Return the reference of the public names; mkdocstrings fills it from their docstrings."""
    import levcert

    parts = [
        "# Python\n\nEvery public name, with its docstring. Names are imported from `levcert` itself: "
        "`from levcert import certify`. Other modules may change without notice."
    ]
    for heading, names in groups_of_names().items():
        parts.append(f"## {heading}")
        for name in names:
            value = getattr(levcert, name)
            parts.append(f"::: {value.__module__}.{value.__qualname__}\n    options:\n      heading_level: 3")
    return "\n\n".join(parts) + "\n"
