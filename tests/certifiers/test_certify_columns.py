"""Columns of many certificates: the fast path gives what the slow one gives, to the last bit."""

import numpy as np
import pytest

import levcert
from levcert.certificates.files import CERTIFICATE_COLUMNS, certificate_record
from levcert.certifiers import certify_columns as module
from levcert.certifiers.base import batches
from levcert.certifiers.certify import certify_each
from levcert.certifiers.certify_columns import certify_columns
from levcert.certifiers.lipschitz import _tap_edit_costs
from levcert.text.threat import ANY_EDIT, Threat

TEXTS = ["hello w0rld", "12e4567", "abc", "99", "größer", "Ω", "aaaaaaaaaa"] * 3
THREATS = [ANY_EDIT, Threat(symbols="ab "), Threat(frozenset({"delete"})), Threat(frozenset({"substitute"}), "12")]


@pytest.fixture(scope="module", params=["conv", "votes", "bytes"])
def model(request):
    rng = np.random.default_rng(5)
    if request.param == "votes":
        table = rng.integers(-9, 10, size=(2, 4096, 3)).astype(np.int8)
        return levcert.VoteModel(levcert.Alphabet("abcdehlorw 0123456789"), table, [2, 3], labels=["x", "y", "z"])
    alphabet = levcert.Alphabet.bytes() if request.param == "bytes" else levcert.Alphabet("abcdeghlorwß 0123456789")
    arrays = rng.normal(size=(alphabet.size, 3)), [rng.normal(size=(3, 4, 3))], rng.normal(size=(3, 4))
    return levcert.ConvModel(alphabet, *arrays, labels=["x", "y", "z"])


@pytest.mark.parametrize("threat", THREATS, ids=str)
@pytest.mark.parametrize("limit", [None, 1])
def test_columns_are_those_of_the_certificates(model, threat, limit, monkeypatch):
    if model.alphabet.kind == "bytes" and threat.symbols is not None:
        pytest.skip("symbols of a byte model are bytes")
    monkeypatch.setattr(module, "_AT_ONCE", 4)
    columns = certify_columns(model, TEXTS, "lipschitz", max_distance=limit, threat=threat)
    rows = [
        certificate_record(row) for row in certify_each(model, TEXTS, "lipschitz", max_distance=limit, threat=threat)
    ]
    for name in CERTIFICATE_COLUMNS.keys() - {"seconds"}:
        assert columns[name] == [row[name] for row in rows], name


def slow_tap_edit_costs(taps, batch):
    """The same maxima over arrays of all symbols."""
    allowed, y = batch.allowed, batch.best
    worst = np.where(allowed.replace, taps.replace, 0).max(axis=3)
    substitution = np.where(batch.present[:, None], worst[y], 0).max(axis=2, initial=0)
    reachable = batch.present | allowed.insert | allowed.replace.any(axis=0)
    appear = np.where(reachable[:, None, None], taps.appear[y], 0).max(axis=3, initial=0).sum(axis=2)
    vanish = np.where(batch.present[:, None, None], taps.vanish[y], 0).max(axis=3, initial=0).sum(axis=2)
    shift = taps.shift[y]
    insertion, deletion = (bound[y] for bound in taps.chains)
    return np.stack([substitution, np.minimum(shift + appear, insertion), np.minimum(shift + vanish, deletion)])


@pytest.mark.parametrize("threat", THREATS, ids=str)
def test_the_kernel_takes_the_maxima_of_numpy(model, threat):
    if model.tap_costs is None or (model.alphabet.kind == "bytes" and threat.symbols is not None):
        pytest.skip("the model has no tap costs, or the threat is for characters")
    for _, batch in batches(model, TEXTS, threat):
        np.testing.assert_array_equal(
            _tap_edit_costs(model.tap_costs, batch), slow_tap_edit_costs(model.tap_costs, batch)
        )
