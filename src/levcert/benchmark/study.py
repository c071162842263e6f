"""A study is data: a grid of settings, what is measured in each, what was published, and how it is shown.

Every study is one TOML file in ``studies/``.  A list among the settings of a ``[[grid]]`` is an axis; the grid is the
product of its axes.  The settings ``dataset``, ``texts`` and ``model`` say what is measured, all others how a model is
trained.
"""

from __future__ import annotations

import math
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache, cached_property
from importlib import resources
from itertools import product
from typing import Any, Final

from levcert.errors import InputError

Settings = Mapping[str, Any]
NOT_TRAINING: Final = ("dataset", "texts", "model")  # all other settings are options of the training
_NOT_SETTINGS: Final = ("measures", "change", "not_run", "called")


@dataclass(frozen=True)
class Cell:
    """One model on one selection of texts: what one row of results is about."""

    study: str
    settings: dict[str, Any]
    measures: list[dict[str, Any]]  # each with its name, its kind and its options
    not_run: str | None = None  # why there is no row, if known
    called: str | None = None  # a name for tables, if the settings do not tell lines apart

    @property
    def training(self) -> dict[str, Any]:
        return {name: value for name, value in self.settings.items() if name not in NOT_TRAINING}

    def __str__(self) -> str:
        return f"{self.study}: " + ", ".join(f"{name} {shown(value)}" for name, value in self.settings.items())


@dataclass(frozen=True)
class Published:
    """Values of the paper for all cells with these settings: (mean, standard deviation or None)."""

    where: dict[str, Any]
    values: dict[str, tuple[float, float | None]]


@dataclass(frozen=True)
class Study:
    """What a declaration says."""

    name: str
    declaration: dict[str, Any]

    @property
    def title(self) -> str:
        return str(self.declaration["title"])

    @property
    def command(self) -> str:
        """The command that runs it."""
        return f"levcert benchmark {self.name}"

    @property
    def summary(self) -> str:
        """One hand-written paragraph for the results page: what agrees, what does not, and why."""
        return self._remarks[0]

    @property
    def explanations(self) -> list[str]:
        """The other hand-written paragraphs, for a page of their own: what was tried, and what came of it."""
        return self._remarks[1:]

    @property
    def _remarks(self) -> list[str]:
        return str(self.declaration["remarks"]).strip().split("\n\n")

    @property
    def tables(self) -> list[dict[str, Any]]:
        return list(self.declaration.get("tables", []))

    @property
    def page_tables(self) -> list[dict[str, Any]]:
        """The tables of the results page; the others have a place in another page."""
        return [table for table in self.tables if "place" not in table]

    @property
    def figures(self) -> list[dict[str, Any]]:
        return list(self.declaration.get("figures", []))

    @cached_property
    def cells(self) -> list[Cell]:
        return [cell for grid in self.declaration["grid"] for cell in self._expand(grid)]

    @cached_property
    def published(self) -> list[Published]:
        """The paper's values for this study, and those of the study it examines, if any."""
        own = [
            Published(entry["where"], {name: _mean_and_deviation(value) for name, value in entry["values"].items()})
            for entry in self.declaration.get("published", [])
        ]
        other = self.declaration.get("published_in")
        return own + (load_study(other).published if other else [])

    def _expand(self, grid: dict[str, Any]) -> Iterator[Cell]:
        settings = {name: value for name, value in grid.items() if name not in _NOT_SETTINGS}
        axes = [value if isinstance(value, list) else [value] for value in settings.values()]
        change: Mapping[str, dict[str, Any]] = grid.get("change", {})
        declared = self.declaration["measures"]
        measures = [{"name": name} | declared[name] | change.get(name, {}) for name in grid["measures"]]
        words = {name: grid.get(name) for name in ("not_run", "called")}
        for values in product(*axes):
            yield Cell(self.name, dict(zip(settings, values, strict=True)), measures, **words)


def matches(where: Settings | list[Settings], settings: Settings) -> bool:
    """Whether all settings that ``where`` names have its values; of a list, whether any entry matches."""
    if isinstance(where, list):
        return any(matches(entry, settings) for entry in where)
    return all(settings.get(name) == value for name, value in where.items())


def load_study(name: str) -> Study:
    """Read a declaration; the names are those of the files in ``studies/``."""
    if name not in study_names():
        raise InputError(f"There is no study {name!r}; the studies are {', '.join(study_names())}.")
    return Study(name, _declaration(name))


@cache
def study_names() -> tuple[str, ...]:
    """All studies: the paper's in its order, then ours."""
    return tuple(_declaration("order")["studies"])


def page_front() -> dict[str, str]:
    """What the results page opens with: a ``paragraph``, and a ``figure`` and a ``table`` of a ``study``."""
    return {name: str(value).strip() for name, value in _declaration("order")["front"].items()}


def page_introduction(remarks: bool) -> list[str]:
    """How to read the results page; with ``remarks``, also what is special about the rows of our repository."""
    order = _declaration("order")
    ours = () if remarks else order["introduction_remarks"]
    return [str(text).strip() for number, text in enumerate(order["introduction"]) if number not in ours]


def quick_rules() -> dict[str, Any]:
    """What ``--quick`` changes in every study."""
    return _declaration("quick")


def label(name: str, value: Any) -> str:
    """Write a setting for the first column of a table."""
    words = _declaration("order")
    return f"{words['labels'].get(name, name + ' ')}{words['names'].get(value, shown(value))}"


def dataset_note(name: str, trained_on: int) -> str | None:
    """Return the note for a table with measured lines of a dataset, whose models were trained on at most N rows."""
    entry = _declaration("order")["notes"].get(name)
    return None if entry is None or trained_on > entry["rows"] else str(entry["note"])


def shown(value: Any) -> str:
    """Write a setting for people."""
    if isinstance(value, float):
        return "∞" if value == math.inf else f"{value:g}"
    return str(value)


@cache
def _declaration(name: str) -> dict[str, Any]:
    text = resources.files("levcert.benchmark").joinpath("studies", f"{name}.toml").read_text(encoding="utf-8")
    return tomllib.loads(text)


def _mean_and_deviation(value: float | list[float]) -> tuple[float, float | None]:
    return (value[0], value[1]) if isinstance(value, list) else (float(value), None)
