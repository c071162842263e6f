"""certified ≤ exact < attacked for models with a fold and for attackers with a profile, over texts as typed."""

import itertools
import json
import random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import levcert
from levcert import Alphabet, ConvModel, Threat, VoteModel
from levcert.attacks import ATTACKS
from levcert.certificates.audit import audit
from levcert.certifiers.search.refine import Refine
from levcert.text.profiles import PROFILES, profile
from tests.text.test_folding import disguises

TYPED = "abl1IoO0 \u0430\u200bé€"  # look-alikes of l and o, Cyrillic а, an invisible and an unknown character
OPERATION_SETS = [set(c) for n in (1, 2, 3) for c in itertools.combinations(("insert", "delete", "substitute"), n)]


def model_of(seed, fold, unknown, kind):
    rng = np.random.default_rng(seed)
    alphabet = Alphabet("abl", fold=fold, unknown=unknown)
    if kind == "votes":
        votes = rng.integers(-5, 6, (2, 2**12, 2)).astype(np.int8)
        return VoteModel(alphabet, votes, (1, 2))
    return ConvModel(
        alphabet, rng.normal(size=(alphabet.size, 2)), [rng.normal(size=(2, 3, 2))], rng.normal(size=(2, 3))
    )


MODELS = st.builds(
    model_of,
    seed=st.integers(0, 10**6),
    fold=st.sampled_from(["lookalikes", "leet"]),
    unknown=st.sampled_from(["drop", "symbol"]),
    kind=st.sampled_from(["votes", "conv"]),
)
THREATS = st.builds(
    Threat,
    st.sampled_from(OPERATION_SETS),
    symbols=st.sampled_from([None, "a", "1\u200b", "I0"]),
    neighbours=st.sampled_from([None, {"l": "a", "\u0430": "b"}, {"I": "b\u200b", "\u200b": "l", "a": "1"}]),
    deletable=st.sampled_from([None, "a", "1", "\u200b"]),
)


def slow_ball(threat, fold, text, k):
    """Every text within k allowed edits, from the definition of a threat: one edit for each character, at most."""

    def near(old, new):
        if threat.neighbours is None:
            return True
        return any(new in threat.neighbours.get(key, "") for key in (old, fold(old)) if key)

    pool = [c for c in TYPED if threat.symbols is None or c in threat.symbols]
    insert = pool if "insert" in map(str, threat.operations) else []
    found = {(0, ""): 0}
    for t in range(len(text) + 1):
        frontier = {done: edits for (at, done), edits in found.items() if at == t}
        for _ in range(k):  # insertions before t
            for done, edits in list(frontier.items()):
                for new in insert if edits < k else []:
                    frontier[done + new] = min(edits + 1, frontier.get(done + new, k))
        if t == len(text):
            return set(frontier)
        old, steps = text[t], [(text[t], 0)]
        if "delete" in map(str, threat.operations) and (
            threat.deletable is None or {old, fold(old)} & set(threat.deletable)
        ):
            steps.append(("", 1))
        if "substitute" in map(str, threat.operations):
            steps += [(new, 1) for new in pool if new != old and near(old, new)]
        for done, edits in frontier.items():
            for new, cost in steps:
                if edits + cost <= k:
                    key = (t + 1, done + new)
                    found[key] = min(edits + cost, found.get(key, k))
    raise AssertionError


def radius_and_reach(model, threat, text, k):
    [label] = model.predict([text])
    for distance in range(1, k + 1):
        ball = sorted(slow_ball(threat, model.alphabet.fold, text, distance))
        if (model.predict(ball) != label).any():
            return distance - 1
    return k


@given(st.data(), MODELS, THREATS, st.integers(1, 2))
@settings(max_examples=60)
def test_certified_at_most_exact_at_most_attacked(data, model, threat, k):
    text = data.draw(st.text(st.sampled_from(TYPED), max_size=4))
    truth = radius_and_reach(model, threat, text, k)
    methods = ["lipschitz", "exact", "auto", "chains"] + [Refine(expansions=2000)] * isinstance(model, VoteModel)
    for method in methods[: None if isinstance(model, VoteModel) else 3]:
        row = levcert.certify(model, [text], method, threat=threat, max_distance=k)[0]
        assert row.fold == model.alphabet.fold.name
        assert row.radius <= truth, method
        if row.counterexample is not None and row.upper <= k:
            assert row.upper > truth
            assert model.predict([row.counterexample])[0] != row.label
            assert row.counterexample in slow_ball_with(model, threat, text, row)
    for method in ATTACKS:
        found = levcert.attack(model, [text], method, max_distance=k, threat=threat)[0]
        if found.success:
            assert truth < found.distance <= k, method
            assert model.predict([found.adversarial])[0] == found.new_label != found.label


def slow_ball_with(model, threat, text, row):
    """The ball, with the characters of a counterexample as further ones that may be typed."""
    global TYPED
    before = TYPED
    try:
        TYPED = "".join(dict.fromkeys(before + row.counterexample))
        return slow_ball(threat, model.alphabet.fold, text, row.upper)
    finally:
        TYPED = before


@given(st.data(), MODELS, st.integers(1, 2))
@settings(max_examples=40)
def test_theorem_free_changes_come_on_top_of_the_radius(data, model, k):
    """After any edits within the radius and any free changes, the label is that of the certificate."""
    text = data.draw(st.text(st.sampled_from(TYPED), max_size=4))
    row = levcert.certify(model, [text], max_distance=k)[0]
    for changed in data.draw(st.lists(st.sampled_from(sorted(slow_ball(Threat(), str, text, row.radius))), max_size=5)):
        typed = data.draw(disguises(row.fold, changed))
        assert model.predict([typed])[0] == row.label


@given(st.data(), MODELS, THREATS | st.sampled_from(sorted(PROFILES)).map(profile))
@settings(max_examples=40)
def test_the_audit_reads_folds_threats_and_profiles(tmp_path_factory, data, model, threat):
    texts = data.draw(st.lists(st.text(st.sampled_from(TYPED + "tT"), max_size=4), min_size=1, max_size=3))
    folder = tmp_path_factory.mktemp("audit")
    model.save(folder / "model.safetensors")
    rows = levcert.certify(model, texts, threat=threat, max_distance=2)
    rows.save(folder / "rows.jsonl")
    report = audit(folder / "model.safetensors", folder / "rows.jsonl", texts=2000, trials=30)
    assert not report.refuted
    wrong = [json.loads(line) | {"radius": 9, "claim": "proved", "upper": None, "counterexample": None} for line in
             (folder / "rows.jsonl").read_text().splitlines()]  # fmt: skip
    (folder / "wrong.jsonl").write_text("\n".join(map(json.dumps, wrong)))
    found = audit(folder / "model.safetensors", folder / "wrong.jsonl", texts=2000, trials=300)
    for before, after in zip(rows, found.findings, strict=True):
        if before.claim == "exact":
            assert after.verdict in ("REFUTED", "not refuted", "too close to call")


def test_the_audit_refutes_a_row_about_another_fold(tmp_path):
    model = model_of(1, "case", "drop", "votes")
    model.save(tmp_path / "model.safetensors")
    [row] = levcert.certify(model, ["abl"])
    forged = levcert.Certificate(**{**row.__dict__, "fold": "lookalikes"})
    report = audit(tmp_path / "model.safetensors", [forged])
    assert "about the fold 'lookalikes'" in report.refuted[0].sentence
    assert not audit(tmp_path / "model.safetensors", [row]).refuted


def test_a_loaded_model_does_not_ask_the_package_for_its_table(tmp_path, monkeypatch):
    model = model_of(3, "lookalikes", "drop", "votes")
    model.save(tmp_path / "model.safetensors")
    monkeypatch.setattr("levcert.text.folding._packaged", None)
    monkeypatch.setattr("levcert.text.folding._capitals", None)
    again = levcert.load(tmp_path / "model.safetensors")
    rng = random.Random(0)
    texts = ["".join(rng.choices(TYPED, k=8)) for _ in range(20)]
    assert list(again.predict(texts)) == list(model.predict(texts))
    assert (tmp_path / "model.safetensors").stat().st_size < 120_000


@pytest.mark.parametrize("name", sorted(PROFILES))
def test_a_profile_is_at_least_as_safe_as_any_edit(name):
    for seed in range(5):
        model = model_of(seed, "case", "drop", "votes")
        anyone = levcert.certify(model, ["ab la", "lab"], max_distance=3)
        some = levcert.certify(model, ["ab la", "lab"], max_distance=3, threat=profile(name))
        assert all(a.radius <= b.radius for a, b in zip(anyone, some, strict=True))
        assert f"of the profile {name}" in str(some[0]) or some[0].radius == 0
