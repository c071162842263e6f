"""Tables, figures and pages."""

import json
from dataclasses import replace

import pytest

from levcert.benchmark import results_page, tables_in_pages
from levcert.benchmark.document import Heading, Paragraph, Picture, html_page, latex, markdown, markdown_table
from levcert.benchmark.figures import Curve, curves, draw
from levcert.benchmark.result_rows import append_row
from levcert.benchmark.results_page import study_blocks, write_page
from levcert.benchmark.study import load_study, page_introduction, study_names
from levcert.benchmark.tables import Table, make_table
from levcert.benchmark.tables_as_json import write_claims
from levcert.benchmark.tables_in_pages import fill_places
from levcert.errors import InputError
from tests.benchmark.tiny_study import made_up_rows, tiny_study

STUDY = tiny_study()
SPEC = STUDY.tables[0]
VALUES = [
    {"clean": clean, "lipslev k=1": bound, "lipslev k=2": bound / 2}
    for clean, bound in ((80.0, 44.0), (81.0, 45.0), (82.0, 46.0))
]


def test_published_measured_and_difference_stand_below_each_other():
    table = make_table(STUDY, SPEC, made_up_rows(STUDY, VALUES))
    assert table.heads == ["", "", "clean", "k=1"]
    assert table.lines == [
        ["toy, p=1", "paper", "80.00 ± 0.50", "40.00 ± 1.00"],
        ["", "ours", "81.00 ± 1.00", "45.00 ± 1.00"],
        ["", "difference (standard error)", "+1.00 (0.68)", "+5.00 (0.91) ★"],
    ]
    assert table.notes == ["Not run: toy, p=∞."]


def test_what_was_not_run_says_so_with_the_reason():
    nothing = make_table(tiny_study(grid=[{**STUDY.declaration["grid"][0], "not_run": "no time"}]), SPEC, [])
    assert nothing.lines == [
        ["toy, p=1", "paper", "80.00 ± 0.50", "40.00 ± 1.00"],
        ["", "not run: no time", "", ""],
    ]
    assert nothing.notes == ["Not run (no time): toy, p=∞."]
    some = make_table(STUDY, SPEC, made_up_rows(STUDY, VALUES[:1]))
    assert some.lines[1][:2] == ["", "ours (1 of 3 seeds)"]
    assert make_table(STUDY, SPEC | {"short": True}, made_up_rows(STUDY, VALUES)).lines == [
        ["toy, p=1", "paper", "80.00", "40.00"],
        ["", "ours", "81.00", "45.00"],
    ]


def test_what_is_missing_as_a_whole_is_named_as_a_whole():
    (grid,) = STUDY.declaration["grid"]
    study = tiny_study(grid=[grid, {**grid, "dataset": "other", "not_run": "no data"}])
    table = make_table(study, SPEC | {"measured_only": True}, made_up_rows(study, VALUES))
    assert table.notes == ["Not run: toy, p=∞.", "Not run (no data): other."]


def test_lines_that_begin_alike_stand_together_and_unlike_ones_are_told_apart():
    (grid,) = STUDY.declaration["grid"]
    study = tiny_study(
        grid=[
            {**grid, "p": 1},
            {**grid, "p": 2, "dataset": "other"},
            {**grid, "p": 2},
            {**grid, "p": 2, "epochs": 2, "called": "twice as long"},
        ]
    )
    names = [line[0] for line in make_table(study, SPEC, made_up_rows(study, VALUES * 4)).lines if line[1] == "ours"]
    assert names == ["", "toy, p=2", "toy, p=2, twice as long", "other, p=2"]  # the first stands below the paper's


def test_what_a_table_does_not_ask_of_a_grid_makes_no_line():
    spec = SPEC | {"columns": [{"head": "search k=1", "value": "exact k=1"}]}
    table = make_table(STUDY, spec, made_up_rows(STUDY, VALUES))
    assert table.lines == []


def test_values_of_fewer_texts_are_noted():
    names = (("clean", "clean"), ("search k=1", "exact k=1"), ("k=2", "exact k=2"))
    spec = SPEC | {"columns": [{"head": head, "value": value} for head, value in names]}
    table = make_table(STUDY, spec, made_up_rows(STUDY, [{"exact k=1": 60.0}]))
    assert table.notes[0] == "toy: on the first 5 of these texts: search k=1, search k=2."


def test_a_measure_whose_name_begins_like_another_keeps_its_own_number_of_texts():
    measures = STUDY.declaration["measures"] | {"exact as well": {"kind": "accuracy"}}
    grid = [{**STUDY.declaration["grid"][0], "measures": ["exact as well", "exact"]}]
    study = tiny_study(measures=measures, grid=grid)
    spec = SPEC | {"columns": [{"head": "other", "value": "exact as well k=1"}]}
    table = make_table(study, spec, made_up_rows(study, [{"exact as well k=1": 60.0}] * 6))
    assert table.notes == []


def test_times_are_compared_by_their_ratio():
    study = tiny_study(published=[{"where": {"p": 1}, "values": {"lipslev seconds": [0.5, 0.1]}}])
    spec = SPEC | {"unit": "seconds", "columns": [{"head": "LipsLev", "value": "lipslev seconds"}]}
    table = make_table(study, spec, made_up_rows(study, [{"lipslev seconds": 0.0001}]))
    assert table.lines == [
        ["toy, p=1", "paper", "0.50 ± 0.10"],
        ["", "ours (1 of 3 seeds)", "0.00010"],
        ["", "paper ÷ ours", "5,000"],
    ]


BLOCKS = [
    Heading(2, "50 % & more"),
    Paragraph("**bold**, `code_1` and [a link](../x.md) < y"),
    Picture("A picture", "p/x.svg"),
    Table("t", "Title", ["", "", "k≤1"], [["a_b", "paper", "1 ± 2 ★"]], ["A note."]),
]


def test_markdown():
    text = markdown(BLOCKS)
    assert "## 50 % & more\n\n**bold**, `code_1`" in text
    assert "![A picture](p/x.svg)" in text
    assert "**Title**\n\n|  |  | k≤1 |\n| --- | --- | --- |\n| a_b | paper | 1 ± 2 ★ |\n\nA note.\n" in text


def test_html():
    text = html_page(BLOCKS)
    assert text.startswith("<!doctype html>")
    assert "<h2>50 % &amp; more</h2>" in text
    assert '<b>bold</b>, <code>code_1</code> and <a href="../x.md">a link</a> &lt; y' in text
    assert "<caption>Title</caption>" in text
    assert "<td>1 ± 2 ★</td>" in text


def test_latex():
    text = latex(BLOCKS)
    assert r"\subsection*{50 \% \& more}" in text
    assert r"\textbf{bold}, \texttt{code\_1} and a link < y" in text
    assert r"a\_b & paper & 1 $\pm$ 2 $\star$ \\" in text
    assert r"{p/x.png}" in text
    assert text.count(r"\begin{") == text.count(r"\end{") == 4


def test_curves_come_from_names_of_values_or_from_settings():
    rows = made_up_rows(STUDY, VALUES)
    (bound,) = curves(STUDY, STUDY.figures[0], rows)
    assert (bound.panel, bound.label, bound.points) == ("p=1", "bound", {1: 45.0, 2: 22.5})
    by_seed = STUDY.figures[0] | {"x": "seed", "curves": [{"label": "clean", "pattern": "clean"}]}
    assert curves(STUDY, by_seed, rows)[0].points == {1: 80.0, 2: 81.0, 3: 82.0}
    assert curves(STUDY, STUDY.figures[0] | {"where": {"seed": 4}}, rows) == []


def test_where_may_list_several_choices():
    rows = made_up_rows(STUDY, VALUES)
    chosen = STUDY.figures[0] | {
        "where": [{"seed": 1}, {"seed": 2}],
        "x": "seed",
        "curves": [{"label": "a", "pattern": "clean"}],
    }
    assert set(curves(STUDY, chosen, rows)[0].points) == {1, 2}


def test_a_figure_has_the_same_bits_twice(tmp_path):
    lines = curves(STUDY, STUDY.figures[0], made_up_rows(STUDY, VALUES))
    first = [path.read_bytes() for path in draw(STUDY.figures[0], lines, tmp_path / "a")]
    assert first == [path.read_bytes() for path in draw(STUDY.figures[0], lines, tmp_path / "b")]
    assert first[0].startswith(b"<?xml")
    assert first[1].startswith(b"\x89PNG")


def test_the_legend_names_a_curve_that_only_the_second_panel_has(tmp_path):
    lines = [Curve("p=1", "bound", {1: 50.0}), Curve("p=2", "bound", {1: 40.0}), Curve("p=2", "only here", {1: 30.0})]
    svg = draw(STUDY.figures[0], lines, tmp_path)[0].read_text()
    assert svg.count("<!-- only here -->") == 1


def test_a_page_has_remarks_tables_figures_rows_and_command(tmp_path):
    for row in made_up_rows(STUDY, VALUES):
        append_row(tmp_path / "results" / "tiny.jsonl", row)
    blocks = study_blocks(STUDY, tmp_path / "results", tmp_path / "docs" / "pictures", tmp_path / "docs", "more.md")
    text = markdown(blocks)
    rows = "[tiny.jsonl](../results/tiny.jsonl); the tables as JSON: [tiny.json](../results/tiny.json)"
    assert f"Rows: {rows}. Command: `levcert benchmark tiny`." in text
    assert "Nothing to say." in text
    own = markdown(study_blocks(STUDY, tmp_path / "results", tmp_path / "docs" / "pictures", tmp_path / "docs", None))
    assert own == text.replace("Nothing to say.\n\n", "")  # remarks are about our rows, not about yours
    assert "![A figure](pictures/benchmark-tiny.svg)" in text


def test_the_numbers_of_the_tables_lie_beside_the_rows(tmp_path):
    path = write_claims(STUDY, tmp_path / "tiny.jsonl", made_up_rows(STUDY, VALUES))
    assert path == tmp_path / "tiny.json"
    claims = json.loads(path.read_text())
    assert (claims["rows"], claims["command"]) == ("tiny.jsonl", "levcert benchmark tiny")
    (table,) = claims["tables"]
    first, second = table["lines"]
    assert (table["table"], first["line"], first["seeds"]) == ("tiny", "toy, p=1", [1, 2, 3])
    assert first["columns"]["k=1"] == {
        "published": 40.0,
        "published_deviation": 1.0,
        "measured": [44.0, 45.0, 46.0],
        "mean": 45.0,
        "deviation": 1.0,
        "difference": 5.0,
        "standard_error": 0.912871,
        "differs": True,
    }
    assert second == {"line": "toy, p=∞", "settings": second["settings"], "columns": {}}
    assert second["settings"]["p"] == "inf"
    assert "seed" not in second["settings"]


def test_numbers_say_why_a_line_was_not_run(tmp_path):
    study = tiny_study(grid=[{**STUDY.declaration["grid"][0], "not_run": "no data"}])
    first, second = json.loads(write_claims(study, tmp_path / "tiny.jsonl", []).read_text())["tables"][0]["lines"]
    assert first["columns"]["clean"] == {"published": 80.0, "published_deviation": 0.5}
    assert first["not_run"] == second["not_run"] == "no data"


def test_a_table_says_what_is_special_about_a_dataset():
    (grid,) = STUDY.declaration["grid"]
    study = tiny_study(grid=[{**grid, "dataset": "ag_news"}])
    note = "AG-News: trained on 89,008 of its 120,000 rows, those available to us."
    assert note in make_table(study, SPEC, made_up_rows(study, VALUES)).notes
    assert note not in make_table(study, SPEC, []).notes
    whole = [replace(row, training={"data": {"rows": 120_000}}) for row in made_up_rows(study, VALUES)]
    assert note not in make_table(study, SPEC, whole).notes
    assert note not in make_table(study, SPEC | {"unit": "seconds"}, made_up_rows(study, VALUES)).notes
    assert note not in make_table(STUDY, SPEC, made_up_rows(STUDY, VALUES)).notes


@pytest.mark.parametrize("ending", [".md", ".html", ".tex"])
def test_the_whole_page_is_written_in_every_format(tmp_path, monkeypatch, ending):
    monkeypatch.setattr(results_page, "study_names", lambda: ("tiny",))
    monkeypatch.setattr(results_page, "load_study", lambda name: STUDY)
    front = {"study": "tiny", "figure": "tiny", "table": SPEC["name"], "paragraph": "Look here first."}
    monkeypatch.setattr(results_page, "page_front", lambda: front)
    write_page(tmp_path / f"page{ending}", tmp_path, tmp_path, remarks=True)
    page = (tmp_path / f"page{ending}").read_text()
    assert page.index("Look here first.") < page.index("Tiny")
    assert "Nothing to say." in page
    assert "89,008" in page
    assert "same titles" in (tmp_path / f"page-explained{ending}").read_text()


def test_a_page_about_your_own_rows_has_none_of_our_remarks(tmp_path):
    (tmp_path / "results").mkdir()
    write_page(tmp_path / "page.md", tmp_path / "results", tmp_path)
    assert not (tmp_path / "page-explained.md").exists()
    page = (tmp_path / "page.md").read_text()
    assert "marks a difference" in page
    said = [*page_introduction(remarks=True), *(load_study(name).summary for name in study_names())]
    ours = [paragraph for paragraph in said if paragraph not in page_introduction(remarks=False)]
    assert len(ours) == len(study_names()) + 2
    assert [paragraph for paragraph in ours if paragraph in page] == []


def test_bad_paths_are_refused(tmp_path):
    with pytest.raises(InputError, match=r"ends in \.md, \.html, \.tex"):
        write_page(tmp_path / "page.pdf", tmp_path, tmp_path)
    with pytest.raises(InputError, match="Run a study first"):
        write_page(tmp_path / "page.md", tmp_path / "none", tmp_path)


def test_places_in_other_pages_are_filled(tmp_path, monkeypatch):
    monkeypatch.setattr(tables_in_pages, "study_names", lambda: ("tiny",))
    monkeypatch.setattr(tables_in_pages, "load_study", lambda name: STUDY)
    for row in made_up_rows(STUDY, VALUES):
        append_row(tmp_path / "tiny.jsonl", row)
    readme = tmp_path / "README.md"
    readme.write_text("Before\n<!-- table tiny -->\nold\n<!-- end -->\nAfter\n")
    fill_places(readme, tmp_path)
    table = markdown_table(make_table(STUDY, SPEC, made_up_rows(STUDY, VALUES)))
    filled = f"<!-- table tiny -->\n{table}\n\nNot run: toy, p=∞.\n<!-- end -->"
    assert readme.read_text() == f"Before\n{filled}\nAfter\n"
    readme.write_text("<!-- table other -->\n<!-- end -->")
    with pytest.raises(InputError, match="No study has a table 'other'"):
        fill_places(readme, tmp_path)
    readme.write_text("nothing")
    with pytest.raises(InputError, match="has no place for a table"):
        fill_places(readme, tmp_path)
