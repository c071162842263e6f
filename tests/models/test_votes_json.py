"""The readers of docs/readers give the scores of levcert, number for number, on hostile Unicode."""

import importlib.util
import json
import random
from pathlib import Path

import numpy as np
import pytest

from levcert import Alphabet, VoteModel
from tests.browser import started_browser

READERS = Path(__file__).parents[2] / "docs" / "readers"
HOSTILE = [
    "",
    " ",
    "abc",
    "ABC",
    "İ",
    "Σς",
    "ß",
    "ﬁ",
    "e\u0301",
    "\u200b",
    "\U0001f600",
    "\U0001f468\u200d\U0001f469",
    "\x00",
    "\ud800",
    "a\ud800b",
    "\udc00\ud800",
    "\uffff",
    "\U0010ffff",
    "аbс",
    "ｆｒｅｅ",
]


def models():
    rng = np.random.default_rng(1)
    alphabets = [
        Alphabet("abc σς"),
        Alphabet("abc\U0001f600\ud800é", fold="none", unknown="symbol"),
        Alphabet("abcdefr ", unknown="symbol"),
        Alphabet("abcdefr ", fold="lookalikes", unknown="symbol"),  # some characters are unknown, others dropped
        Alphabet.bytes(),
    ]
    for alphabet, orders in zip(alphabets, [(1,), (2, 3), (1, 4), (1, 2), (2, 5)], strict=True):
        votes = rng.integers(-127, 128, size=(len(orders), 4096, 3)).astype(np.int8)
        votes[:, rng.random(4096) < 0.5] = 0
        yield VoteModel(alphabet, votes, orders, labels=["x", "ÿ", '"</script>'])


def texts(count=150):
    rng = random.Random(1)
    pieces = [*HOSTILE, *"abcABC ΣσςI"]
    return HOSTILE + ["".join(rng.choice(pieces) for _ in range(rng.randint(0, 12))) for _ in range(count)]


@pytest.fixture(scope="module")
def reader():
    spec = importlib.util.spec_from_file_location("votes_reader", READERS / "votes_reader.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.VotesReader


def inputs(model):
    if model.alphabet.kind == "characters":
        return texts()
    return [text.encode("utf-8", "surrogatepass") for text in texts()]


@pytest.mark.parametrize("model", list(models()), ids=repr)
def test_the_python_reader(model, reader):
    read = reader(model.to_json())
    expected = np.rint(model.scores(inputs(model)) * 128).astype(int).tolist()
    assert [read.scores(text) for text in inputs(model)] == expected
    assert [read.predict(text) for text in inputs(model)] == model.predict(inputs(model)).tolist()


def test_the_javascript_reader():
    source = (
        (READERS / "votes_reader.js").read_text(encoding="utf-8").replace("export class", "window.VotesReader = class")
    )
    with started_browser() as browser:
        page = browser.new_page()
        page.add_script_tag(content=source)
        for model in models():
            given = [list(text) if isinstance(text, bytes) else [ord(c) for c in text] for text in inputs(model)]
            found = page.evaluate(
                """([model, texts, bytes]) => {
                    const reader = new VotesReader(model);
                    // One code point at a time: a pair of lone surrogates in Python is one character here.
                    return texts.map((points) => bytes ? Uint8Array.from(points) : String.fromCodePoint(...points))
                        .map((text) => [reader.scores(text), reader.predict(text)]);
                }""",
                [model.to_json(), given, model.alphabet.kind == "bytes"],
            )
            asked = inputs(model)
            if model.alphabet.kind == "characters":  # what JavaScript makes of surrogates: pairs are one character
                asked = [text.encode("utf-16", "surrogatepass").decode("utf-16", "surrogatepass") for text in asked]
            expected = np.rint(model.scores(asked) * 128).astype(int).tolist()
            assert [scores for scores, _ in found] == expected
            assert [label for _, label in found] == model.predict(asked).tolist()


def test_another_format_is_rejected(reader):
    fields = json.loads(next(models()).to_json())
    with pytest.raises(ValueError, match="version 1"):
        reader(json.dumps(fields | {"version": 2}))
