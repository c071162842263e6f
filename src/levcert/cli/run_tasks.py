"""What predict, certify, attack and evaluate do to a chunk of rows, on any worker: columns in, bytes of a file out."""

from __future__ import annotations

import json
import tempfile
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Final

from levcert.files.row_encoders import ENCODERS, Columns, Kind
from levcert.runs.chunk import Answer, Chunk

if TYPE_CHECKING:
    from levcert.certificates.certificate import Certificate
    from levcert.evaluation.evaluator import Measured
    from levcert.evaluation.outcome import Outcome
    from levcert.models.window import WindowModel
    from levcert.text.threat import Threat

WHERE: Final[dict[str, Kind]] = {"file": "string", "row": "integer"}  # the first columns of every output
TIMES: Final = ("seconds", "attack_seconds")  # written on request only: they are different in each run
EDITS_BEYOND: Final = 5  # how far beyond the radius an attack looks for a counterexample
ABOUT: Final = ("claim", "threat", "unit", "fold")  # what the rows of a run are about, counted in its summary
LONGEST_ATTACKED: Final = 5_000  # characters

Answered = tuple[dict[str, list[Any]], dict[str, float]]  # columns, and what they add up to


@dataclass(frozen=True)
class ModelTask(ABC):
    """Answers rows with a model.  ``model`` is the content of its file, so that workers need no folder in common."""

    command: ClassVar[str]  # the name of the command, in manifests and on progress bars
    columns: ClassVar[Columns]

    model: bytes = field(repr=False)
    format: str | None  # of the output, a key of ENCODERS; None: only what rows add up to is wanted
    kept: tuple[str, ...] = ()
    times: bool = False
    rows_at_first: int = 8

    @property
    def all_columns(self) -> dict[str, Kind]:
        """The columns of the output: where a row came from, what was found, and what the user keeps."""
        found = {name: kind for name, kind in self.columns.items() if self.times or name not in TIMES}
        return {**WHERE, **found} | dict.fromkeys(self.kept_names.values(), "kept")

    @property
    def kept_names(self) -> dict[str, str]:
        """Names of kept columns in the output: one that the output has itself gets a prefix."""
        taken = {*WHERE, *self.columns, *(f"{name}_hex" for name in self.columns)}
        return {name: f"input_{name}" if name in taken else name for name in self.kept}

    def start(self) -> Callable[[Chunk], Answer]:
        model = loaded(self.model)
        columns = self.all_columns

        def answer(chunk: Chunk) -> Answer:
            found, summary = self.answers(model, chunk) if len(chunk) else ({name: [] for name in self.columns}, {})
            if self.format is None:
                return Answer(b"", b"", len(chunk), summary)
            nothing: list[Any] = [None] * len(chunk)
            kept = {shown: chunk.kept.get(name, nothing) for name, shown in self.kept_names.items()}
            table: dict[str, list[Any]] = {"file": chunk.files, "row": chunk.rows, **found, **kept}
            return Answer(*ENCODERS[self.format](table, columns), len(chunk), summary)

        return answer

    @abstractmethod
    def answers(self, model: WindowModel, chunk: Chunk) -> Answered:
        """Return the columns of the answers, and what they add up to."""


@dataclass(frozen=True)
class PredictTask(ModelTask):
    """Labels texts; adds up how many have which label."""

    command: ClassVar[str] = "predict"
    columns: ClassVar[Columns] = {"text": "text", "label": "string", "margin": "number", "probability": "number"}

    rows_at_first: int = 1024

    def answers(self, model: WindowModel, chunk: Chunk) -> Answered:
        import numpy as np

        from levcert.models.calibration import probabilities

        scores = model.scores(chunk.texts)
        best = scores.argmax(axis=1)
        if len(model.labels) == 2:
            margins = np.abs(scores[:, 0] - scores[:, 1])
        else:
            ordered = np.partition(scores, -2, axis=1)
            margins = ordered[:, -1] - ordered[:, -2]
        names = [model.labels[number] for number in best.tolist()]
        counts = np.bincount(best, minlength=len(model.labels)).tolist()
        summary = {label: count for label, count in zip(model.labels, counts, strict=True) if count}
        chances = probabilities(scores, model.training.temperature).max(axis=1).tolist()
        return {"text": chunk.texts, "label": names, "margin": margins.tolist(), "probability": chances}, summary


@dataclass(frozen=True)
class CertifyTask(ModelTask):
    """Certifies texts; adds up how many have which radius, and which claim, threat and unit."""

    command: ClassVar[str] = "certify"
    columns: ClassVar[Columns] = {
        "text": "text", "label": "string", "radius": "integer", "margin": "number", "method": "string",
        "claim": "string", "threat": "string", "unit": "string", "target": "string", "upper": "integer",
        "counterexample": "text", "class_radii": "string", "undecided": "string", "fold": "string",
        "seconds": "number",
    }  # fmt: skip

    method: str = "auto"
    max_distance: int | None = None
    budget: float | None = None
    threat: Threat | None = None
    attacked: bool = False  # look for a counterexample where the method gives none
    target: str | None = None
    per_class: bool = False

    def answers(self, model: WindowModel, chunk: Chunk) -> Answered:
        names = ("max_distance", "budget", "threat", "target", "per_class")
        limits: dict[str, Any] = {name: getattr(self, name) for name in names}
        if self.attacked:
            from levcert.certificates.files import certificate_record
            from levcert.certifiers import certify_each

            rows = (
                with_counterexample(model, row, self.budget)
                for row in certify_each(model, chunk.texts, self.method, **limits)
            )
            columns = _transposed(list(map(certificate_record, rows)), self.columns)
        else:
            from levcert.certifiers.certify_columns import certify_columns

            columns = certify_columns(model, chunk.texts, self.method, **limits)
        radii: dict[str, float] = {str(radius): count for radius, count in Counter(columns["radius"]).items()}
        about = Counter(zip(*(columns[name] for name in ABOUT), strict=True))
        return columns, radii | {json.dumps(key): count for key, count in about.items()}


@dataclass(frozen=True)
class AttackTask(ModelTask):
    """Attacks texts; adds up how many labels were changed."""

    command: ClassVar[str] = "attack"
    columns: ClassVar[Columns] = {
        "text": "text", "label": "string", "adversarial": "text", "new_label": "string", "distance": "integer",
        "edits": "string", "method": "string", "seconds": "number",
    }  # fmt: skip

    method: str = "charmer"
    max_distance: int = 2
    threat: Threat | None = None
    target: str | None = None

    def answers(self, model: WindowModel, chunk: Chunk) -> Answered:
        from levcert.attacks import attack_each

        found = attack_each(
            model, chunk.texts, self.method, max_distance=self.max_distance, threat=self.threat, target=self.target
        )
        records = [
            {name: getattr(result, name) for name in self.columns}
            | {"edits": "; ".join(map(str, result.edits)) if result.success else None}
            for result in found
        ]
        changed = sum(record["adversarial"] is not None for record in records)
        return _transposed(records, self.columns), {"changed": changed}


@dataclass(frozen=True)
class EvaluateTask(ModelTask):
    """Certifies and attacks labelled texts; adds up how many have which outcome, and the seconds."""

    command: ClassVar[str] = "evaluate"
    columns: ClassVar[Columns] = {
        "text": "text", "truth": "string", "label": "string", "right": "string", "radius": "integer",
        "margin": "number", "method": "string", "claim": "string", "threat": "string", "unit": "string",
        "target": "string", "upper": "integer", "counterexample": "text", "seconds": "number",
        "attack_seconds": "number",
    }  # fmt: skip

    method: str = "auto"
    attack: str | None = "charmer"
    max_distance: int = 2
    budget: float | None = None
    threat: Threat | None = None
    target: str | None = None

    def answers(self, model: WindowModel, chunk: Chunk) -> Answered:
        from levcert.evaluation.evaluator import Evaluator, check_label

        for file, row, label in zip(chunk.files, chunk.rows, chunk.labels or (), strict=True):
            check_label(model, label, row, file)
        limits = (self.max_distance, self.budget, self.threat, self.target)
        evaluator = Evaluator(model, self.method, self.attack, *limits)
        measured = list(evaluator.measured(zip(chunk.texts, chunk.labels or (), strict=True)))
        summary: Counter[str] = Counter(_outcome_key(row.outcome) for row in measured)
        seconds = {"certify": sum(row.certificate.seconds for row in measured)}
        seconds["attack"] = sum(row.attack_seconds for row in measured)
        return _transposed(list(map(_evaluated, measured)), self.columns), {**summary, **seconds}


def loaded(content: bytes) -> WindowModel:
    """Load a model from the content of its file."""
    from levcert.models.load import load

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "model.safetensors")
        path.write_bytes(content)
        return load(path)


def with_counterexample(model: WindowModel, certificate: Certificate, budget: float | None) -> Certificate:
    """Return a certificate with the nearest counterexample that an attack finds, if it has none of its own.

    No attack where the time is over, or the text is so long that an attack takes minutes.
    """
    from levcert.certificates.claims import IS_TARGET
    from levcert.evaluation.evaluator import with_attack

    known = certificate.counterexample is not None or certificate.claim == IS_TARGET
    late = budget is not None and certificate.seconds >= budget
    if known or late or len(certificate.text) > LONGEST_ATTACKED:
        return certificate
    return with_attack(model, certificate, certificate.radius + EDITS_BEYOND)


def outcomes_in(summary: Counter[str]) -> Counter[Outcome]:
    """Return how many texts have which outcome, from what :class:`EvaluateTask` added up."""
    from levcert.evaluation.outcome import Outcome

    counts: Counter[Outcome] = Counter()
    for key, count in summary.items():
        if key.startswith("["):
            counts[Outcome(*json.loads(key))] += int(count)
    return counts


def _outcome_key(outcome: Outcome) -> str:
    return json.dumps([outcome.truth, outcome.right, outcome.radius, outcome.upper, outcome.claim])


def _evaluated(measured: Measured) -> dict[str, Any]:
    from levcert.certificates.files import certificate_record

    found = {"truth": measured.outcome.truth, "right": "yes" if measured.outcome.right else "no"}
    return certificate_record(measured.certificate) | found | {"attack_seconds": measured.attack_seconds}


def _transposed(records: list[dict[str, Any]], columns: Columns) -> dict[str, list[Any]]:
    return {name: [record[name] for record in records] for name in columns}


def kept_columns(source: object) -> tuple[str, ...]:
    """Return the columns of the input that are copied to the output; only files have any."""
    kept: tuple[str, ...] = getattr(source, "keep", ())
    return kept
