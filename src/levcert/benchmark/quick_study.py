"""The quick variant of a study: the same code on little data, for tests and for a first look."""

from __future__ import annotations

from dataclasses import replace

from levcert.benchmark.study import Cell, Study, quick_rules
from levcert.datasets.paper_datasets import data_folder


def quick_cells(study: Study) -> list[Cell]:
    """One seed, few texts, small networks and few epochs; the embedded dataset in place of a missing one."""
    rules = quick_rules()
    cells: list[Cell] = []
    for cell in study.cells:
        settings = cell.settings | rules["training"].get(cell.settings["model"], {})
        for name, most in rules["at_most"].items():
            if isinstance(settings.get(name), int | float):
                settings[name] = min(settings[name], most)
        settings["dataset"] = _available(settings["dataset"], rules["dataset"])
        words = settings["texts"].split()
        settings["texts"] = " ".join(str(rules["texts"]) if word.isdecimal() else word for word in words)
        measures = [
            measure | {"texts": rules["texts"]} if measure["kind"] != "accuracy" else measure
            for measure in cell.measures
        ]
        quick = replace(cell, settings=settings, measures=measures)
        if cell.settings.get("seed", 1) == 1 and all(quick.settings != other.settings for other in cells):
            cells.append(quick)
    return cells


def _available(name: str, otherwise: str) -> str:
    """Keep a dataset that is in the data folder; a first look downloads nothing."""
    return name if name == "abab" or data_folder(name, None) is not None else otherwise
