"""The theorems about window sums: no edit, and no script of edits, loses more than its bound."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import levcert
from levcert import Alphabet, Ball, ConvModel, Threat
from levcert.certifiers.base import Batch
from levcert.certifiers.lipschitz import edit_costs, window_ranges
from levcert.certifiers.search.edit_chains import ChainCosts
from levcert.text.edits import OPERATIONS, Operation
from levcert.text.threat import ANY_EDIT
from tests.slow_twins import VOTE_MODELS, RangedWindowModel, random_votes
from tests.theory.small_models import (
    BOUNDED_CONV_MODELS,
    CONV_MODELS,
    OPERATION_SETS,
    RANGED_MODELS,
    exact_radius,
    texts_for,
    typeable,
)


@given(st.integers(0, 10**6), st.integers(1, 3), st.text("ab", max_size=10), st.sampled_from(OPERATION_SETS))
@settings(max_examples=60)
def test_theorem_range_no_single_edit_loses_more_than_the_range_of_its_windows(seed, width, text, operations):
    model = RangedWindowModel(Alphabet("ab"), ("x", "y", "z"), width, seed)
    batch = Batch(model, [text], Threat(operations))
    scores = model.scores([text, *Ball(text, 1, typeable(model.alphabet), operations)])
    y = int(batch.best[0])
    losses = (scores[0, y] - scores[0]) - (scores[:, [y]] - scores)
    assert (losses <= edit_costs(batch)[0] + 1e-9).all()
    row = levcert.certify(model, [text], "lipschitz", operations=operations)[0]
    assert min(row.radius, 2) <= exact_radius(model, text, operations, 2)


@given(st.data(), st.sampled_from(OPERATION_SETS), st.integers(1, 4))
@settings(max_examples=200)
def test_theorem_chains_no_script_loses_more_than_its_chain(data, operations, k):
    """For models with one window width and with several, against all texts within k edits; exact for one edit."""
    model = data.draw(VOTE_MODELS | RANGED_MODELS | BOUNDED_CONV_MODELS)
    text = data.draw(texts_for(model, {1: 9, 2: 6, 3: 4, 4: 3 if model.alphabet.size < 3 else 2}[k]))
    batch = Batch(model, [text], Threat(operations))
    y = int(batch.best[0])
    nearby = model.scores([text, *Ball(text, k, typeable(model.alphabet), operations)])
    largest = ((nearby[0, y] - nearby[0]) - (nearby[:, [y]] - nearby)).max(axis=0)
    known_windows, tried_symbols = (
        ChainCosts.of(batch, 0, window_ranges(model), symbols=symbols) for symbols in (False, True)
    )
    for other in set(range(model.classes)) - {y}:
        bound = tried_symbols.totals(other, k)[k]
        tiny = 8 * batch.allowance[0] * (k + 1)  # 0 for votes
        assert largest[other] - tiny <= bound <= known_windows.totals(other, k)[k] + tiny
        if k == 1:
            assert bound <= largest[other] + tiny


@given(st.data(), st.integers(2, 3))
@settings(max_examples=60)
def test_edits_far_from_each_other_lose_exactly_what_the_chain_says(data, k):
    """Votes of one symbol: no window holds two edits, so the bound is attained."""
    seed = data.draw(st.integers(0, 10**6))
    model = random_votes(seed, symbols=2, orders=(1,), classes=2)
    text = data.draw(texts_for(model, 6))
    batch = Batch(model, [text], ANY_EDIT)
    y = int(batch.best[0])
    nearby = model.scores(list(Ball(text, k, model.alphabet)))
    worst = (nearby[:, y] - nearby[:, 1 - y]).min()
    bound = ChainCosts.of(batch, 0, window_ranges(model)).totals(1 - y, k)[k]
    before = model.scores([text])[0]
    assert before[y] - before[1 - y] - bound == worst


@given(st.data())
@settings(max_examples=80)
def test_theorem_taps_no_single_edit_loses_more_than_the_tap_bounds(data):
    model = data.draw(CONV_MODELS)
    text = data.draw(texts_for(model, 10))
    for operations in ({"substitute"}, {"insert"}, {"delete"}):
        batch = Batch(model, [text], Threat(frozenset(operations)))
        effects = model.edit_effects(batch.encoded[0])
        changes = {
            "substitute": effects.substitutions, "insert": effects.insertions, "delete": effects.deletions,
        }[next(iter(operations))].reshape(-1, model.classes)  # fmt: skip
        y = batch.best[0]
        loss = (changes - changes[:, [y]]).max(axis=0, initial=0)
        assert (loss <= edit_costs(batch)[0] + 1e-9).all()


@pytest.mark.parametrize("rounds", [3, pytest.param(100, marks=pytest.mark.long)])
@pytest.mark.parametrize("operation", sorted(OPERATIONS))
def test_hill_climbing_does_not_break_the_tap_bounds(operation, rounds):
    """Change weights and text to bring one edit's loss as near to the bound as possible; it never passes it."""
    rng = np.random.default_rng(0)
    best = 0.0
    for _ in range(rounds):
        taps, filters = rng.integers(1, 6), rng.integers(1, 4)
        parts = [rng.normal(size=(2, 1)), rng.normal(size=(taps, filters, 1)), rng.normal(size=(2, filters))]
        text = list(rng.integers(0, 2, 8))
        ratio = _ratio(parts, text, operation)
        for _ in range(200):
            changed = [part + rng.normal(size=part.shape) * (rng.random() < 0.5) * 0.3 for part in parts]
            other = list(text)
            if rng.random() < 0.5:
                other[rng.integers(len(other))] ^= 1
            new = _ratio(changed, other, operation)
            assert new <= 1 + 1e-9
            if new > ratio:
                parts, text, ratio = changed, other, new
        best = max(best, ratio)
    assert best > 0.5  # the search comes near: the bound is not vacuous, and the test can fail


def _ratio(parts, text, operation):
    model = ConvModel(Alphabet("ab"), parts[0], [parts[1]], parts[2])
    batch = Batch(model, ["".join("ab"[c] for c in text)], Threat(frozenset({operation})))
    effects = model.edit_effects(batch.encoded[0])
    changes = {
        Operation.SUBSTITUTE: effects.substitutions, Operation.INSERT: effects.insertions,
        Operation.DELETE: effects.deletions,
    }[operation]  # fmt: skip
    y = int(batch.best[0])
    loss = (changes[..., 1 - y] - changes[..., y]).max()
    return loss / max(edit_costs(batch)[0, 1 - y], 1e-12)
