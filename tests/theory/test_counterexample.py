"""Page 2 of the design: the published bound fails for insertions and deletions.  Kept for ever."""

import numpy as np
import pytest

import levcert
from levcert import Alphabet, ConvModel
from levcert.certifiers.base import Batch
from levcert.certifiers.lipschitz import edit_costs
from levcert.certifiers.lipslev import LipsLev
from levcert.text.threat import Threat, known_substitutions


def alternating_model(q):
    """Embeddings +1 and −1, one filter with taps +1, −1, +1, …; the margin is the pooled feature."""
    taps = np.array([[[(-1.0) ** j]] for j in range(q)])
    return ConvModel(Alphabet("ab"), [[1.0], [-1.0]], [taps], [[1.0], [0.0]])


CHANGES = [(5, 9, 10), (6, 12, 12), (8, 20, 16), (10, 30, 20), (20, 110, 40)]


@pytest.mark.parametrize(("q", "change", "published"), CHANGES)
def test_the_counterexample_to_the_published_bound(q, change, published):
    """A deletion in the middle takes ``change`` from the margin; putting the character back is an insertion."""
    model = alternating_model(q)
    text = "ab" * 30
    deleted = text[:30] + text[31:]
    margins = model.scores([text, deleted])[:, 0]
    assert margins[0] - margins[1] == change
    for p in (1, 2, np.inf):
        assert model.constants(p).max() == pytest.approx(published)
    assert (change > published) == (q >= 8)


@pytest.mark.parametrize("q", [5, 6, 8, 10, 20])
def test_the_tap_bounds_hold_on_the_counterexample(q):
    model = alternating_model(q)
    text = "ab" * 30
    batch = Batch(model, [text], Threat())
    effects = model.edit_effects(batch.encoded[0])
    worst = max(
        (array[..., 1] - array[..., 0]).max()
        for array in (effects.insertions, effects.deletions, effects.substitutions)
    )
    assert worst <= edit_costs(batch)[0, 1]


def test_lipslev_certifies_what_is_false_and_says_substitutions_only():
    """The alternating filter against one that counts characters: published radius 1, but one deletion decides."""
    taps = np.array([[[(-1.0) ** j, 0.0], [0.0, 9.0 * (j == 0)]] for j in range(20)])
    model = ConvModel(Alphabet("ab"), [[1.0, 1.0], [-1.0, 1.0]], [taps], [[1.0, 0.0], [0.0, 1.0]])
    text = "ab" * 30
    claimed = levcert.certify(model, [text], LipsLev(p=1))[0]
    assert claimed.radius == 1
    assert claimed.claim == "substitutions only"
    assert model.predict([text])[0] != model.predict([text[:30] + text[31:]])[0]
    assert levcert.certify(model, [text], "exact")[0].radius == 0
    assert levcert.certify(model, [text], "lipschitz")[0].radius == 0
    assert levcert.certify(model, [text], "auto")[0].radius == 0
    known = known_substitutions(model.alphabet)
    alone = levcert.certify(model, [text], LipsLev(p=1), threat=known)[0]
    assert (alone.radius, alone.claim) == (1, "proved")
    assert levcert.certify(model, [text], "exact", threat=known)[0].radius >= 1


def test_lipslev_is_not_proved_where_a_substitution_deletes():
    """A substitution by a character that the model drops is a deletion to it: ab… → ab…€ deletes."""
    taps = np.array([[[(-1.0) ** j, 0.0], [0.0, 9.0 * (j == 0)]] for j in range(20)])
    model = ConvModel(Alphabet("ab"), [[1.0, 1.0], [-1.0, 1.0]], [taps], [[1.0, 0.0], [0.0, 1.0]])
    text = "ab" * 30
    assert model.predict([text])[0] != model.predict([text[:30] + "€" + text[31:]])[0]
    claimed = levcert.certify(model, [text], LipsLev(p=1), operations={"substitute"})[0]
    assert (claimed.radius, claimed.claim) == (1, "substitutions only")
    assert levcert.certify(model, [text], "exact", operations={"substitute"})[0].radius == 0
    mapped = ConvModel(Alphabet("a", unknown="symbol"), model.embedding, model.kernels, model.head)
    assert levcert.certify(mapped, [text], LipsLev(p=1), operations={"substitute"})[0].claim == "proved"
