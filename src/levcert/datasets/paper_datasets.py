"""The four datasets of the paper: from a local folder, or else from their publishers."""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import numpy as np

from levcert.datasets.dataset import Dataset, Split
from levcert.datasets.readers import Row, RowReader
from levcert.errors import InputError

DATA_VARIABLE: Final = "LEVCERT_DATA"


@dataclass(frozen=True)
class HubSource:
    """Where a dataset is on the Hugging Face hub, and the names of its parts."""

    path: str
    configuration: str | None = None
    text: str = "text"
    test: str = "test"


@dataclass(frozen=True)
class PaperDataset:
    """A dataset of the paper that is on the hub."""

    name: str
    labels: tuple[str, ...]
    hub: HubSource

    def __call__(self, data_dir: str | Path | None = None) -> Dataset:
        """Load ``data_dir/name/{train,test}.parquet``; without a folder, download from the hub."""
        folder = data_folder(self.name, data_dir)
        if folder is None:
            train, test = self._from_hub()
            source = f"Hugging Face hub, {self.hub.path}"
        else:
            train, test = (rows_as_split(RowReader(folder / f"{split}.parquet")) for split in ("train", "test"))
            source = str(folder)
        return Dataset(self.name, self.labels, train, test, source)

    def _from_hub(self) -> tuple[Split, Split]:
        advice = f"Set {DATA_VARIABLE} or --data-dir to the folder that contains {self.name}/train.parquet"
        try:
            import datasets
        except ImportError:
            raise InputError(
                f"The dataset {self.name} is not on this machine. {advice}, or install levcert[hub] to download it."
            ) from None
        try:
            rows = datasets.load_dataset(self.hub.path, self.hub.configuration)
        except Exception as error:  # the hub client raises errors from many libraries
            raise InputError(
                f"Cannot download the dataset {self.name} ({type(error).__name__}). "
                f"{advice}, or check your internet connection."
            ) from None
        train, test = (
            Split(list(rows[split][self.hub.text]), np.array(rows[split]["label"], dtype=np.int64))
            for split in ("train", self.hub.test)
        )
        return train, test


load_ag_news: Final = PaperDataset(
    "ag_news", ("World", "Sports", "Business", "Sci/Tech"), HubSource("fancyzhang/ag_news")
)
load_imdb: Final = PaperDataset("imdb", ("negative", "positive"), HubSource("stanfordnlp/imdb"))
load_sst2: Final = PaperDataset(
    "sst2", ("negative", "positive"), HubSource("nyu-mll/glue", "sst2", text="sentence", test="validation")
)

FAKE_NEWS_TEST_ROWS: Final = 1000


def load_fake_news(data_dir: str | Path | None = None) -> Dataset:
    """Load Kaggle's ``fake-news`` competition from ``data_dir/fake_news/train.csv``.

    As in the paper, the last 1,000 rows are the test split and missing texts become "nan".  Unlike in its code, the
    first training row is not part of the test split.
    """
    folder = data_folder("fake_news", data_dir)
    if folder is None:
        raise InputError(
            "The dataset fake_news is not on this machine. Download train.csv from Kaggle's competition 'fake-news' "
            f"and set {DATA_VARIABLE} or --data-dir to the folder that contains it as fake_news/train.csv."
        )
    path = folder / "train.csv"
    split = rows_as_split(RowReader(path, missing_text="nan"))
    if len(split) <= FAKE_NEWS_TEST_ROWS:
        raise InputError(f"{path} has only {len(split)} rows; Kaggle's file has 20,800. Download it again.")
    cut = len(split) - FAKE_NEWS_TEST_ROWS
    return Dataset(
        "fake_news",
        ("reliable", "unreliable"),
        split.take(slice(cut)),
        split.take(slice(cut, None)),
        str(folder),
    )


def rows_as_split(rows: Iterable[Row]) -> Split:
    """Collect rows whose labels are the numbers 0, 1 and so on."""
    texts, labels = [], []
    for row in rows:
        if row.label is None or not row.label.isdecimal():
            raise InputError(f"line {row.line}: the label {row.label!r} is not a class number (0, 1, …).")
        texts.append(row.text)
        labels.append(int(row.label))
    return Split(texts, np.array(labels, dtype=np.int64))


def data_folder(name: str, data_dir: str | Path | None) -> Path | None:
    """Return the folder of a dataset in ``data_dir`` or ``$LEVCERT_DATA``; None if neither is set or has it."""
    root = data_dir or os.environ.get(DATA_VARIABLE)
    if not root:
        return None
    if not Path(root).is_dir():
        raise InputError(f"The data folder {root} does not exist; check --data-dir and {DATA_VARIABLE}.")
    folder = Path(root) / name
    return folder if folder.is_dir() else None
