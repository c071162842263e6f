"""What ``levcert demo`` prints: the main claim, certificates with the edits that break them, and what to try next."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any, Final

from rich.text import Text as Styled

from levcert import certify, load_dataset
from levcert.certificates.certificate import Certificate
from levcert.certificates.certificates import Certificates
from levcert.cli.console import console, print_certificate

if TYPE_CHECKING:
    from levcert.datasets import Dataset
    from levcert.models.window import WindowModel

OPENING: Final = "A label with a proof: no k typos, of any kind and anywhere in the text, change it."
NEXT: Final = (
    ("levcert train mails.csv -o mails.safetensors", "texts and labels from a csv file"),
    ('levcert certify mails.safetensors "win a free phone"', "how many edits cannot change the label"),
    ("levcert serve mails.safetensors", "a page to try it on"),
)

# Names are short: short n-grams, and a small table.
RECIPE = {"orders": (2, 4), "table_bits": 16, "epochs": 5, "calibration": "none"}
CERTIFIED_TEXTS = 200


def run_demo(*, show: bool = True) -> dict[str, Any]:
    """Train a classifier on the embedded dataset, certify test texts and show what that means; return the figures."""
    started = time.perf_counter()
    dataset = load_dataset("languages")
    if show:
        console.print(Styled(OPENING, style="bold"), soft_wrap=True)
        what = f"Training a classifier of {len(dataset.labels)} languages on {len(dataset.train):,} embedded texts"
        console.print(f"{what}, without torch or a download …", soft_wrap=True)
    model = trained(dataset, show=show)
    texts = list(dataset.test.texts[:CERTIFIED_TEXTS])
    truth = [dataset.labels[number] for number in dataset.test.labels[:CERTIFIED_TEXTS]]
    certificates = certify(model, texts)
    verified = {k: certificates.verified_accuracy(truth, k) for k in (0, 1, 2)}
    seconds = time.perf_counter() - started
    if show:
        for row in telling(certificates, truth):
            print_certificate(row)
        correct, one, two = verified.values()
        console.print(
            f"Of {len(texts)} test texts, {correct.value:.1%} are labelled correctly; {one.value:.1%} provably stay so "
            f"under any single edit, and {two.value:.1%} under any two. Done in {seconds:.0f} s.",
            soft_wrap=True,
        )
        console.print(Styled("Next, with your own data:", style="bold"))
        for command, meaning in NEXT:
            console.print(Styled.assemble(f"  {command:<62}", (meaning, "dim")), soft_wrap=True)
    return {
        "test_accuracy": model.training.test_accuracy,
        "certified_texts": len(texts),
        "verified_accuracy": {str(k): share.value for k, share in verified.items()},
        "seconds": seconds,
    }


def telling(certificates: Certificates, truth: list[str], shown: int = 3) -> list[Certificate]:
    """Return texts with the right label, an exact radius above 0 and their counterexample; the first of each radius."""
    found: dict[int, Certificate] = {}
    for row, label in zip(certificates, truth, strict=True):
        if row.label == label and row.claim == "exact" and row.radius > 0:
            found.setdefault(row.radius, row)
    return [found[radius] for radius in sorted(found)][:shown]


def trained(dataset: Dataset, *, show: bool) -> WindowModel:
    """Train the demo's classifier and say how well it does."""
    from levcert.training.votes.config import VoteConfig
    from levcert.training.votes.train import train_votes

    model = train_votes(dataset, VoteConfig().changed(RECIPE), show_progress=show)
    metrics = model.training.metrics
    if show:
        console.print(f"Trained {model!r} in {metrics['seconds']:.0f} s; {metrics['test']:.1%} test accuracy.")
    return model


def letters_or_digits(texts: list[str]) -> list[str]:
    """Label texts by what they have more of: a classifier for the example of ``levcert scan``."""
    return ["digits" if 2 * sum(map(str.isdigit, text)) > len(text) else "letters" for text in texts]
