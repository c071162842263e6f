import json

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from safetensors.numpy import load_file, save_file

from levcert import Alphabet, ConvModel, InputError, load
from levcert.models import conv_bounds
from levcert.models.activations import ACTIVATIONS, get_activation
from tests.slow_twins import slow_edit_effects, slow_scores

LETTERS = "abcd"


def random_model(seed=0, symbols=3, layers=1, taps=3, filters=4, classes=2, scale=1.0, **options):
    rng = np.random.default_rng(seed)
    sizes = [2] + [filters] * layers
    return ConvModel(
        Alphabet(LETTERS[:symbols]),
        rng.normal(size=(symbols, 2)) * scale,
        [rng.normal(size=(taps, sizes[i + 1], sizes[i])) for i in range(layers)],
        rng.normal(size=(classes, filters)),
        **options,
    )


def network_scores(model, ids):
    """The paper's equation, literally: full zero padding, convolution, activation, sum, head."""
    sigma = {
        "relu": lambda x: np.maximum(x, 0),
        "leaky_relu": lambda x: np.where(x > 0, x, 0.01 * x),
        "tanh": np.tanh,
        "gelu": lambda x: torch.nn.functional.gelu(torch.from_numpy(x)).numpy(),
    }[model.activation.name]
    rows = np.array([model.embedding[i - 1] for i in ids]).reshape(-1, model.embedding.shape[1])
    for K in model.kernels:
        q = len(K)
        padded = np.vstack([np.zeros((q - 1, rows.shape[1])), rows, np.zeros((q - 1, rows.shape[1]))])
        count = len(padded) - q + 1
        rows = np.array([sigma(sum(K[j] @ padded[i + j] for j in range(q))) for i in range(count)])
        rows = rows.reshape(-1, K.shape[1])
    return rows.sum(axis=0) @ model.head.T


MODELS = st.builds(
    random_model,
    seed=st.integers(0, 10_000),
    symbols=st.integers(2, 4),
    layers=st.integers(1, 3),
    taps=st.sampled_from([1, 2, 3, 6, 11]),
    filters=st.sampled_from([1, 5, 9]),
    classes=st.integers(2, 3),
    activation=st.sampled_from(sorted(ACTIVATIONS)),
)
IDS = st.lists(st.integers(1, 2), max_size=9).map(lambda ids: np.array(ids, dtype=np.int32))


@given(MODELS, st.lists(IDS, max_size=4))
@settings(max_examples=60)
def test_scores_are_the_paper_s_network(model, texts):
    scores = model.scores([model.alphabet.decode(ids) for ids in texts])
    for row, ids in zip(scores, texts, strict=True):
        np.testing.assert_allclose(row, network_scores(model, ids), rtol=1e-9, atol=1e-9)


@given(MODELS, IDS)
@settings(max_examples=40)
def test_the_network_is_a_window_sum(model, ids):
    np.testing.assert_allclose(
        model.scores([model.alphabet.decode(ids)])[0], slow_scores(model, ids), rtol=1e-9, atol=1e-9
    )
    assert not model.window_scores(np.zeros((1, model.width), dtype=np.int32)).any()


@given(MODELS.filter(lambda model: model.width <= 9), IDS.filter(lambda ids: len(ids) <= 5))
@settings(max_examples=25)
def test_edit_effects(model, ids):
    fast, slow = model.edit_effects(ids), slow_edit_effects(model, ids)
    for name in ("insertions", "deletions", "substitutions"):
        np.testing.assert_allclose(getattr(fast, name), getattr(slow, name), rtol=1e-9, atol=1e-9)


@given(MODELS, st.lists(IDS, min_size=2, max_size=6))
@settings(max_examples=30)
def test_a_text_scores_the_same_bits_alone_and_in_any_batch(model, texts):
    texts = [model.alphabet.decode(ids) for ids in texts]
    together = model.scores(texts)
    for text, row in zip(texts, together, strict=True):
        np.testing.assert_array_equal(model.scores([text])[0], row)


def test_many_deep_texts_are_evaluated_in_parts(monkeypatch):
    model = random_model(layers=2)
    texts = ["abc" * n for n in range(9)]
    whole = model.scores(texts)
    monkeypatch.setattr("levcert.models.conv._ROWS_AT_ONCE", 10)
    np.testing.assert_array_equal(model.scores(texts), whole)


def test_mean_pooling_changes_scores_but_no_label():
    texts = ["", "a", "abcab", "bca" * 9]
    total, mean = random_model(), random_model(pooling="mean")
    positions = np.array([len(text) + 2 for text in texts])
    np.testing.assert_allclose(mean.scores(texts) * positions[:, None], total.scores(texts))
    assert list(mean.predict(texts)) == list(total.predict(texts))


@pytest.mark.parametrize("layers", [1, 2])
def test_files_give_the_same_model(tmp_path, layers):
    model = random_model(layers=layers, activation="tanh", labels=("no", "yes"), training={"seed": 4})
    model.save(tmp_path / "m.safetensors")
    again = load(tmp_path / "m.safetensors")
    assert isinstance(again, ConvModel)
    np.testing.assert_array_equal(again.scores(["abc"]), model.scores(["abc"]))
    assert (again.labels, again.training, again.activation) == (model.labels, model.training, model.activation)
    assert repr(again) == repr(model)


def test_loading_needs_no_torch(tmp_path):
    import subprocess
    import sys

    random_model().save(tmp_path / "m.safetensors")
    code = f"import sys, levcert; levcert.load({str(tmp_path / 'm.safetensors')!r}).predict(['ab']); "
    code += "print('torch' in sys.modules or 'sklearn' in sys.modules)"
    assert subprocess.check_output([sys.executable, "-c", code], text=True).strip() == "False"


def _rewrite(path, change):
    from safetensors import safe_open

    with safe_open(path, framework="np") as file:
        fields = json.loads(file.metadata()["levcert"])
    tensors = load_file(path)
    change(fields, tensors)
    fields.pop("sha256")
    save_file(tensors, path, metadata={"levcert": json.dumps(fields)})


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (
            lambda fields, tensors: fields.update(kind="forest"),
            "kind is 'forest', and this version of levcert knows conv",
        ),
        (lambda fields, tensors: tensors.update(bias=np.ones(4)), "contains a bias"),
        (lambda fields, tensors: tensors.update(tail=np.ones(4)), "do not belong to a convolutional model"),
        (lambda fields, tensors: tensors.pop("head"), "no tensor 'head'"),
        (lambda fields, tensors: tensors.update(head=np.ones((2, 9))), "shape"),
        (lambda fields, tensors: tensors.update(embedding=np.ones((7, 2))), "shape"),
        (lambda fields, tensors: fields["options"].update(layers=2), "no tensor 'kernel.1'"),
        (lambda fields, tensors: fields["options"].update(layers="many"), "invalid number of layers 'many'"),
        (lambda fields, tensors: fields["options"].update(activation="sigmoid"), "not 0 at 0"),
        (lambda fields, tensors: fields["options"].update(pooling="max"), "sum or mean"),
    ],
)
def test_files_that_do_not_fit_are_refused(tmp_path, change, message):
    path = tmp_path / "m.safetensors"
    random_model().save(path)
    _rewrite(path, change)
    with pytest.raises(InputError, match=message):
        load(path)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"bias": np.zeros(4)}, "not be a window sum"),
        ({"kernels": []}, "at least one kernel"),
        ({"embedding": np.ones((2, 2))}, "2 rows for an alphabet of 3"),
        ({"embedding": np.full((3, 2), np.nan)}, "NaN"),
        ({"embedding": np.ones(3)}, "2 dimensions"),
        ({"kernels": [np.ones((3, 4, 5))]}, "takes 5 inputs"),
        ({"head": np.ones((2, 9))}, "takes 9 features"),
        ({"labels": ("a", "b", "c")}, "2 rows for 3 labels"),
        ({"activation": "softplus"}, "not 0 at 0"),
        ({"activation": "swish"}, "no activation"),
        ({"pooling": "max"}, "sum or mean"),
        ({"alphabet": "abc"}, "an Alphabet"),
        ({"kernels": None}, "a list of arrays"),
        ({"embedding": "x"}, "not an array of numbers"),
        ({"labels": 5}, "at least two distinct labels"),
        ({"activation": []}, "by its name"),
    ],
)
def test_models_that_are_none_are_refused(changes, message):
    parts = {"alphabet": Alphabet("abc"), "embedding": np.ones((3, 2)), "head": np.ones((2, 4))}
    parts["kernels"] = [np.ones((3, 4, 2))]
    with pytest.raises(InputError, match=message):
        ConvModel(**parts | changes)


def _torch_layers(**changes):
    options = {"bias": False, "padding": 2} | changes
    return torch.nn.Embedding(3, 2), [torch.nn.Conv1d(2, 4, 3, **options)], torch.nn.Linear(4, 2, bias=False)


def test_torch_layers_are_imported():
    embedding, convolutions, head = _torch_layers()
    model = ConvModel.from_torch(Alphabet("abc"), embedding, convolutions, head)
    ids = torch.tensor([[0, 1, 2, 1]])
    with torch.no_grad():
        expected = head(torch.relu(convolutions[0](embedding(ids).transpose(1, 2))).sum(dim=2))
    np.testing.assert_allclose(model.scores(["abcb"]), expected.numpy(), rtol=1e-5)


@pytest.mark.parametrize(
    ("changes", "message"), [({"bias": True}, "bias=False"), ({"padding": 0}, "padding 2"), ({"stride": 2}, "stride 1")]
)
def test_torch_layers_that_are_no_window_sum_are_refused(changes, message):
    with pytest.raises(InputError, match=message):
        ConvModel.from_torch(Alphabet("abc"), *_torch_layers(**changes))


@pytest.mark.parametrize("name", sorted(ACTIVATIONS))
def test_lipschitz_constants_of_activations_are_true_and_tight(name):
    activation = get_activation(name)
    xs = np.linspace(-6, 6, 401)
    models = [ConvModel(Alphabet("a"), [[x]], [[[[1.0]]]], [[1.0], [0.0]], activation=name) for x in xs]
    values = [model.scores(["a"])[0, 0] for model in models]
    slopes = np.diff(values) / np.diff(xs)
    assert np.abs(slopes).max() <= activation.lipschitz
    assert np.abs(slopes).max() >= activation.lipschitz * 0.99
    assert (slopes.min() >= 0) == activation.increasing


@given(MODELS.filter(lambda model: len(model.kernels) < 3), IDS, st.data())
@settings(max_examples=60)
def test_theorem_substitutions_lose_at_most_the_paper_s_constant(model, ids, data):
    """Page 2 of the design: the published constant is proved for substitutions."""
    other = ids.copy()
    for position in data.draw(st.sets(st.integers(0, max(len(ids) - 1, 0)), max_size=2)) if len(ids) else ():
        other[position] = data.draw(st.integers(1, model.alphabet.size))
    distance = int((ids != other).sum())
    scores = model.scores([model.alphabet.decode(x) for x in (ids, other)])
    change = np.abs((scores[0][:, None] - scores[0][None]) - (scores[1][:, None] - scores[1][None]))
    for p in (1, 2, np.inf):
        assert (change <= model.constants(p) * distance + 1e-9).all()


def test_windows_of_a_hundred_thousand_characters_are_refused():
    with pytest.raises(InputError, match="at most 1,024"):
        ConvModel(Alphabet("ab"), np.ones((2, 1)), [np.ones((100_000, 1, 1))], np.ones((2, 1)))


def test_a_small_file_with_a_large_table_is_refused(tmp_path):
    """100,000 symbols and 1,024 × 100 filters in 2 MB would be a table of 80 GB."""
    symbols = "".join(map(chr, range(0x3400, 0x9000)))
    header = {
        "format_version": 1, "kind": "conv", "labels": ["x", "y"], "options": {"layers": 1}, "training": {},
        "alphabet": {"kind": "characters", "symbols": symbols, "folding": False, "unknown": "drop"},
    }  # fmt: skip
    tensors = {"embedding": np.ones((len(symbols), 1), np.float16), "head": np.ones((2, 100), np.float16)}
    save_file(
        tensors | {"kernel.0": np.ones((1024, 100, 1), np.float16)},
        tmp_path / "m.safetensors",
        metadata={"levcert": json.dumps(header)},
    )
    with pytest.raises(InputError, match="may ask for 67,108,864"):
        load(tmp_path / "m.safetensors")


def test_bounds_that_would_take_hours_are_refused(monkeypatch):
    model = random_model()
    monkeypatch.setattr(conv_bounds, "_MOST_OPERATIONS", 1.0)
    with pytest.raises(InputError, match="take too long"):
        _ = model.tap_costs
