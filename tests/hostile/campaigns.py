"""Mutated files by the thousand: nothing but InputError, no false certificate; how much memory and time it takes."""

from __future__ import annotations

import gzip
import json
import resource
import time
import traceback
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import partial
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

import levcert
from levcert import Alphabet, Certificate, Certificates, ConvModel, Dataset, InputError, Split, VoteModel
from levcert.certificates.audit import audit, read_classifier
from levcert.datasets import RowReader
from levcert.text.ball import Ball
from levcert.training.votes import train as votes_module
from tests.hostile.hand_made import hostile_models
from tests.hostile.mutations import mutated_bytes, mutated_header

TEXTS = ["", "a", "abc", "cabba", "bbbbbb"]


@dataclass
class Tally:
    """What became of the files."""

    name: str
    outcomes: Counter[str] = field(default_factory=Counter)
    unexpected: list[str] = field(default_factory=list)  # exceptions that users would see as tracebacks
    wrong: list[str] = field(default_factory=list)  # refuted certificates, checkpoints that train another model
    longest: float = 0.0

    def judge(self, what: str, use: Callable[[], str]) -> None:
        """Use a file, and count what happens."""
        started = time.perf_counter()
        try:
            self.outcomes[use()] += 1
        except InputError:
            self.outcomes["refused"] += 1
        except Exception:
            self.unexpected.append(f"{what}: {traceback.format_exc(limit=-3)}")
        self.longest = max(self.longest, time.perf_counter() - started)

    def __str__(self) -> str:
        megabytes = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
        shown = [*self.unexpected[:5], *self.wrong[:5]]
        return "\n".join(
            [
                f"{self.name}: {dict(self.outcomes)}, unexpected exceptions "
                f"{len(self.unexpected)}, wrong {len(self.wrong)}, "
                f"longest {self.longest:.2f} s, peak memory of the process {megabytes} MB",
                *shown,
            ]
        )


def _models() -> list[levcert.WindowModel]:
    rng = np.random.default_rng(0)
    letters = Alphabet("abc")
    sparse = np.zeros((2, 4096, 2), np.int8)
    sparse[:, ::50] = rng.integers(-100, 101, (2, 82, 2))
    return [
        VoteModel(letters, sparse, [1, 2], training={"metrics": {"test": 0.5}}),
        VoteModel(letters, rng.integers(-9, 10, (1, 4096, 3)).astype(np.int8), [2]),
        ConvModel(letters, rng.normal(size=(3, 2)), [rng.normal(size=(2, 3, 2))], rng.normal(size=(2, 3))),
        ConvModel(
            Alphabet("abc", unknown="symbol"), rng.normal(size=(4, 2)),
            [rng.normal(size=(2, 3, 2)), rng.normal(size=(2, 2, 3))], rng.normal(size=(2, 2)), activation="tanh",
        ),
    ]  # fmt: skip


def _use_model(path: Path, tally: Tally, what: str) -> str:
    """Read a model, and check its certificates against every text of the balls."""
    model = levcert.load(path)
    model.predict(TEXTS)
    if model.alphabet.size > 20:
        return "read"
    for method in ("auto", "lipschitz"):
        for row in levcert.certify(model, TEXTS, method, max_distance=1, budget=2.0):
            if row.radius >= 1:
                ball = list(Ball(row.text, 1, model.alphabet))
                if set(model.predict(ball)) != {row.label}:
                    tally.wrong.append(f"{what}: {method} {row}")
    return "read and certified"


def _mutated_models(count: int, seed: int, folder: Path) -> Iterator[tuple[str, Path]]:
    """Mutate model files: half by bytes, half by someone who knows the format."""
    rng, originals = np.random.default_rng(seed), []
    for number, model in enumerate(_models()):
        model.save(folder / f"{number}.safetensors")
        originals.append((folder / f"{number}.safetensors").read_bytes())
    path = folder / "mutated.safetensors"
    for number in range(count):
        raw = originals[number % len(originals)]
        path.write_bytes(mutated_bytes(raw, rng) if rng.random() < 0.5 else mutated_header(raw, "levcert", rng))
        yield f"model {number} of seed {seed}", path


def _hand_made_models(count: int, folder: Path) -> Iterator[tuple[str, Path]]:
    path = folder / "hostile.safetensors"
    for name, raw in list(hostile_models())[:count]:
        path.write_bytes(raw)
        yield name, path


def models(count: int, seed: int, folder: Path) -> Tally:
    """Read mutated model files, and certify with those that can be read."""
    tally = Tally("mutated model files")
    for what, path in _mutated_models(count, seed, folder):
        tally.judge(what, partial(_use_model, path, tally, what))
    return tally


def audits(count: int, seed: int, folder: Path) -> Tally:
    """Let the audit, which has readers of its own, read hand-made and mutated models, and mutated certificates."""
    tally, rng = Tally("models and certificates for the audit"), np.random.default_rng(seed)
    for what, path in chain(_hand_made_models(count, folder), _mutated_models(count, seed, folder)):
        tally.judge(what, partial(_audit_model, path, tally, what))
    model = _models()[0]
    model.save(folder / "whole.safetensors")
    for number in range(count):
        ending = ("csv", "jsonl", "parquet")[number % 3]
        path = folder / f"rows.{ending}"
        levcert.certify(model, TEXTS, max_distance=2).save(path)
        path.write_bytes(mutated_bytes(path.read_bytes(), rng))
        tally.judge(f"rows {number} of seed {seed}", partial(_audit_rows, folder / "whole.safetensors", path))
    return tally


def _audit_model(path: Path, tally: Tally, what: str) -> str:
    """Read a model as the audit does; where levcert reads it, too, their labels must agree."""
    classifier = read_classifier(path)
    labels = []
    for text in TEXTS:
        decision = classifier.decide(classifier.alphabet.encode(classifier.alphabet.typed(text)))
        labels.append(classifier.labels[decision.label] if decision.certain else None)
    try:
        predicted = levcert.load(path).predict(TEXTS)
    except InputError:
        return "read by the audit only"
    if any(label not in (None, found) for label, found in zip(labels, predicted, strict=True)):
        tally.wrong.append(f"{what}: {labels}, {predicted}")
    return "read"


def _audit_rows(model: Path, rows: Path) -> str:
    return f"audited, {len(audit(model, rows, texts=200, trials=9).refuted)} refuted"


def checkpoints(count: int, seed: int, folder: Path) -> Tally:
    """Mutate a checkpoint: resuming refuses it, or ends in the same model."""
    tally, rng = Tally("mutated checkpoints"), np.random.default_rng(seed)
    texts = ["abc", "bca", "ddd", "cab", "dada", "abab"] * 4
    split = Split(texts, np.array([0, 0, 1, 0, 1, 0] * 4))
    data = Dataset("small", ("x", "y"), split, Split([], np.zeros(0, dtype=np.int64)), "")
    options: dict[str, Any] = {"orders": (2,), "table_bits": 12, "epochs": 3, "show_progress": False}
    path, before = folder / "run.checkpoint", votes_module.SECONDS_BETWEEN_CHECKPOINTS
    votes_module.SECONDS_BETWEEN_CHECKPOINTS = 0.0
    try:
        whole = levcert.train(data, **options, checkpoint=path)
    finally:
        votes_module.SECONDS_BETWEEN_CHECKPOINTS = before
    raw = path.read_bytes()
    for number in range(count):
        path.write_bytes(mutated_bytes(raw, rng))

        def resume(number: int = number) -> str:
            model = levcert.train(data, **options, checkpoint=path, resume=True)
            if not (model.votes == whole.votes).all():  # type: ignore[attr-defined]
                tally.wrong.append(f"checkpoint {number} of seed {seed}")
            return "the same model"

        tally.judge(f"checkpoint {number} of seed {seed}", resume)
    return tally


def inputs(count: int, seed: int, folder: Path) -> Tally:
    """Mutate tables of texts, and of certificates, in all formats."""
    tally, rng = Tally("mutated input files"), np.random.default_rng(seed)
    originals = dict(_input_files(folder))
    names = sorted(originals)
    for number in range(count):
        name = names[number % len(names)]
        path = folder / f"mutated-{name}"
        path.write_bytes(mutated_bytes(originals[name], rng))
        tally.judge(f"{name} {number} of seed {seed}", partial(_use_rows, path))
    return tally


def _input_files(folder: Path) -> Iterator[tuple[str, bytes]]:
    rows = [("hello, world", "x"), ('say "hi"\nthere', "y"), ("größer €", "x"), ("last", "1")] * 5
    lines = "".join(f"{json.dumps({'text': text, 'label': label})}\n" for text, label in rows)
    tsv = "text\tlabel\n" + "".join(f"{text}\t{label}\n" for text, label in rows if "\n" not in text)
    table = "text,label\n" + "".join('"{}",{}\n'.format(text.replace('"', '""'), label) for text, label in rows)
    for name, content in {"rows.csv": table, "rows.tsv": tsv, "rows.jsonl": lines}.items():
        yield name, content.encode()
        yield f"{name}.gz", gzip.compress(content.encode())
    pq.write_table(
        pa.table({"text": [row[0] for row in rows], "label": [row[1] for row in rows]}), folder / "a.parquet"
    )
    yield "rows.parquet", (folder / "a.parquet").read_bytes()
    found = [Certificate(text, label, 1, 0.5, "auto", "proved", upper=2, counterexample="z") for text, label in rows]
    for ending in ("csv", "jsonl", "parquet"):
        Certificates(found).save(folder / f"certificates.{ending}")
        yield f"certificates.{ending}", (folder / f"certificates.{ending}").read_bytes()


def _use_rows(path: Path) -> str:
    if "certificates" in path.name:
        Certificates.read(path)
        return "read"
    skipped = list(RowReader(path, on_bad_row="skip"))
    rows = list(RowReader(path))
    assert [row.text for row in rows] == [row.text for row in skipped]
    return "read"


def hand_made(count: int, seed: int, folder: Path) -> Tally:
    """Models that someone has made on purpose: all that a header can claim, and what costs memory or time."""
    tally = Tally("hand-made hostile models")
    for name, path in _hand_made_models(count, folder):
        tally.judge(name, partial(_use_model, path, tally, name))
    return tally


CAMPAIGNS: dict[str, tuple[Callable[[int, int, Path], Tally], int]] = {
    "models": (models, 30_000),
    "checkpoints": (checkpoints, 3_000),
    "inputs": (inputs, 7_000),
    "hand-made": (hand_made, 1_000),
    "audits": (audits, 3_000),
}
