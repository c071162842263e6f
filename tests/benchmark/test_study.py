"""The declarations: every cell, every published value and every column has its counterpart."""

import re
import tomllib
from dataclasses import replace
from math import inf
from pathlib import Path

import pytest

from levcert.benchmark import cell_models
from levcert.benchmark.cell_models import configuration
from levcert.benchmark.measures.catalog import MEASURES
from levcert.benchmark.study import Study, load_study, matches, study_names
from levcert.benchmark.tables import make_table
from levcert.benchmark.untrained_models import MADE
from levcert.cli.commands.benchmark import _STUDIES
from levcert.datasets import load_dataset
from levcert.errors import InputError
from tests.benchmark.tiny_study import tiny_study

ALL = study_names()


def test_the_command_knows_every_study():
    assert tuple(_STUDIES) == ALL


def test_a_grid_is_the_product_of_its_axes():
    cells = tiny_study().cells
    assert [(cell.settings["p"], cell.settings["seed"]) for cell in cells] == [
        (p, seed) for p in (1, inf) for seed in (1, 2, 3)
    ]
    assert {measure["name"]: measure.get("texts") for measure in cells[0].measures} == {
        "clean": None,
        "lipslev": None,
        "exact": 5,
        "charmer": None,
    }
    assert "dataset" not in cells[0].training


@pytest.mark.parametrize("name", ALL)
def test_every_cell_can_be_configured_and_measured(name, monkeypatch):
    toy = load_dataset("toy")
    monkeypatch.setattr(cell_models, "dataset_for", lambda settings: replace(toy, name=settings["dataset"]))
    for cell in load_study(name).cells:
        assert {measure["kind"] for measure in cell.measures} <= set(MEASURES)
        if cell.settings["model"] not in MADE:
            assert configuration(cell)["seed"] == cell.settings["seed"]


@pytest.mark.parametrize("name", ALL)
def test_no_two_cells_are_the_same(name):
    settings = [repr(cell.settings) for cell in load_study(name).cells]
    assert len(settings) == len(set(settings))


def test_a_study_may_compare_with_what_was_published_for_another():
    study, main = load_study("differences"), load_study("main")
    assert study.published[-len(main.published) :] == main.published
    for cell in study.cells:
        assert any(matches(entry.where, cell.settings) for entry in study.published), cell.settings


@pytest.mark.parametrize("name", ALL)
def test_every_published_value_belongs_to_cells_and_is_shown(name):
    study = load_study(name)
    shown = {column["value"] for table in study.tables for column in table["columns"]}
    for entry in study.published[: len(study.declaration.get("published", []))]:  # its own come first
        assert any(matches(entry.where, cell.settings) for cell in study.cells), entry.where
        assert entry.values.keys() <= shown | {"brute force seconds"}
    for cell in study.cells:
        assert sum(matches(entry.where, cell.settings) for entry in study.published) <= 1


@pytest.mark.parametrize("name", ALL)
def test_remarks_are_written(name):
    assert 100 < len(load_study(name).summary) < 1300


def test_published_values_are_those_of_the_paper():
    main = {(e.where["dataset"], e.where["p"]): e.values for e in load_study("main").published}
    assert len(main) == 12
    assert main["ag_news", 2]["lipslev k=1"] == (38.80, 0.29)
    assert main["imdb", inf]["charmer k=2"] == (59.77, 4.81)
    assert main["fake_news", 1]["brute force seconds"] == (978.94, 15.91)
    larger = {e.where["p"]: e.values for e in load_study("larger-distances").published}
    assert larger[2]["lipslev k=10"] == (3.50, 1.71)
    smoothing = {(e.where["dataset"], e.where["p"]): e.values for e in load_study("smoothing").published}
    assert smoothing["imdb", 2]["smoothing as published k=0"] == (48.36, 36.43)
    regularisation = [e for e in load_study("regularisation").published if e.where.get("penalty") == 0.01]
    assert {e.where["p"]: e.values["G"][0] for e in regularisation} == {inf: 1.4, 1: 6.9, 2: 8.8}


def test_published_certificates_never_exceed_brute_force():
    """A typo in the published values would likely break the order that every row has."""
    for entry in load_study("main").published:
        value = {name: mean for name, (mean, _) in entry.values.items()}
        assert value["lipslev k=2"] <= value["lipslev k=1"] <= value["brute force k=1"] <= value["charmer k=1"]
        assert value["interval k=1"] <= value["brute force k=1"] <= value["clean"]


def test_the_study_in_the_documentation_can_be_run():
    page = (Path(__file__).resolve().parents[2] / "docs" / "benchmark.md").read_text()
    study = Study("mine", tomllib.loads(page.partition("```toml\n")[2].partition("```")[0]))
    assert len(study.cells) == 12
    for cell in study.cells:
        assert {measure["kind"] for measure in cell.measures} <= set(MEASURES)
    (table,) = (make_table(study, spec, []) for spec in study.tables)
    assert table.lines[0][:2] == ["SST-2, p=2", "paper"]
    assert all(name in page for name in ALL)


def test_an_unknown_study_is_refused():
    with pytest.raises(InputError, match=re.escape("There is no study 'nothing'; the studies are main,")):
        load_study("nothing")
