"""An assertion for pytest: a model must reach verified shares, by their lower confidence bounds."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from levcert.certifiers.base import Method
from levcert.evaluation.evaluate import Evaluation
from levcert.evaluation.evaluator import Evaluator, labelled
from levcert.evaluation.gate import Check, Gate, Requirement
from levcert.models.window import WindowModel
from levcert.text.alphabet import Text
from levcert.text.threat import Threat


def assert_verified(
    model: WindowModel,
    texts: Iterable[Text],
    truth: Iterable[str],
    minimum: Mapping[int, float] | None = None,
    *,
    recall: Mapping[str, Mapping[int, float]] | None = None,
    target: str | None = None,
    method: str | Method = "auto",
    budget: float | None = None,
    threat: Threat | None = None,
    confidence: float = 0.95,
) -> list[Check]:
    """Raise AssertionError unless the model reaches every share, and return what was measured.

    ``minimum={1: 0.9}``: at least 90 % of the texts are right and proved to stay right under one edit.
    ``recall={"spam": {2: 0.8}}``: at least 80 % of the spam is labelled spam and proved to stay so under two edits;
    with ``target="ham"``, proved not to become ham.  The lower confidence bound counts, as in ``levcert check``.
    """
    requirements = [Requirement(k, share) for k, share in (minimum or {}).items()]
    requirements += [
        Requirement(k, share, label) for label, shares in (recall or {}).items() for k, share in shares.items()
    ]
    gate = Gate(requirements, model.labels, confidence)
    evaluator = Evaluator(model, method, None, gate.distance, budget, threat, target)
    evaluation = Evaluation.by(evaluator)
    gate.watch(evaluator.measured(labelled(model, texts, truth)), evaluation)
    checks = gate.checks(evaluation)
    failed = [f"{check.name}: {check.sentence}" for check in checks if not check.passed]
    if failed:
        raise AssertionError("\n".join(failed))
    return checks
