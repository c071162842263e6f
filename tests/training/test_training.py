import json
import math
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
import torch

from levcert import InputError, load, load_dataset
from levcert.datasets.dataset import Dataset, Split
from levcert.training.conv import loop
from levcert.training.conv.config import TrainingConfig
from levcert.training.conv.loop import train
from levcert.training.conv.network import ConvNetwork
from levcert.training.conv.schedules import triangular
from tests.training.interrupted import assert_same_bits, resumed_after

SMALL = {"epochs": 2, "kernel_size": 3, "filters": 8, "embedding_size": 6, "learning_rate": 10.0, "batch_size": 32}


@pytest.fixture(scope="module")
def toy():
    return load_dataset("toy")


CASES = [
    {"p": 2.0}, {"p": 1.0}, {"p": math.inf}, {"layers": 2}, {"normaliser": "substitution"}, {"activation": "gelu"},
    {"activation": "tanh", "layers": 2}, {"method": "plain", "learning_rate": 0.1},
    {"method": "penalty", "penalty": 0.01, "learning_rate": 0.1}, {"threads": 2}, {"deletion": 0.3},
    {"method": "plain", "pooling": "mean", "learning_rate": 1.0, "epochs": 20},
]  # fmt: skip


@pytest.mark.parametrize("options", CASES, ids=str)
def test_every_training_learns_the_toy_and_folds_to_the_same_scores(toy, options, monkeypatch):
    networks = []
    monkeypatch.setattr(loop, "ConvNetwork", lambda *a: networks.append(ConvNetwork(*a)) or networks[0])
    model = train(toy, TrainingConfig(**SMALL | {"epochs": 6} | options))
    assert model.training.metrics["test"] > 0.8
    texts = toy.test.texts[:20]
    network = networks[0].eval()
    if options.get("p", 2.0) == 2.0 and "normaliser" not in options:  # power iteration has converged by now
        for _ in range(200):
            network.margin_constant()
    with torch.no_grad():
        unfolded = network(model.alphabet.encode_many(texts)).numpy()
    tolerance = 0.02 if "normaliser" in options else 2e-4
    np.testing.assert_allclose(model.scores(texts), unfolded, rtol=tolerance, atol=tolerance)


@pytest.mark.parametrize("p", [1.0, 2.0, math.inf])
@pytest.mark.parametrize("layers", [1, 2])
def test_folded_models_have_constant_one(toy, p, layers):
    model = train(toy, TrainingConfig(**SMALL | {"p": p, "layers": layers, "activation": "gelu"}))
    assert model.constants(p).max() == pytest.approx(1.0, rel=1e-9)


def test_the_penalty_starts_at_constant_one_and_holds_it_down(toy):
    options = {"method": "penalty", "learning_rate": 0.1, "epochs": 6}
    start = ConvNetwork(TrainingConfig(**SMALL | options), 36, 2)
    assert float(start.margin_constant().detach()) == pytest.approx(1.0, rel=1e-4)
    free, held = (train(toy, TrainingConfig(**SMALL | options | {"penalty": x})).constants(2).max() for x in (0, 0.03))
    assert held < 0.7 * free


def test_training_is_repeatable_and_seeds_matter(toy):
    models = [train(toy, TrainingConfig(**SMALL | {"seed": seed})) for seed in (1, 1, 2)]
    np.testing.assert_array_equal(models[0].head, models[1].head)
    assert not np.array_equal(models[0].head, models[2].head)


def test_threads_give_the_same_result_to_rounding(toy):
    one, two = (train(toy, TrainingConfig(**SMALL | {"threads": n})) for n in (1, 2))
    np.testing.assert_allclose(one.scores(toy.test.texts), two.scores(toy.test.texts), rtol=1e-3, atol=1e-3)
    torch.set_num_threads(1)


def test_other_devices_run_plain_torch_to_the_same_result(toy):
    """ "cpu:0" is a device of torch's and not our kernels' "cpu": what a GPU would run, on this machine."""
    ours, plain = (train(toy, TrainingConfig(**SMALL | {"device": device})) for device in ("cpu", "cpu:0"))
    np.testing.assert_allclose(ours.scores(toy.test.texts), plain.scores(toy.test.texts), rtol=1e-3, atol=1e-3)


@pytest.mark.parametrize("options", [{}, {"normaliser": "substitution"}, {"layers": 2}, {"deletion": 0.2}], ids=str)
@pytest.mark.parametrize("steps", [5, 20])  # within the first epoch, and within the second
def test_a_resumed_run_ends_in_the_same_bits(toy, tmp_path, options, steps):
    config = TrainingConfig(**SMALL | {"validation_rows": 50} | options)
    whole = train(toy, config)
    resumed = resumed_after(steps, toy, config, tmp_path / "run.checkpoint")
    assert_same_bits(resumed, whole)
    assert resumed.training.metrics["epochs"] == whole.training.metrics["epochs"]


def test_a_checkpoint_of_another_run_is_refused(toy, tmp_path):
    path = tmp_path / "run.checkpoint"
    train(toy, TrainingConfig(**SMALL), checkpoint=path)
    with pytest.raises(InputError, match="a different config"):
        train(toy, TrainingConfig(**SMALL | {"seed": 9}), checkpoint=path, resume=True)
    other = Dataset("toy", toy.labels, toy.train.take(slice(0, 300)), toy.test, "")
    with pytest.raises(InputError, match="a different data"):
        train(other, TrainingConfig(**SMALL), checkpoint=path, resume=True)
    path.write_bytes(path.read_bytes()[:100])
    with pytest.raises(InputError, match="damaged"):
        train(toy, TrainingConfig(**SMALL), checkpoint=path, resume=True)
    with pytest.raises(InputError, match="needs the checkpoint"):
        train(toy, TrainingConfig(**SMALL), resume=True)


def test_a_loss_that_explodes_says_what_to_lower(toy):
    with pytest.raises(InputError, match=r"lower --learning-rate \(now 1e\+07\)"):
        train(toy, TrainingConfig(**SMALL | {"method": "plain", "learning_rate": 1e7}))


def test_the_model_file_carries_configuration_data_and_metrics(toy, tmp_path):
    config = TrainingConfig(**SMALL | {"p": math.inf, "validation_rows": 100, "cut": 12, "class_weight": "none"})
    train(toy, config).save(tmp_path / "m.safetensors")
    facts = load(tmp_path / "m.safetensors").training
    assert TrainingConfig.from_dict(facts.config) == config
    assert facts.data["rows"] == 300
    assert {"validation", "test", "seconds"} <= facts.metrics.keys()
    assert len(facts.metrics["epochs"]) == 2


def test_texts_of_unknown_characters_and_empty_batches_are_no_problem(toy):
    texts = ["", "", *toy.train.texts[:2], ""]
    dataset = Dataset(
        "odd", ("x", "y"), Split(texts, np.array([0, 1, 0, 1, 0])), Split([], np.array([], dtype=int)), ""
    )
    model = train(dataset, TrainingConfig(**SMALL | {"batch_size": 2}))
    assert np.isfinite(model.scores(["", "€€"])).all()


def test_a_dataset_without_rows_is_refused():
    empty = Split([], np.array([], dtype=np.int64))
    with pytest.raises(InputError, match="no training rows"):
        train(Dataset("none", ("x", "y"), empty, empty, ""), TrainingConfig(**SMALL))


def test_the_schedule_is_a_triangle():
    rates = [triangular(x / 100, 100.0, 0.4) for x in range(101)]
    assert rates[0] == 0
    assert rates[40] == pytest.approx(100)
    assert rates[100] == pytest.approx(0)
    assert rates[20] == pytest.approx(50)
    assert rates[70] == pytest.approx(50)


def test_the_paper_s_preset():
    assert TrainingConfig.preset("paper", "sst2").kernel_size == 5
    config = TrainingConfig.preset("paper", "ag_news")
    assert (config.kernel_size, config.embedding_size, config.filters, config.layers) == (10, 150, 100, 1)
    assert (config.learning_rate, config.momentum, config.batch_size, config.epochs) == (100, 0.9, 128, 30)
    assert TrainingConfig.preset("paper", "sst2", method="penalty").learning_rate == 0.01


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"p": 3.0}, "p must be 1, 2 or inf"),
        ({"method": "magic"}, "method must be one of lipschitz, penalty, plain"),
        ({"epochs": 0}, "epochs must be at least 1"),
        ({"learning_rate": -1.0}, "must be positive and finite"),
        ({"learning_rate": math.nan}, "must be positive and finite"),
        ({"peak": 1.0}, "peak must be in"),
        ({"deletion": 1.0}, "deletion in"),
        ({"cut": 0}, "cut at least 1"),
        ({"activation": "sigmoid"}, "not 0 at 0"),
        ({"normaliser": "substitution", "layers": 2}, "one layer"),
        ({"speed": 1}, "no training option 'speed'"),
        ({"epochs": "many"}, "'many' is not a valid value for the training option epochs"),
        ({"epochs": True}, "True is not a valid value for the training option epochs"),
    ],
)
def test_configurations_that_make_no_sense_are_refused(values, message):
    with pytest.raises(InputError, match=message):
        TrainingConfig().changed(values)


def test_toml_sets_options(tmp_path):
    path = tmp_path / "run.toml"
    path.write_text("p = inf\nepochs = 3\nlearning_rate = 5\n")
    assert TrainingConfig.from_toml(path) == {"p": math.inf, "epochs": 3, "learning_rate": 5}
    path.write_text("epoch = 3\n")
    with pytest.raises(InputError, match="no training option 'epoch'"):
        TrainingConfig.from_toml(path)
    path.write_text("epochs = \n")
    with pytest.raises(InputError, match="not a TOML file"):
        TrainingConfig.from_toml(path)


COMMAND = Path(sys.executable).with_name("levcert")


def run(*arguments, **options):
    return subprocess.run(
        [COMMAND, "train", "--model", "conv", *map(str, arguments)],
        capture_output=True,
        text=True,
        check=False,
        **options,
    )


def test_the_command_trains_with_flags_over_toml(tmp_path):
    (tmp_path / "run.toml").write_text("kernel_size = 3\nepochs = 9\nfilters = 8\n")
    result = run("toy", "-o", "m.safetensors", "--config", "run.toml", "--epochs", 1, "--p", "inf", cwd=tmp_path)
    assert result.returncode == 0, result.stderr
    assert "test accuracy" in result.stdout
    config = load(tmp_path / "m.safetensors").training.config
    assert (config["kernel_size"], config["epochs"], config["p"]) == (3, 1, "inf")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["m.safetensors", "run.toml"]


def test_the_command_trains_on_a_file(tmp_path):
    rows = [{"body": t, "topic": ["letters", "digits"][y]} for t, y in zip(*_rows(200), strict=True)]
    rows.append({"body": "", "topic": "digits"})
    (tmp_path / "rows.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    columns = ("--text-column", "body", "--label-column", "topic", "--kernel-size", 2, "--epochs", 1)
    result = run("rows.jsonl", *columns, cwd=tmp_path)
    assert result.returncode == 2
    assert result.stderr.startswith("levcert: rows.jsonl: line 201: missing text.")
    result = run("rows.jsonl", *columns, "--on-bad-row", "skip", cwd=tmp_path)
    assert result.returncode == 0, result.stderr
    assert "skipped 1 row: missing text" in result.stderr
    assert load(tmp_path / "model.safetensors").labels == ("digits", "letters")


def _rows(count):
    toy = load_dataset("toy")
    return toy.train.texts[:count], toy.train.labels[:count]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("toy", "-o", "model.pt"), "must end in .safetensors"),
        (("toy", "-o", "no/model.safetensors"), "folder does not exist"),
        (("toy", "--p", "3"), "p must be 1, 2 or inf"),
        (("toy", "--orders", "4,6"), "orders belongs to the model votes"),
        (("nothing.csv",), "nothing.csv does not exist"),
        (("nothing",), "no dataset 'nothing'"),
    ],
)
def test_bad_input_is_one_sentence_and_exit_code_2(tmp_path, arguments, message):
    result = run(*arguments, cwd=tmp_path)
    assert result.returncode == 2
    assert message in result.stderr
    assert result.stderr.count("\n") == 1
    assert not list(tmp_path.iterdir())


def test_ctrl_c_saves_and_resume_goes_on(tmp_path):
    arguments = ["train", "toy", "--model", "conv", "-o", "m.safetensors", "--epochs", "100000", "--kernel-size", "3"]
    code = (
        "import sys; from levcert.cli import app as cli; from levcert.training.conv import loop\n"
        f"loop.SECONDS_BETWEEN_CHECKPOINTS = 0.1; sys.argv = ['levcert', *{arguments!r}]; cli.main()"
    )
    process = subprocess.Popen([sys.executable, "-c", code], cwd=tmp_path, stderr=subprocess.PIPE, text=True)
    for _ in range(1200):  # until training has begun, however slow the machine
        if (tmp_path / "m.checkpoint").exists():
            break
        time.sleep(0.1)
    os.kill(process.pid, signal.SIGINT)
    _, stderr = process.communicate(timeout=60)
    assert process.returncode == 130
    assert "--resume" in stderr
    assert (tmp_path / "m.checkpoint").exists()
    assert not (tmp_path / "m.safetensors").exists()
    result = run("toy", "-o", "m.safetensors", "--epochs", "3", "--kernel-size", "3", "--resume", cwd=tmp_path)
    assert "belongs to a run with a different config" in result.stderr
