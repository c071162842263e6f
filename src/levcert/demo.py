"""What ``levcert demo`` shows: the embedded data, and how far apart texts are."""

from __future__ import annotations

import time

import numpy as np
from rich.table import Table

from levcert import Alphabet, Ball, edit_script, erp, levenshtein, load_dataset
from levcert.show import console, describe_dataset, table

PAIRS = (
    ("kitten", "sitting"),
    ("certified", "certifide"),
    ("free money", "fr3e m0ney"),
    ("İstanbul", "istanbul"),
)


def run_demo() -> None:
    """Load the embedded dataset and print its statistics and a few distances."""
    started = time.perf_counter()
    dataset = load_dataset("languages")
    describe_dataset(dataset)
    alphabet = Alphabet.from_corpus(str(text) for text in dataset.train.texts)
    console.print(distance_table(alphabet))
    console.print(f"Done in {time.perf_counter() - started:.1f} s.")


def distance_table(alphabet: Alphabet) -> Table:
    """Return Levenshtein and ERP distances of some pairs, the edits between them, and the size of the ball."""
    result = table(
        f"Distances  (alphabet of {alphabet.size} characters)",
        "text", "other text", ">Levenshtein", ">ERP, one-hot, p=2", "edits", ">texts within 2 edits",
    )  # fmt: skip
    one_hot = np.eye(alphabet.size + 1)
    for source, target in PAIRS:
        vectors = [one_hot[alphabet.encode(text)] for text in (source, target)]
        result.add_row(
            source,
            target,
            str(levenshtein(source, target)),
            f"{erp(*vectors, p=2):.2f}",
            "; ".join(map(str, edit_script(source, target))),
            f"{Ball(source, 2, alphabet).size:,}",
        )
    return result
