"""Training for the cost of one edit: folded, resumed, and never exceeded."""

import math
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import torch

import levcert
from levcert import Alphabet, InputError, load, load_dataset
from levcert.training.conv import loop
from levcert.training.conv.config import TrainingConfig
from levcert.training.conv.loop import train
from levcert.training.conv.losses import loss_of
from levcert.training.conv.network import ConvNetwork
from tests.training.interrupted import assert_same_bits, resumed_after

SMALL = {"epochs": 2, "kernel_size": 3, "filters": 8, "embedding_size": 6, "learning_rate": 0.03, "batch_size": 32}
REPAIRED = SMALL | {"normaliser": "edits", "optimiser": "adam"}
CASES = [
    {}, {"constants": "each"}, {"loss": "hinge", "margin": 2.0}, {"scale": 2.0, "margin": 0.5}, {"activation": "tanh"},
    {"activation": "leaky_relu"}, {"activation": "gelu"}, {"layers": 2}, {"layers": 2, "p": math.inf},
    {"device": "cpu:0"}, {"threads": 2}, {"optimiser": "sgd", "learning_rate": 1.0},
]  # fmt: skip


@pytest.fixture(scope="module")
def toy():
    return load_dataset("toy")


@pytest.mark.parametrize("options", CASES, ids=str)
def test_every_training_learns_the_toy_and_folds_to_the_same_scores(toy, options, monkeypatch):
    networks = []
    monkeypatch.setattr(loop, "ConvNetwork", lambda *a: networks.append(ConvNetwork(*a)) or networks[0])
    model = train(toy, TrainingConfig(**REPAIRED | {"epochs": 6} | options))
    assert model.training.metrics["test"] > 0.8
    assert np.max(model.tap_costs.edit_costs()) == pytest.approx(1.0, rel=1e-9)
    texts = toy.test.texts[:20]
    with torch.no_grad():
        unfolded = networks[0].eval()(model.alphabet.encode_many(texts)).numpy()
    folded = model.scores(texts)
    if options.get("layers", 1) > 1 or options.get("activation") == "gelu":  # certified with another norm, if smaller
        unfolded = unfolded * (np.abs(folded).max() / np.abs(unfolded).max())
    np.testing.assert_allclose(folded, unfolded, rtol=1e-3, atol=1e-3)
    torch.set_num_threads(1)


@pytest.mark.parametrize("activation", ["relu", "tanh"])
@pytest.mark.parametrize("seed", range(4))
def test_no_edit_takes_more_than_one(seed, activation):
    """Climb from text to text towards the largest loss of one edit: it never passes the constant, but comes near."""
    config = TrainingConfig(**REPAIRED | {"seed": seed, "activation": activation})
    network = ConvNetwork(config, 4, 3)
    with torch.no_grad():  # weights that training could arrive at, not only those that it begins with
        for weight in network.parameters():
            weight.mul_(torch.randn(weight.shape, generator=torch.Generator().manual_seed(seed)) ** 3)
    model = network.fold(Alphabet("abcd"), ("x", "y", "z"))
    rng = np.random.default_rng(seed)
    ids, worst = rng.integers(1, 5, 7).astype(np.int32), 0.0
    for _ in range(150):
        changed = ids.copy()
        changed[rng.integers(len(ids))] = rng.integers(1, 5)
        effects = model.edit_effects(changed)
        changes = [x.reshape(-1, 3) for x in (effects.insertions, effects.deletions, effects.substitutions)]
        losses = np.concatenate(changes)
        loss = float((losses[:, :, None] - losses[:, None, :]).max())
        assert loss <= 1 + 1e-9
        if loss >= worst:
            ids, worst = changed, loss
    assert worst > (0.3 if activation == "relu" else 0.05)  # tanh is flat where weights are large


def test_each_margin_is_divided_by_its_own_constant():
    largest, each = (
        ConvNetwork(TrainingConfig(**REPAIRED | {"constants": name}), 4, 3, torch.float64)
        for name in ("largest", "each")
    )
    texts, labels = Alphabet("abcd").encode_many(["abca", "dd", "cab"]), torch.tensor([0, 1, 2])
    scores, G = each._edit_scores(texts)
    torch.testing.assert_close(each(texts), largest(texts))
    torch.testing.assert_close(G, G.T)
    for n, y in enumerate(labels):
        for other in range(3):
            expected = (scores[n, other] - scores[n, y]) / (G[y, other] if other != y else 1)
            torch.testing.assert_close(each.logits(texts, labels)[n, other], expected)


@pytest.mark.parametrize("options", [{}, {"constants": "each", "loss": "hinge", "margin": 2.0}, {"layers": 2}], ids=str)
@pytest.mark.parametrize("steps", [5, 20])
def test_a_resumed_run_ends_in_the_same_bits(toy, tmp_path, options, steps):
    config = TrainingConfig(**REPAIRED | options)
    whole = train(toy, config)
    assert_same_bits(resumed_after(steps, toy, config, tmp_path / "run.checkpoint"), whole)


def test_losses_are_their_formulas():
    scores, labels = torch.tensor([[1.0, 3.0, 0.0], [0.5, 0.0, 2.0]]), torch.tensor([1, 0])
    hinge = TrainingConfig(loss="hinge", margin=2.5, scale=2.0)
    assert float(loss_of(scores, labels, hinge)) == pytest.approx(2 * (0.5 + 4.0) / 2)
    shifted = TrainingConfig(margin=1.0, scale=2.0)
    expected = [math.log(sum(math.exp(2 * (f + (i != y) - row[y])) for i, f in enumerate(row)))
                for row, y in zip(scores.tolist(), labels.tolist(), strict=True)]  # fmt: skip
    assert float(loss_of(scores, labels, shifted)) == pytest.approx(sum(expected) / 2)


@pytest.mark.parametrize("weight", [math.nan, math.inf, 0.0])
def test_weights_that_cannot_be_divided_make_the_loss_say_so(weight):
    network = ConvNetwork(TrainingConfig(**REPAIRED), 5, 2)
    with torch.no_grad():
        for tensor in network.parameters():
            tensor.fill_(weight)
    scores = network(Alphabet("abcde").encode_many(["abc", "de"]))
    scores.sum().backward()
    assert not scores.isfinite().any()


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"scale": 0.0}, "scale must be positive"),
        ({"margin": -1.0}, "margin at least 0"),
        ({"loss": "hinge"}, "hinge loss needs a margin"),
        ({"constants": "some"}, "constants must be one of"),
        ({"optimiser": "lion"}, "optimiser must be one of"),
    ],
)
def test_configurations_that_make_no_sense_are_refused(values, message):
    with pytest.raises(InputError, match=message):
        TrainingConfig().changed(values)


def test_the_preset():
    paper, repaired = (TrainingConfig.preset(name, "sst2") for name in ("paper", "repaired"))
    assert (repaired.normaliser, repaired.optimiser, paper.normaliser, paper.optimiser) == (
        "edits",
        "adam",
        "norms",
        "sgd",
    )
    for size in ("layers", "embedding_size", "filters", "kernel_size", "activation"):
        assert getattr(paper, size) == getattr(repaired, size)
    with pytest.raises(InputError, match="no preset 'mended'"):
        TrainingConfig.preset("mended")
    with pytest.raises(InputError, match="Presets belong to the model conv"):
        levcert.train(load_dataset("toy"), preset="repaired")


def test_the_command_takes_a_preset(tmp_path):
    command = [Path(sys.executable).with_name("levcert"), "train", "toy", "--model", "conv", "--preset", "repaired"]
    arguments = ["--epochs", "2", "--kernel-size", "3", "--filters", "8", "-o", "m.safetensors"]
    result = subprocess.run([*command, *arguments], capture_output=True, text=True, check=False, cwd=tmp_path)
    assert result.returncode == 0, result.stderr
    config = load(tmp_path / "m.safetensors").training.config
    assert (config["normaliser"], config["epochs"]) == ("edits", 2)
