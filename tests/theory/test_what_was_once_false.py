"""Every case in which levcert once said more than is true: each stays a test for ever."""

import io
import json
import math
import random

import numpy as np
import pytest

import levcert
from levcert import Alphabet, ConvModel, InputError, RowReader, Threat, VoteModel, certify
from levcert.certifiers.brute_force import BruteForce
from levcert.certifiers.exact import Exact
from levcert.cli.inputs import GivenTexts
from levcert.cli.reading_flags import RunReading
from levcert.text.threat import keyboard_neighbours
from tests.models.test_votes import slow_row


def votes_of(units, symbols="abc", order=2):
    """Votes for the first of two classes, by n-gram; 0 stands for the padding."""
    table = np.zeros((1, 2**12, 2), dtype=np.int8)
    for gram, votes in units.items():
        ids = [0 if symbol == "0" else symbols.index(symbol) + 1 for symbol in gram]
        table[0, slow_row(ids, 2**12), 0] = votes
    return VoteModel(Alphabet(symbols, unknown="symbol"), table, [order], labels=["y", "x"])


class TestDeleteAndInsertAtTheSamePlace:
    """It is a substitution, but perhaps one that the threat does not allow (item 1)."""

    MODEL = votes_of({"0a": 1, "0b": 1, "ab": 2, "ac": 1, "ca": 1, "cb": -1})

    @pytest.mark.parametrize("method", ["exact", "auto", Exact(nodes=None)])
    @pytest.mark.parametrize(
        "threat",
        [
            Threat({"insert", "delete"}),
            Threat(neighbours={}),
            Threat(neighbours=keyboard_neighbours()),
            Threat({"insert", "delete"}, symbols="c"),
        ],
    )
    def test_two_edits_are_found(self, method, threat):
        assert self.MODEL.predict(["cba"])[0] != self.MODEL.predict(["aba"])[0]
        row = certify(self.MODEL, ["aba"], method, threat=threat)[0]
        assert row.radius < 2
        if row.counterexample is not None:
            assert self.MODEL.predict([row.counterexample])[0] != row.label


def test_delete_and_insert_at_the_same_place_for_convolutions():
    """Votes have a search of their own now; the search for pairs is that of convolutions."""
    kernel = [
        [[-1, 2, 0], [1, 0, 0], [-2, 1, -1], [-1, -1, 1]],
        [[0, -2, 1], [2, 1, -2], [1, -2, 1], [-1, -2, 0]],
    ]
    model = ConvModel(Alphabet("abc"), np.eye(3), [kernel], [[-1, 0, -1, 1], [0, 0, 0, 0]])
    operations = {"insert", "delete"}
    label = model.predict(["aab"])[0]
    assert (model.predict(list(levcert.Ball("aab", 1, "abc", operations))) == label).all()
    assert (model.predict(list(levcert.Ball("aab", 2, "abc", operations))) != label).any()
    row = certify(model, ["aab"], "exact", operations=operations)[0]
    assert (row.radius, row.upper) == (1, 2)


def test_a_substitution_by_a_dropped_character_is_a_deletion_to_the_model():
    """Item 3: …party → …part€, with substitutions only, and with the € as the only character to bring in."""
    model = ConvModel(Alphabet("ab"), [[1.0], [-3.0]], [[[[1.0]]]], [[0.0], [1.0]])
    assert list(model.predict(["a", "€"])) == ["1", "0"]
    for threat in (Threat({"substitute"}), Threat({"substitute"}, symbols="€"), Threat({"substitute"}, symbols="b€")):
        for method in ("exact", "auto", "lipschitz", "interval", "brute-force"):
            row = certify(model, ["a"], method, threat=threat, max_distance=1)[0]
            assert row.radius == 0, (threat, method)
            if row.counterexample is not None:
                assert row.counterexample in ("b", model.alphabet.dropped_character, "€")
    found = levcert.attack(model, ["a"], threat=Threat({"substitute"}, symbols="€"))[0]
    assert (found.adversarial, found.distance) == ("€", 1)


class TestAThreatBelongsToItsCertificate:
    """Item 4: rows, files and sentences say which edits are meant, and of what."""

    MODEL = ConvModel(Alphabet("ab"), [[1.0], [-3.0]], [[[[1.0]]]], [[0.0], [1.0]])

    @pytest.mark.parametrize("ending", ["csv", "jsonl", "parquet"])
    @pytest.mark.parametrize(
        "threat",
        [Threat(), Threat({"delete"}), Threat(symbols="a€"), Threat({"substitute"}, neighbours={"a": "b", "é": "è"})],
    )
    def test_files_keep_it(self, tmp_path, ending, threat):
        rows = certify(self.MODEL, ["aaa", "b"], threat=threat)
        rows.save(tmp_path / f"rows.{ending}")
        assert levcert.Certificates.read(tmp_path / f"rows.{ending}") == rows
        assert {(row.threat, row.unit) for row in rows} == {(threat, "characters")}

    def test_bytes_are_called_bytes(self, tmp_path):
        table = np.zeros((1, 2**12, 2), dtype=np.int8)
        model = VoteModel(Alphabet.bytes(), table, [2])
        row = certify(model, [b"\xff\x00"], threat=Threat({"insert"}, symbols=b"\x00\xff"))[0]
        assert row.unit == "bytes"
        assert "byte insertion" in str(row)
        levcert.Certificates([row]).save(tmp_path / "rows.jsonl")
        assert levcert.Certificates.read(tmp_path / "rows.jsonl")[0] == row
        stored = json.loads((tmp_path / "rows.jsonl").read_text())
        assert json.loads(stored["threat"])["symbols_hex"] == "00ff"

    def test_a_file_that_does_not_say_is_not_believed_to_mean_any_edit(self, tmp_path):
        old = {"text": "a", "label": "x", "radius": 2, "margin": 1.0, "method": "exact", "claim": "proved"}
        old |= {"upper": None, "counterexample": None, "seconds": 0.1}
        (tmp_path / "old.jsonl").write_text(json.dumps(old) + "\n")
        [row] = levcert.Certificates.read(tmp_path / "old.jsonl")
        assert row.threat is None
        assert "does not say" in str(row)


def test_no_counterexample_of_the_model_under_the_label_of_the_smoothed_classifier():
    """Item 5."""
    from levcert.evaluation.evaluator import with_attack

    model = ConvModel(Alphabet("ab"), [[1.0], [-3.0]], [[[[1.0]]]], [[0.0], [1.0]])
    [row] = certify(model, ["aaaaaaaa"], "smoothing")
    assert with_attack(model, row, 8) == row


def test_a_proof_that_meets_a_counterexample_is_exact_whoever_found_it():
    """Item 7: one place decides the claim."""
    from dataclasses import replace

    row = levcert.Certificate("a", "x", 2, 1.0, "lipschitz", "proved")
    assert replace(row, upper=3, counterexample="b").claim == "exact"
    assert replace(row, upper=4, counterexample="b").claim == "proved"
    published = levcert.Certificate("a", "x", 2, 1.0, "lipslev", "substitutions only", upper=3, counterexample="b")
    assert published.claim == "substitutions only"


class TestCallables:
    """Item 8."""

    @pytest.mark.parametrize("pair", [("x", "x\0"), (1, "1"), (None, "None"), (True, "True")])
    def test_labels_that_look_alike_are_not_merged(self, pair):
        def classify(texts):
            return [pair["b" in text] for text in texts]

        with pytest.raises(InputError, match="same name") if str(pair[0]) == str(pair[1]) else _nothing():
            row = levcert.certify_callable(classify, ["a"], "brute-force", symbols="ab")[0]
            assert row.radius == 0

    def test_an_alphabet_of_brute_force_is_part_of_the_threat(self):
        row = certify(lambda texts: ["b" in text for text in texts], ["aa"], BruteForce(alphabet="a"))[0]
        assert (row.radius, row.threat) == (1, Threat(symbols="a"))

    def test_a_function_that_answers_by_chance_is_noticed(self):
        rng = random.Random(1)
        with pytest.raises(InputError, match="depends on chance"):
            levcert.certify_callable(
                lambda texts: [rng.random() < 0.5 for _ in texts], ["aaaa"] * 20, "brute-force", symbols="ab"
            )

    def test_a_function_that_depends_on_its_batch_is_noticed(self):
        def by_batch(texts):
            return [len(texts) > 1 for _ in texts]

        with pytest.raises(InputError, match="batch"):
            levcert.certify_callable(by_batch, ["a"], "brute-force", symbols="ab")


class TestTextsAreThoseThatWereGiven:
    """Item 9."""

    def test_symbols_outside_the_alphabet(self):
        model = ConvModel(Alphabet("ab"), [[1.0], [-3.0]], [[[[1.0]]]], [[0.0], [1.0]])
        row = certify(model, ["a"], "brute-force", threat=Threat(symbols="€b"))[0]
        assert row.radius == 0

    def test_a_carriage_return_at_the_end_of_a_line_is_kept_unless_it_ends_the_line(self, monkeypatch):
        monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(b"a\r\nb\r\r\nc\r")))
        assert list(GivenTexts().read(RunReading()).texts) == ["a", "b\r", "c\r"]

    def test_a_carriage_return_in_a_table_does_not_make_two_texts(self, tmp_path):
        (tmp_path / "rows.tsv").write_bytes(b"text\na\rb\nc\r\nd")
        assert [row.text for row in RowReader(tmp_path / "rows.tsv", label_column=None)] == ["a\rb", "c", "d"]
        (tmp_path / "rows.csv").write_bytes(b'text\n"a\rb"\nc\r\nd')
        assert [row.text for row in RowReader(tmp_path / "rows.csv", label_column=None)] == ["a\rb", "c", "d"]
        (tmp_path / "bare.csv").write_bytes(b"text\na\rb\n")
        with pytest.raises(InputError, match="line 2"):
            list(RowReader(tmp_path / "bare.csv", label_column=None))


def _nothing():
    import contextlib

    return contextlib.nullcontext()


def test_gelu_with_subnormal_weights_keeps_its_digits():
    """The slope of GELU times a subnormal weight would lose them, and large features would bring that to light."""
    tiny = 3 * 2.0**-1074
    model = ConvModel(
        Alphabet("ab"), [[1e120], [-1e120]], [[[[1e120]]]], [[tiny], [0.0]], activation="gelu", labels=["x", "y"]
    )
    text = "a" * 6
    for method in ("lipschitz", "exact"):
        radius = certify(model, [text], method)[0].radius
        ball = levcert.Ball(text, min(radius, 3), model.alphabet)
        assert (model.predict(list(ball)) == model.predict([text])[0]).all()
    assert math.isfinite(model.rounding(10))
