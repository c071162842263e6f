"""Training of bounded votes: it learns, it is repeatable, it can be interrupted, its options do what they say."""

import signal
import subprocess
import sys
import threading

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import levcert
from levcert import Alphabet, Dataset, InputError, Split, VoteModel
from levcert.datasets.dataset import holdout_apart
from levcert.files.tensor_file import read_tensors, write_tensors
from levcert.kernels.vote_adversary import exact_far_edits
from levcert.kernels.vote_scores import gram_rows
from levcert.kernels.vote_training import grams_after, loss_gradient, worst_edits
from levcert.training.votes import train as votes_module
from levcert.training.votes.config import VoteConfig
from tests.slow_twins import VOTE_MODELS

SMALL = {"orders": (2, 3), "table_bits": 12, "epochs": 3}


@pytest.fixture(scope="module")
def toy():
    return levcert.load_dataset("toy")


def test_votes_learn_and_withstand_edits(toy):
    model = levcert.train(toy, **SMALL)
    assert isinstance(model, VoteModel)
    assert model.training.metrics["test"] > 0.9
    plain = levcert.train(toy, **SMALL | {"edits": 0})
    truth = [toy.labels[y] for y in toy.test.labels]
    robust, fragile = (
        levcert.certify(m, toy.test.texts, "chains").verified_accuracy(truth, 2).value for m in (model, plain)
    )
    assert robust >= fragile - 0.02  # training against edits costs nothing here, and usually gains
    assert robust > 0.5


def test_the_same_seed_gives_the_same_votes_and_another_seed_others(toy):
    models = [levcert.train(toy, **SMALL, seed=seed) for seed in (1, 1, 2)]
    assert (models[0].votes == models[1].votes).all()
    assert (models[0].votes != models[2].votes).any()


@pytest.mark.parametrize("options", [{}, {"target_distance": 1, "validation_rows": 50}])
def test_an_interrupted_run_goes_on_to_the_same_votes(toy, tmp_path, monkeypatch, options):
    path = tmp_path / "run.checkpoint"
    monkeypatch.setattr(votes_module, "_TEXTS_AT_ONCE", 300)
    whole = levcert.train(toy, **SMALL | options)
    step = votes_module._Run._step
    counted = []

    def counting(run, order, number):
        counted.append(number)
        if len(counted) == 4:
            signal.raise_signal(signal.SIGINT)
        return step(run, order, number)

    monkeypatch.setattr(votes_module._Run, "_step", counting)
    with pytest.raises(KeyboardInterrupt):
        levcert.train(toy, **SMALL | options, checkpoint=path)
    resumed = levcert.train(toy, **SMALL | options, checkpoint=path, resume=True)
    assert (resumed.votes == whole.votes).all()
    assert [e["loss"] for e in resumed.training.metrics["epochs"]] == [
        e["loss"] for e in whole.training.metrics["epochs"]
    ]


def test_a_checkpoint_of_another_run_and_a_damaged_one_are_refused(toy, tmp_path, monkeypatch):
    path = tmp_path / "run.checkpoint"
    monkeypatch.setattr(votes_module, "SECONDS_BETWEEN_CHECKPOINTS", 0.0)
    levcert.train(toy, **SMALL, checkpoint=path)
    with pytest.raises(InputError, match="a run with a different config"):
        levcert.train(toy, **SMALL, seed=5, checkpoint=path, resume=True)
    path.write_bytes(b"junk")
    with pytest.raises(InputError, match="damaged"):
        levcert.train(toy, **SMALL, checkpoint=path, resume=True)
    with pytest.raises(InputError, match="needs the checkpoint"):
        levcert.train(toy, **SMALL, resume=True)


def test_training_needs_no_torch():
    code = (
        "import sys, levcert; m = levcert.train(levcert.load_dataset('toy'), table_bits=12, epochs=1);"
        "assert 'torch' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_training_works_in_a_thread(toy):
    found = []
    thread = threading.Thread(target=lambda: found.append(levcert.train(toy, **SMALL | {"epochs": 1})))
    thread.start()
    thread.join()
    assert isinstance(found[0], VoteModel)


def test_the_epoch_with_the_best_verified_accuracy_is_kept(toy):
    model = levcert.train(toy, **SMALL | {"epochs": 6}, target_distance=1, validation_rows=100, learning_rate=3.0)
    history = [epoch["verified"] for epoch in model.training.metrics["epochs"]]
    assert model.training.metrics["verified"] == max(history)
    assert len(history) <= 6


def test_a_target_distance_chooses_what_is_not_given(toy):
    model = levcert.train(toy, orders="2,3", table_bits=12, target_distance=12, edits=1)
    config = VoteConfig.from_dict(model.training.config)
    assert (config.orders, config.edits, config.temperature) == ((2, 3), 1, 0.2)
    assert config.validation_rows == min(500, len(toy.train) // 10)
    assert "verified" in model.training.metrics


def test_rare_classes_count_as_much_as_common_ones(toy):
    """Of 1,000 rows 990 are of one class; balanced weights find more of the other ten's kind."""
    rare, common = (np.flatnonzero(toy.train.labels == y) for y in (1, 0))
    unbalanced = Dataset("few", toy.labels, toy.train.take(np.concatenate([common, rare[:5]])), toy.test, "")
    found = {}
    for weight in ("none", "balanced"):
        model = levcert.train(unbalanced, **SMALL, class_weight=weight)
        found[weight] = (model.predict(toy.test.texts) == toy.labels[1]).mean()
    assert found["balanced"] > found["none"]


@pytest.mark.parametrize("loss", ["softplus", "hinge"])
@given(st.lists(st.floats(-5, 5), min_size=2, max_size=4), st.data(), st.floats(0, 3))
@settings(max_examples=60)
def test_the_gradient_is_that_of_the_loss(loss, scores, data, distance):
    y = data.draw(st.integers(0, len(scores) - 1))
    gradient, nowhere = np.empty(len(scores)), np.empty(len(scores))
    value = loss_gradient(np.array(scores), y, distance, loss == "hinge", gradient)
    lowered = np.array(scores)
    lowered[y] -= distance
    others = np.delete(lowered, y)
    slow = max(0, 1 - (lowered[y] - others.max())) if loss == "hinge" else np.logaddexp.reduce(lowered) - lowered[y]
    assert np.isclose(value, slow, atol=1e-9)
    corner = loss == "hinge" and (
        abs(value) < 1e-4 or (len(others) > 1 and np.diff(np.sort(others))[-1] < 1e-4) or abs(slow) < 1e-4
    )
    if not corner:
        for c in range(len(scores)):
            step = np.zeros(len(scores))
            step[c] = 1e-6
            change = [
                loss_gradient(np.array(scores) + sign * step, y, distance, loss == "hinge", nowhere) for sign in (1, -1)
            ]
            assert np.isclose((change[0] - change[1]) / 2e-6, gradient[c], atol=1e-4)


@given(st.data(), st.integers(0, 3))
@settings(max_examples=60)
def test_the_n_grams_after_the_worst_edits_are_those_of_a_text_that_many_edits_away(data, edits):
    """Whatever the search chooses, what it trains on is a real text: scores agree with some text in the ball."""
    model = data.draw(VOTE_MODELS)
    text = data.draw(st.text(st.sampled_from(model.alphabet.symbols), min_size=1, max_size=4 if edits > 1 else 7))
    edits = min(edits, 2)
    ids, orders = model.alphabet.encode(text), np.array(model.orders)
    table = model._votes.reshape(-1, model.classes).astype(np.float32)
    rows = model.votes.shape[1]
    grams = np.empty((len(orders), len(ids) + max(orders)), dtype=np.int64)
    for o, order in enumerate(orders):
        gram_rows(ids, order, rows, grams[o])
        grams[o] += o * (rows + 1)
    used, chosen = np.empty(1000, dtype=np.int64), np.empty((2, 3), dtype=np.int64)
    state = np.array([data.draw(st.integers(0, 2**63))], dtype=np.uint64)
    nearby = model.scores([text, *levcert.Ball(text, edits, model.alphabet)]) * 128
    margins = []
    for exact in (False, True):
        if exact:
            count = exact_far_edits(table, orders, ids, grams, 0, 1, edits, model.alphabet.size, chosen)
        else:
            count = worst_edits(table, orders, ids, grams, 0, 1, edits, 3, model.alphabet.size, state, chosen)
        assert count <= edits
        rows_after = used[: grams_after(orders, rows, ids, grams.copy(), chosen, count, used)]
        found = table[rows_after].sum(axis=0)
        assert (found == nearby).all(axis=1).any()
        margins.append(found[0] - found[1])
    sampled, exact = margins
    assert exact <= sampled <= nearby[0, 0] - nearby[0, 1]
    if edits == 1:
        assert exact == (nearby[:, 0] - nearby[:, 1]).min()


def test_validation_rows_set_apart_are_not_seen_in_parts():
    texts = ["a fine film", "fine", "a fine", "dull", "a dull plot", "plot twist", "twist"]
    split = Split(texts, np.zeros(7, dtype=np.int64))
    rest, aside = holdout_apart(split, 2, seed=3)
    assert len(aside) == 2
    for text in aside.texts:
        assert sum(text in other for other in texts) == 1
        assert not any(other in text for other in rest.texts)
    with pytest.raises(InputError, match="hold out fewer"):
        holdout_apart(split, 6, seed=0)


def test_bytes_and_empty_texts_are_trained_on():
    split = Split(["", "aaaa", "bbbb", "é€"], np.array([0, 0, 1, 1]))
    model = levcert.train(Dataset("four", ("x", "y"), split, split, ""), **SMALL, symbols="bytes")
    assert model.alphabet == Alphabet.bytes()
    assert list(model.predict(["aaaa", "bbbb"])) == ["x", "y"]


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"orders": "4;6"}, "4,6"),
        ({"orders": 4}, "4 is not a valid value for the training option orders"),
        ({"table_bits": 30}, "12 to 24"),
        ({"temperature": 0.0}, "positive"),
        ({"loss": "square"}, "softplus, hinge"),
        ({"dropout": 1.0}, "dropout"),
        ({"target_distance": 0}, "at least 1"),
        ({"filters": 3}, "belongs to the model conv"),
        ({"colour": 3}, "There is no training option"),
        ({"model": "forest"}, "votes, conv"),
        ({"validation_rows": 10**6}, "choose fewer"),
    ],
)
def test_bad_options_are_refused_in_one_sentence(toy, options, sentence):
    with pytest.raises(InputError, match=sentence):
        levcert.train(toy, **options)


def _interrupted(toy, path, monkeypatch):
    """Leave the checkpoint of a run behind."""
    with monkeypatch.context() as patch:
        patch.setattr(votes_module, "SECONDS_BETWEEN_CHECKPOINTS", 0.0)
        levcert.train(toy, **SMALL, checkpoint=path)
    return path.read_bytes()


def test_a_checkpoint_is_discarded_only_on_request(toy, tmp_path, monkeypatch):
    path = tmp_path / "run.checkpoint"
    before = _interrupted(toy, path, monkeypatch)
    with pytest.raises(InputError, match=r"continue it with --resume, or discard it .* --restart"):
        levcert.train(toy, **SMALL, checkpoint=path)
    assert path.read_bytes() == before
    with pytest.raises(InputError, match="either resumed or restarted"):
        levcert.train(toy, **SMALL, checkpoint=path, resume=True, restart=True)
    levcert.train(toy, **SMALL, checkpoint=path, restart=True)
    assert not path.exists()


def test_renamed_labels_are_another_run(toy, tmp_path, monkeypatch):
    path = tmp_path / "run.checkpoint"
    _interrupted(toy, path, monkeypatch)
    renamed = Dataset("toy", tuple(f"{label}!" for label in toy.labels), toy.train, toy.test, "")
    with pytest.raises(InputError, match="a run with a different labels"):
        levcert.train(renamed, **SMALL, checkpoint=path, resume=True)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda header, arrays: header["progress"].update(epoch=True), "its epoch is True"),
        (lambda header, arrays: header["progress"].update(step=10**9), "is none of this run"),
        (lambda header, arrays: header["progress"].update(epoch=7), "is none of this run"),
        (lambda header, arrays: header["progress"].update(seen=-1), "its seen is -1"),
        (lambda header, arrays: header["progress"].update(history=[3] * header["progress"]["epoch"]), "history"),
        (lambda header, arrays: header["progress"].pop("right"), "right"),
        (lambda header, arrays: arrays.update(theta=arrays["theta"][:1]), "theta has another type or shape"),
        (lambda header, arrays: arrays.update(best=arrays["best"].astype(np.float64)), "best has another type"),
        (lambda header, arrays: arrays.pop("votes"), "votes"),
    ],
)
def test_a_checkpoint_that_no_run_has_written_is_refused(toy, tmp_path, monkeypatch, change, message):
    """Even if its checksum is right."""
    path = tmp_path / "run.checkpoint"
    _interrupted(toy, path, monkeypatch)
    header, arrays = read_tensors(path, "levcert_checkpoint")
    change(header, arrays)
    write_tensors(path, "levcert_checkpoint", header, arrays)
    with pytest.raises(InputError, match=message):
        levcert.train(toy, **SMALL, checkpoint=path, resume=True)


def test_a_checkpoint_without_its_checksum_is_refused(toy, tmp_path, monkeypatch):
    path = tmp_path / "run.checkpoint"
    raw = _interrupted(toy, path, monkeypatch)
    path.write_bytes(raw[:-1] + bytes([raw[-1] ^ 1]))
    with pytest.raises(InputError, match="do not match its checksum"):
        levcert.train(toy, **SMALL, checkpoint=path, resume=True)
    path.write_bytes(raw.replace(b"sha256", b"sha255"))
    with pytest.raises(InputError, match="has no checksum"):
        levcert.train(toy, **SMALL, checkpoint=path, resume=True)
