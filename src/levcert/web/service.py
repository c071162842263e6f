"""Answer requests: call the library, cache certificates, and compile kernels in advance."""

from __future__ import annotations

import re
import threading
import warnings
from collections import OrderedDict
from collections.abc import Iterable, Sequence
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
from levcert.web.deadline import Deadline
from levcert.web.limits import Limits, longest_text

_SURROGATE: Final = re.compile("[\ud800-\udfff]")
_ONE_PASS: Final = {"lipschitz", "lipslev", "interval"}
_LIGHT: Final = 20_000  # characters in a request whose time is known to be short


@dataclass
class Service:
    """One model, asked for predictions, certificates and attacks."""

    model: WindowModel
    limits: Limits
    certifiers: list[str] = field(init=False)
    _known: OrderedDict[object, schemas.Certificate] = field(default_factory=OrderedDict)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def __post_init__(self) -> None:
        self.longest_text = longest_text(self.model, self.limits)
        self.certifiers = list(self._warm_certifiers())

    def is_light(self, request: schemas.AnyRequest) -> bool:
        """Return whether a request is known to take little time: predictions, one pass, and what is cached.

        It also rejects what exceeds a limit, before the request waits for its turn.
        """
        self._check(request)
        if isinstance(request, schemas.AttackRequest):
            return False
        if isinstance(request, schemas.CertifyRequest):
            with self._lock:
                if all(_key(text, request) in self._known for text in request.texts):
                    return True
            if request.method not in _ONE_PASS or request.losses:
                return False
        return sum(map(len, request.texts)) <= _LIGHT

    def predict(self, request: schemas.PredictRequest, deadline: Deadline) -> schemas.Predictions:
        deadline.check()
        scores = self.model.scores(request.texts)
        labels = self.model.predict(request.texts)
        return schemas.Predictions(
            results=[
                schemas.Prediction(label=str(label), scores=dict(zip(self.model.labels, row.tolist(), strict=True)))
                for label, row in zip(labels, scores, strict=True)
            ]
        )

    def certify(self, request: schemas.CertifyRequest, deadline: Deadline) -> schemas.Certificates:
        results = []
        for done, text in enumerate(request.texts):
            deadline.check()
            budget = deadline.for_search() / (len(request.texts) - done)
            results.append(self._remembered(text, request, budget))
        return schemas.Certificates(results=results)

    def attack(self, request: schemas.AttackRequest, deadline: Deadline) -> schemas.Attacks:
        threat = as_threat(None, request.operations)
        results = []
        for text in request.texts:
            deadline.check()
            found = attack(
                self.model, [text], request.method, max_distance=request.max_distance, threat=threat,
                target=request.target,
            )[0]  # fmt: skip
            results.append(
                schemas.Attack(
                    label=found.label,
                    counterexample=self._shown(found.text, found.adversarial, found.distance),
                    seconds=found.seconds,
                )
            )
        return schemas.Attacks(results=results)

    def _check(self, request: schemas.AnyRequest) -> None:
        """Reject what exceeds a limit of this server, or asks for what the model does not support."""
        self._check_texts(request.texts)
        if isinstance(request, schemas.PredictRequest):
            return
        if request.max_distance is not None and request.max_distance > self.limits.distance:
            raise InputError(
                f"max_distance is {request.max_distance}; this server accepts at most {self.limits.distance}."
            )
        if request.target is not None and request.target not in self.model.labels:
            raise InputError("The target is not a label of this model; GET /model lists them.")
        if isinstance(request, schemas.CertifyRequest) and request.method not in self.certifiers:
            raise InputError(f"{request.method} does not support this model; use {', '.join(self.certifiers)}.")

    def _check_texts(self, texts: Sequence[str]) -> None:
        """Reject texts whose search would not fit into memory: a large alphabet has many edits."""
        if len(texts) > self.limits.texts:
            raise InputError(
                f"The request has {len(texts):,} texts; this server accepts at most {self.limits.texts:,}. Send fewer."
            )
        for number, text in enumerate(texts, 1):
            if len(text) > self.longest_text:
                raise InputError(
                    f"Text {number} has {len(text):,} characters; this server accepts at most {self.longest_text:,} "
                    "for this model. Send a shorter one."
                )
            if _SURROGATE.search(text):
                raise InputError(
                    f"Text {number} contains half of a surrogate pair, which is not a character; remove it."
                )

    def _remembered(self, text: str, request: schemas.CertifyRequest, budget: float) -> schemas.Certificate:
        """Return the cached certificate or compute it; a search that ran out of its budget is not cached."""
        key = _key(text, request)
        with self._lock:
            if key in self._known:
                self._known.move_to_end(key)
                return self._known[key]
        answer = self._certificate(text, request, budget)
        if answer.seconds < budget:
            with self._lock:
                self._known[key] = answer
                if len(self._known) > self.limits.cached:
                    self._known.popitem(last=False)
        return answer

    def _certificate(self, text: str, request: schemas.CertifyRequest, budget: float) -> schemas.Certificate:
        threat = as_threat(None, request.operations)
        row = certify(
            self.model,
            [text],
            request.method,
            max_distance=request.max_distance,
            budget=budget,
            threat=threat,
            target=request.target,
        )[0]
        return schemas.Certificate(
            label=row.label,
            radius=row.radius,
            claim=row.claim,
            operations=[operation.word for operation in sorted(threat.operations)],
            target=row.target,
            unit=row.unit,
            sentence=meaning(row),
            method=row.method,
            margin=row.margin,
            counterexample=self._shown(row.text, row.counterexample, row.upper),
            losses=self._losses(text, threat, request.target) if request.losses else None,
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

    def _losses(self, text: str, threat: Threat, target: str | None) -> list[float]:
        """Return the loss of each character; for a character of several bytes, the largest of their losses."""
        losses = character_losses(self.model, text, threat, target)
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
                with warnings.catch_warnings():  # about texts that nobody typed
                    warnings.simplefilter("ignore")
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


def _key(text: str, request: schemas.CertifyRequest) -> object:
    return (text, request.method, request.max_distance, frozenset(request.operations), request.losses, request.target)


def _as_str(text: Text) -> str | None:
    try:
        return text.decode() if isinstance(text, bytes) else text
    except UnicodeDecodeError:
        return None
