"""The site builds offline without a warning, loads nothing from elsewhere, has every command and public name."""

import importlib.util
import re
import subprocess
import sys
from pathlib import Path

import pytest
from typer.main import get_command

import levcert
from levcert.cli.app import app

ROOT = Path(__file__).resolve().parents[1]
mkdocs = pytest.importorskip("mkdocs", reason="the site needs levcert[docs]")


@pytest.fixture(scope="session")
def site(tmp_path_factory):
    folder = tmp_path_factory.mktemp("site")
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet", "--site-dir", folder]
    result = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False, timeout=200)
    assert result.returncode == 0, result.stdout + result.stderr
    return folder


def script(name):
    """Import a file of website/, which is not a package."""
    spec = importlib.util.spec_from_file_location(name, ROOT / "website" / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_no_page_loads_anything_from_elsewhere(site):
    for page in site.rglob("*.html"):
        text = page.read_text(encoding="utf-8")
        loaded = re.findall(r"<(?:script|img|iframe|source)[^>]*?\ssrc=[\"']?((?:https?:)?//[^\"' >]+)", text)
        loaded += [
            tag for tag in re.findall(r"<link[^>]*>", text) if re.search(r"https?://", tag) and "canonical" not in tag
        ]
        assert loaded == [], page.name


def test_tables_and_lists_are_such_on_the_site(site):
    """Python-Markdown needs a blank line before them, and shows them as text without one."""
    for page in site.rglob("*.html"):
        text = re.sub(r"<pre.*?</pre>", "", page.read_text(encoding="utf-8"), flags=re.DOTALL)
        assert not re.search(r"<p>[^<]*\|\s*-{3}", text), page.name
        assert not re.search(r"<p>(?:(?!</p>)[\s\S])*\n[-*] ", text), page.name


def test_every_public_name_is_in_the_reference(site):
    page = (site / "reference" / "api.html").read_text(encoding="utf-8")
    for name in levcert.__all__:
        value = getattr(levcert, name)
        assert f'id="{value.__module__}.{value.__qualname__}"' in page, name


def test_every_flag_of_every_command_is_in_the_reference(site):
    pages = script("generated_pages")
    text = pages.commands_page()
    for name, command in pages.every_command(get_command(app)):
        assert f"\n## {name}\n" in text
        for parameter in command.params:
            if parameter.param_type_name == "option" and parameter.name != "help":
                assert f"`{parameter.opts[-1]}`" in text, f"{name} {parameter.opts}"
    html = (site / "reference" / "commands.html").read_text(encoding="utf-8")
    assert html.count("<h2") == text.count("\n## ")


def test_the_groups_of_names_are_those_of_the_package():
    groups = script("generated_pages").groups_of_names()
    assert [name for names in groups.values() for name in names] == levcert.__all__


def test_the_moving_figure_is_what_its_script_draws():
    drawn = script("draw_published_bound")
    assert drawn.PATH.read_text(encoding="utf-8") == drawn.figure()
    edited = drawn.TEXT[: drawn.DELETED] + drawn.TEXT[drawn.DELETED + 1 :]
    taps = [[[(-1.0) ** j]] for j in range(drawn.TAPS)]
    model = levcert.ConvModel(levcert.Alphabet("ab"), [[1.0], [-1.0]], [taps], [[1.0], [0.0]])
    scores = model.scores([drawn.TEXT, edited])[:, 0].tolist()
    assert scores == [sum(drawn.window_scores(text)) for text in (drawn.TEXT, edited)]
    assert model.constants(2).max() == pytest.approx(drawn.BOUND)
    assert scores[0] - scores[1] > drawn.BOUND


def test_links_of_the_root_pages_lead_to_files():
    """On a forge: links of README and the docs are relative and lead somewhere."""
    for page in [*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")]:
        for target in re.findall(r"\]\((?!https?:|#|mailto:)([^)#\s]+)", page.read_text(encoding="utf-8")):
            assert (page.parent / target).exists() or target.startswith(("reference/", "../reference/")), (page, target)
