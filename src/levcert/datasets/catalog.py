"""All datasets by name."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from levcert.datasets.dataset import Dataset
from levcert.datasets.languages import load_languages
from levcert.datasets.paper_datasets import load_ag_news, load_fake_news, load_imdb, load_sst2
from levcert.datasets.toy import load_toy
from levcert.errors import InputError


@dataclass(frozen=True)
class Entry:
    """A dataset's description, and how to load it from a data folder (embedded datasets need none)."""

    description: str
    load: Callable[[str | Path | None], Dataset]


DATASETS: Final[dict[str, Entry]] = {
    "languages": Entry("which of 16 languages a text of names is in (embedded)", lambda _: load_languages()),
    "toy": Entry("letters or digits (embedded, for tests)", lambda _: load_toy()),
    "ag_news": Entry("topic of a news item, 4 classes", load_ag_news),
    "sst2": Entry("sentiment of a phrase about a film", load_sst2),
    "imdb": Entry("sentiment of a film review", load_imdb),
    "fake_news": Entry("reliable or unreliable news (Kaggle)", load_fake_news),
}


def load_dataset(name: str, data_dir: str | Path | None = None) -> Dataset:
    """Load a dataset by its name; ``data_dir`` (else ``$LEVCERT_DATA``) holds those that are not embedded."""
    if name not in DATASETS:
        raise InputError(f"There is no dataset {name!r}; there are {', '.join(DATASETS)}.")
    return DATASETS[name].load(data_dir)
