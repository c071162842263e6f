"""What ``levcert demo`` shows: the embedded data, some distances, a trained classifier and its certificates."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

import numpy as np
from rich.table import Table

from levcert import Alphabet, Ball, certify, edit_script, erp, levenshtein, load_dataset
from levcert.certificates.certificates import Certificates
from levcert.cli.console import console, describe_dataset, table

if TYPE_CHECKING:
    from levcert.datasets import Dataset
    from levcert.models.window import WindowModel

PAIRS = (
    ("kitten", "sitting"),
    ("certified", "certifide"),
    ("free money", "fr3e m0ney"),
    ("İstanbul", "istanbul"),
)


# Names are short: short n-grams, and a small table.
RECIPE = {"orders": (2, 4), "table_bits": 16, "epochs": 5}
CERTIFIED_TEXTS = 200


def run_demo(*, show: bool = True) -> dict[str, Any]:
    """Describe the embedded dataset, train a classifier on it, certify test texts; return the figures."""
    started = time.perf_counter()
    dataset = load_dataset("languages")
    if show:
        describe_dataset(dataset)
        console.print(distance_table(Alphabet.from_corpus(str(text) for text in dataset.train.texts)))
    model = trained(dataset, show=show)
    texts = list(dataset.test.texts[:CERTIFIED_TEXTS])
    truth = [dataset.labels[number] for number in dataset.test.labels[:CERTIFIED_TEXTS]]
    certificates = certify(model, texts)
    verified = {k: certificates.verified_accuracy(truth, k) for k in (0, 1, 2)}
    seconds = time.perf_counter() - started
    if show:
        console.print(certificate_table(certificates, truth))
        shares = ",  ".join(f"k={k}: {share}" for k, share in verified.items())
        console.print(f"Verified accuracy on {len(texts)} test texts, 95 % interval: {shares}")
        console.print(f"Done in {seconds:.0f} s.")
    return {
        "test_accuracy": model.training.test_accuracy,
        "certified_texts": len(texts),
        "verified_accuracy": {str(k): share.value for k, share in verified.items()},
        "seconds": seconds,
    }


def trained(dataset: Dataset, *, show: bool) -> WindowModel:
    """Train the demo's classifier and say how well it does."""
    from levcert.training.votes.config import VoteConfig
    from levcert.training.votes.train import train_votes

    model = train_votes(dataset, VoteConfig().changed(RECIPE), show_progress=show)
    metrics = model.training.metrics
    if show:
        console.print(f"Trained {model!r} in {metrics['seconds']:.0f} s; {metrics['test']:.1%} test accuracy.")
    return model


def certificate_table(certificates: Certificates, truth: list[str], shown: int = 8) -> Table:
    """Return the first certificates: the label, how many edits cannot change it, and one that does."""
    result = table("Certificates", "text", "label", "right", ">radius", "claim", "counterexample")
    for row, label in list(zip(certificates, truth, strict=True))[:shown]:
        script = "" if row.counterexample is None else "; ".join(map(str, edit_script(row.text, row.counterexample)))
        text = str(row.text) if len(row.text) <= 40 else f"{str(row.text)[:39]}…"
        result.add_row(text, row.label, "yes" if row.label == label else "no", str(row.radius), row.claim, script)
    return result


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


def letters_or_digits(texts: list[str]) -> list[str]:
    """Label texts by what they have more of: a classifier for the example of ``levcert scan``."""
    return ["digits" if 2 * sum(map(str.isdigit, text)) > len(text) else "letters" for text in texts]
