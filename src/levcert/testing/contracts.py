"""The sandwich for outsiders: certified ≤ exact < attacked, checked by enumeration on small random models.

A certifier that claims too much, an attack that breaks its threat, or a model that breaks the contract of window sums
fails with an ``AssertionError`` that names the text.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import numpy as np

from levcert.attacks import attack as run_attack
from levcert.attacks.base import Attack
from levcert.certificates.claims import holds_for_every_edit
from levcert.certifiers import certify
from levcert.certifiers.base import Method
from levcert.errors import InputError
from levcert.models.edit_effects import windows_of
from levcert.models.votes import VoteModel
from levcert.models.window import WindowModel
from levcert.text.alphabet import Alphabet, Text
from levcert.text.ball import Ball
from levcert.text.edits import Operation
from levcert.text.threat import Threat

_FARTHEST = 2  # edits that are enumerated
_SEEDS = range(6)
_TEXTS = ("", "a", "ab", "ba", "abb", "a-b", "aabb")


def small_models(seeds: Iterable[int] = _SEEDS) -> Iterator[WindowModel]:
    """Give random votes over two or three letters: small enough to enumerate all texts nearby."""
    for seed in seeds:
        rng = np.random.default_rng(seed)
        orders = [(1,), (2,), (1, 3), (2, 3)][seed % 4]
        alphabet = Alphabet("ab" if seed % 2 else "abc", unknown="symbol" if seed % 3 == 0 else "drop")
        votes = rng.integers(-127, 128, size=(len(orders), 4096, 2 + seed % 2)).astype(np.int8)
        yield VoteModel(alphabet, votes, orders, labels=["x", "y", "z"][: votes.shape[2]])


def check_certifier(
    certifier: Method | str, models: Iterable[Any] | None = None, *, texts: Sequence[str] | None = None
) -> None:
    """Certify small texts, and classify every text within the radius (up to two edits): all keep the label.

    ``models`` are random votes by default.  Certificates with a probability are about another classifier and are not
    enumerated.
    """
    checked = 0
    for model in small_models() if models is None else models:
        for threat in _threats():
            for text in _TEXTS if texts is None else texts:
                try:
                    [row] = certify(model, [text], certifier, max_distance=_FARTHEST, threat=threat)
                except InputError:
                    continue  # not for this model, or not for this threat
                checked += holds_for_every_edit(row.claim)
                _check_row(model, row)
    assert checked, f"{certifier!r} made no certain claim about any of the models, so nothing was checked."


def _check_row(model: Any, row: Any) -> None:
    label = str(model.predict([row.text])[0])
    if not holds_for_every_edit(row.claim):
        return
    assert row.label == label, f"The certificate of {row.text!r} says {row.label!r}, but the model says {label!r}."
    threat = row.threat or Threat()
    if row.counterexample is not None:
        script = threat.script(row.text, row.counterexample, row.upper)
        assert script is not None and len(script) <= row.upper, (  # noqa: PT018
            f"{row.counterexample!r} is not {row.upper} allowed edits from {row.text!r}."
        )
        assert model.predict([row.counterexample])[0] != label, f"{row.counterexample!r} keeps the label {label!r}."
    for k in range(1, min(row.radius, _FARTHEST) + 1):
        ball = list(Ball(row.text, k, _symbols(model, threat), threat.operations))
        for text, found in zip(ball, model.predict(ball) if ball else (), strict=True):
            assert found == label, (
                f"{row.method} claims radius {row.radius} for {row.text!r} ({label!r}), but {text!r}, {k} edits away, "
                f"gets {found!r}."
            )


def check_attack(attack: Attack | str, models: Iterable[Any] | None = None) -> None:
    """Attack small texts: what is found has another label and few enough allowed edits, and is found again."""
    for model in small_models() if models is None else models:
        for threat in _threats():
            for text in _TEXTS:
                for distance in (1, _FARTHEST):
                    [result] = run_attack(model, [text], attack, max_distance=distance, threat=threat)
                    [again] = run_attack(model, [text], attack, max_distance=distance, threat=threat)
                    assert result.adversarial == again.adversarial, f"The attack on {text!r} depends on chance."
                    if result.adversarial is None or result.distance is None:
                        continue
                    label, new = (str(found) for found in model.predict([text, result.adversarial]))
                    assert (result.label, result.new_label) == (label, new), f"The labels of {text!r} are wrong."
                    assert new != label, f"{result.adversarial!r} keeps the label {label!r}."
                    script = threat.script(text, result.adversarial, distance)
                    assert script is not None, f"{result.adversarial!r} is not {distance} allowed edits from {text!r}."


def check_model(model: WindowModel, texts: Sequence[Text] = ("", "a", "ab ba", "hello", "AbA")) -> None:
    """Check the contract of a window sum, and that exact search and enumeration agree on short texts.

    Scores are sums of windows, windows score the same bits in any batch, padding scores 0, roundings and ranges hold,
    and edit effects are differences of scores.
    """
    assert isinstance(model, WindowModel), f"{type(model).__name__} is not a WindowModel."
    width, rng = model.width, np.random.default_rng(1)
    padding = model.window_scores(np.zeros((1, width), dtype=np.int32))
    assert padding.shape == (1, model.classes), f"window_scores returned shape {padding.shape}."
    assert not padding.any(), "A window of nothing but padding must score 0."
    random = [model.alphabet.decode(rng.integers(1, model.alphabet.size + 1, size=n).tolist()) for n in (1, 4, 9)]
    for text in (*texts, *random):
        ids = model.alphabet.encode(text)
        windows = windows_of(ids, width)
        each = model.window_scores(windows)
        alone = [model.window_scores(window[None])[0] for window in windows]
        assert not len(alone) or np.array_equal(each, alone), f"Windows of {text!r} score differently in a batch."
        [scores] = model.scores([text])
        allowance = model.rounding(max(1, len(windows)))
        off = np.abs(scores - each.sum(axis=0)).max(initial=0)
        assert off <= 2 * allowance + 1e-300, f"The scores of {text!r} are {off} from their sum of windows."
        _check_range(model, each)
        _check_effects(model, ids, scores, allowance)
    check_certifier("exact", [model], texts=_short(model))


def _check_range(model: WindowModel, each: Any) -> None:
    known = model.window_range
    if known is None or len(model.parts) > 1:
        return
    margins = each[:, :, None] - each[:, None, :]
    assert (margins >= known.low - 1e-9).all(), "A window's margin is below window_range.low."
    assert (margins <= known.high + 1e-9).all(), "A window's margin is above window_range.high."


def _check_effects(model: WindowModel, ids: Any, scores: Any, allowance: float) -> None:
    effects = model.edit_effects(ids)
    for t in range(len(ids)):
        [found] = model.scores([model.alphabet.decode(np.delete(ids, t))])
        off = np.abs(scores + effects.deletions[t] - found).max()
        assert off <= 8 * allowance + 1e-9, f"The deletion at {t} changes the scores by something else than its effect."


def _threats() -> list[Threat]:
    return [Threat(), Threat({Operation.SUBSTITUTE, Operation.DELETE}), Threat({Operation.INSERT}), Threat(symbols="a")]  # type: ignore[arg-type]


def _symbols(model: Any, threat: Threat) -> str:
    if threat.symbols is not None:
        return str(threat.symbols)
    alphabet = getattr(model, "alphabet", None)
    if not isinstance(alphabet, Alphabet):
        return "ab \t"
    known = "".join(alphabet.symbol(id_) for id_ in range(1, alphabet.size + 1))
    return known + alphabet.dropped_character if alphabet.drops else known


def _short(model: WindowModel) -> list[Any]:
    alphabet = model.alphabet
    few = [alphabet.decode([1 + n % alphabet.size for n in range(length)]) for length in (0, 1, 2, 3)]
    return few if alphabet.size <= 6 else few[:2]
