"""All datasets by name."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from levcert.datasets.dataset import Dataset
from levcert.datasets.from_files import dataset_from_files
from levcert.datasets.languages import load_languages
from levcert.datasets.paper_datasets import load_ag_news, load_fake_news, load_imdb, load_sst2
from levcert.datasets.security_datasets import load_enron_spam, load_phishing_urls, load_sms_spam
from levcert.datasets.toy import load_toy
from levcert.errors import InputError
from levcert.files.entry_points import looked_up


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
    "sms_spam": Entry("spam among text messages", load_sms_spam),
    "enron_spam": Entry("spam among mails", load_enron_spam),
    "phishing_urls": Entry("phishing among web addresses", load_phishing_urls),
}


def load_dataset(name: str | Path, data_dir: str | Path | None = None, **options: Any) -> Dataset:
    """Load a dataset by its name, or from your own file.

    ``data_dir`` (else ``$LEVCERT_DATA``) is the folder of the datasets that are not embedded.  Anything with a file
    ending is read as a file of rows: ``options`` are then those of :func:`dataset_from_files`, such as
    ``text_column`` and ``label_column``.

    Examples:
        >>> levcert.load_dataset("toy")
        <Dataset toy: 400 train, 100 test, 2 labels>
    """
    if is_file(name):
        return dataset_from_files(name, **options)
    entry = looked_up(str(name), "levcert.datasets", DATASETS, "dataset", ", or name a file")
    if options:
        raise InputError(f"The option {next(iter(options))!r} is for files; the dataset {name} has no such choice.")
    dataset: Dataset = entry.load(data_dir) if isinstance(entry, Entry) else entry(data_dir)
    return dataset


def is_file(name: str | Path) -> bool:
    """Say whether this names a file rather than a dataset."""
    return str(name) not in DATASETS and bool(Path(name).suffix)
