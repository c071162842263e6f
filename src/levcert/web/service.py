"""Answer requests: call the library, cache certificates, and compile kernels in advance."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Final, get_args

import numpy as np

from levcert.attacks import attack
from levcert.certificates.difference import describe
from levcert.certificates.explain import meaning
from levcert.certifiers import certify
from levcert.certifiers.character_losses import character_losses
from levcert.errors import InputError
from levcert.models.window import WindowModel
from levcert.text.alphabet import Text
from levcert.text.model_view import native
from levcert.text.threat import Threat, as_threat
from levcert.web import schemas
from levcert.web.limits import Limits, longest_text
from levcert.web.thread_gate import check_time

_CACHED: Final = 512  # certificates, for users who type something and take it back
_SHARE_FOR_SEARCH: Final = 0.5  # of a request's time, which leaves time for the rest of the work


@dataclass
class Service:
    """One model, asked for predictions, certificates and attacks."""

    model: WindowModel
    limits: Limits
    certifiers: list[str] = field(init=False)
    _known: OrderedDict[object, schemas.Certificate] = field(default_factory=OrderedDict)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def __post_init__(self) -> None:
        self.longest_text = longest_text(self.model)
        self.certifiers = list(self._warm_certifiers())

    def predict(self, request: schemas.PredictRequest, deadline: float) -> schemas.Predictions:
        self._check(request.texts)
        check_time(deadline)
        scores = self.model.scores(request.texts)
        labels = self.model.predict(request.texts)
        return schemas.Predictions(
            results=[
                schemas.Prediction(label=str(label), scores=dict(zip(self.model.labels, row.tolist(), strict=True)))
                for label, row in zip(labels, scores, strict=True)
            ]
        )

    def certify(self, request: schemas.CertifyRequest, deadline: float) -> schemas.Certificates:
        self._check(request.texts)
        if request.method not in self.certifiers:
            raise InputError(f"{request.method} does not support this model; use {', '.join(self.certifiers)}.")
        results = []
        for text in request.texts:
            check_time(deadline)
            results.append(self._remembered(text, request))
        return schemas.Certificates(results=results)

    def attack(self, request: schemas.AttackRequest, deadline: float) -> schemas.Attacks:
        self._check(request.texts)
        threat = as_threat(None, request.operations)
        results = []
        for text in request.texts:
            check_time(deadline)
            found = attack(self.model, [text], request.method, max_distance=request.max_distance, threat=threat)[0]
            results.append(
                schemas.Attack(
                    label=found.label,
                    counterexample=self._shown(found.text, found.adversarial, found.distance),
                    seconds=found.seconds,
                )
            )
        return schemas.Attacks(results=results)

    def _check(self, texts: Iterable[str]) -> None:
        """Reject texts whose search would not fit into memory: a large alphabet has many edits."""
        if any(len(text) > self.longest_text for text in texts):
            raise InputError(
                f"A text for this model may have at most {self.longest_text:,} characters; send a shorter one."
            )

    def _remembered(self, text: str, request: schemas.CertifyRequest) -> schemas.Certificate:
        """Return the cached certificate or compute it; a search that ran out of its budget is not cached."""
        key = (text, request.method, request.max_distance, frozenset(request.operations), request.losses)
        with self._lock:
            if key in self._known:
                self._known.move_to_end(key)
                return self._known[key]
        budget = self.limits.seconds * _SHARE_FOR_SEARCH / len(request.texts)
        answer = self._certificate(text, request, budget)
        if answer.seconds < budget:
            with self._lock:
                self._known[key] = answer
                if len(self._known) > _CACHED:
                    self._known.popitem(last=False)
        return answer

    def _certificate(self, text: str, request: schemas.CertifyRequest, budget: float) -> schemas.Certificate:
        threat = as_threat(None, request.operations)
        row = certify(
            self.model, [text], request.method, max_distance=request.max_distance, budget=budget, threat=threat
        )[0]
        return schemas.Certificate(
            label=row.label,
            radius=row.radius,
            claim=row.claim,
            operations=[operation.word for operation in sorted(threat.operations)],
            unit=row.unit,
            sentence=meaning(row),
            method=row.method,
            margin=row.margin,
            counterexample=self._shown(row.text, row.counterexample, row.upper),
            losses=self._losses(text, threat) if request.losses else None,
            seconds=row.seconds,
        )

    def _shown(self, text: Text, changed: Text | None, distance: int | None) -> schemas.Counterexample | None:
        """Return a counterexample in a form that JSON can hold."""
        if changed is None or distance is None:
            return None
        found = describe(self.model, text, changed, distance)
        return schemas.Counterexample(
            text=_as_str(changed),
            distance=distance,
            label=found.label,
            difference=[schemas.Part(kind=part.kind, text=part.text) for part in found.difference],
        )

    def _losses(self, text: str, threat: Threat) -> list[float]:
        """Return the loss of each character; for a character of several bytes, the largest of their losses."""
        losses = character_losses(self.model, text, threat)
        if isinstance(native(self.model.alphabet, text), bytes) and text:
            starts = np.cumsum([0, *(len(character.encode()) for character in text[:-1])])
            losses = np.maximum.reduceat(losses, starts)
        return [float(loss) for loss in losses]

    def _warm_certifiers(self) -> Iterable[str]:
        """Yield the methods that support this model, and compile every kernel before the first request."""
        texts = [str(sample) for sample in self._warm_texts()]
        attack(self.model, texts, "charmer", max_distance=2)
        for text in texts:
            character_losses(self.model, text)
        for method in get_args(schemas.Certifier):
            try:
                certify(self.model, texts, method, budget=1.0)
            except InputError:
                continue
            yield method

    def _warm_texts(self) -> Iterable[str]:
        """Yield texts of the model's own symbols: a mix, and long runs, which survive the first searches."""
        alphabet = self.model.alphabet
        symbols = "ab" if alphabet.kind == "bytes" else alphabet.symbols
        length = 4 * self.model.width
        yield "".join(symbols[i % len(symbols)] for i in range(length))
        for symbol in symbols[:8]:
            yield symbol * length


def _as_str(text: Text) -> str | None:
    try:
        return text.decode() if isinstance(text, bytes) else text
    except UnicodeDecodeError:
        return None
