"""Labelled texts: the embedded datasets, the paper's four, and your own files."""

from levcert.datasets.catalog import DATASETS, is_file, load_dataset
from levcert.datasets.dataset import Dataset, Split
from levcert.datasets.from_files import dataset_from_files
from levcert.datasets.readers import Row, RowReader

__all__ = ["DATASETS", "Dataset", "Row", "RowReader", "Split", "dataset_from_files", "is_file", "load_dataset"]
