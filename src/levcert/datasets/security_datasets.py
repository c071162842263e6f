"""Texts that people really try to sneak past a classifier: spam in messages and mails, and phishing addresses.

None of them has an official split, and none may be redistributed with levcert: they are read from a local folder only.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Final

from levcert.datasets.dataset import Dataset
from levcert.datasets.paper_datasets import DATA_VARIABLE, data_folder, rows_as_split
from levcert.datasets.readers import RowReader
from levcert.errors import InputError


@dataclass(frozen=True)
class LocalDataset:
    """A dataset of two parquet files with the columns text and label; label 1 is the class that evades."""

    name: str
    labels: tuple[str, str]
    origin: str  # where to get it

    def __call__(self, data_dir: str | Path | None = None) -> Dataset:
        """Load ``data_dir/name/{train,test}.parquet``."""
        folder = data_folder(self.name, data_dir)
        if folder is None:
            raise InputError(
                f"The dataset {self.name} is not on this machine. Get {self.origin}, split it into train.parquet and "
                f"test.parquet with the columns text and label (0: {self.labels[0]}, 1: {self.labels[1]}), and set "
                f"{DATA_VARIABLE} or --data-dir to the folder that contains them in {self.name}/."
            )
        train, test = (rows_as_split(RowReader(folder / f"{split}.parquet")) for split in ("train", "test"))
        return Dataset(self.name, self.labels, train, test, str(folder))


load_sms_spam: Final = LocalDataset("sms_spam", ("ham", "spam"), "the SMS Spam Collection (Almeida et al. 2011)")
load_enron_spam: Final = LocalDataset("enron_spam", ("ham", "spam"), "set 1 of Enron-Spam (Metsis et al. 2006)")
load_phishing_urls: Final = LocalDataset(
    "phishing_urls", ("legitimate", "phishing"), "Ebbu2017 (Sahingoz et al. 2019), and keep each site in one split"
)
