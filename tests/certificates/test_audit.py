"""The audit: it scores as levcert does, confirms what is true, and refutes what is not."""

import ast
import sys
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import levcert
from levcert import Alphabet, VoteModel
from levcert.certificates.audit import (
    audit,
    read_classifier,
)
from tests.certificates.audit_cases import (
    ALPHABETS,
    ANY,
    SUBSTITUTE,
    THREATS,
    UNKNOWN,
    check,
    convolution,
    models,
    row,
    truth,
    typed,
    votes,
)
from tests.counting_model import counting_model


def test_it_imports_nothing_of_levcert_but_the_error():
    tree = ast.parse(Path(levcert.certificates.audit.__file__).read_text(encoding="utf-8"))
    names = {node.module for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)}
    names |= {alias.name for node in ast.walk(tree) if isinstance(node, ast.Import) for alias in node.names}
    others = {name for name in names if name.split(".")[0] not in sys.stdlib_module_names}
    assert others == {"levcert.errors", "pyarrow.parquet"}


class TestVerdicts:
    @given(st.data(), models(kinds=("drop", "symbol", "cased")), THREATS)
    @settings(max_examples=150)
    def test_true_rows_are_confirmed_and_larger_radii_refuted(self, saved, data, model, threat):
        text = data.draw(typed(model.alphabet).filter(lambda text: len(text) < 5))
        self.check_truth(saved(model), model, text, threat)

    @given(st.data(), models(kinds=("bytes",)), THREATS)
    @settings(max_examples=60)
    def test_bytes(self, saved, data, model, threat):
        text = data.draw(st.binary(max_size=3))
        symbols = data.draw(st.sampled_from([b"a", b"b\xff", b"ab\x00\xff"]))  # the pool of the obvious ball
        operations = threat["operations"]
        fields = {"operations": operations, "symbols_hex": symbols.hex(), "neighbours": None}
        obvious = {"operations": operations, "symbols": symbols, "neighbours": None}
        self.check_truth(saved(model), model, text, fields, obvious)

    def check_truth(self, path, model, text, threat, obvious=None):
        label, nearest = truth(model, text, obvious or threat, 2)
        accepted = ("confirmed by enumeration", "too close to call")
        assert (
            check(path, row(text, label, 2 if nearest is None else nearest[0] - 1, threat=threat)).verdict in accepted
        )
        if nearest is None:
            return
        distance, other = nearest
        exact = row(text, label, distance - 1, "exact", other, distance, threat=threat)
        assert check(path, exact).verdict in accepted
        finding = check(path, row(text, label, distance, threat=threat))
        assert finding.verdict in ("REFUTED", "too close to call")
        assert finding.witness is not None
        if isinstance(model, VoteModel):  # whole numbers: never too close
            assert finding.verdict == "REFUTED"
            assert str(model.predict([finding.witness])[0]) != label

    def test_deleting_and_inserting_is_no_substitution_that_the_threat_forbids(self, saved):
        """A case that `exact` of version 0.1 got wrong: "aba" becomes "cba"."""
        model = VoteModel(Alphabet("abc"), np.zeros((1, 2**12, 2), dtype=np.int8), [2])
        rows = read_classifier(saved(model)).model
        table = np.zeros((1, 2**12, 2), dtype=np.int8)
        for pair, vote in {(0, 1): 1, (0, 2): 1, (1, 2): 2, (1, 3): 1, (3, 1): 1, (3, 2): -1}.items():
            table[0, rows.row(pair), 0] = vote
        path = saved(VoteModel(Alphabet("abc"), table, [2], labels=["kept", "lost"]))
        threat = ANY | {"operations": ["insert", "delete"]}
        assert check(path, row("aba", "kept", 1, threat=threat)).verdict == "confirmed by enumeration"
        finding = check(path, row("aba", "kept", 2, threat=threat))
        assert finding.verdict == "REFUTED"
        assert finding.witness == "cba"

    @pytest.fixture
    def counting(self, saved):
        """Letters against digits, in votes of order 1: a tie goes to letters, the first label."""
        alphabet = Alphabet("abc12", unknown="drop")
        hashes = read_classifier(saved(VoteModel(alphabet, np.zeros((1, 2**12, 2), dtype=np.int8), [1]))).model
        table = np.zeros((1, 2**12, 2), dtype=np.int8)
        for id_, symbol in enumerate("abc12", 1):
            table[0, hashes.row([id_]), int(symbol.isdigit())] = 1
        return saved(VoteModel(alphabet, table, [1], labels=["letters", "digits"]))

    @pytest.mark.parametrize(
        ("forged", "reason"),
        [
            (row("abc", "letters", 2), "the radius is 2, and 2 edits can give the label 'digits'"),
            (row("abc", "digits", 0), "the text has the label 'letters', not 'digits'"),
            (row("abc", "fruit", 0), "the text has the label 'letters', not 'fruit'"),
            (row("abc", "letters", 1, "exact"), "there is no counterexample"),
            (row("abc", "letters", 1, "exact", "212", 2), "not within 2 allowed edits"),
            (row("abc", "letters", 1, "exact", "ab1", 2), "the counterexample has the label 'letters' as well"),
            (row("ab", "letters", 0, "exact", "a1", 1), "the counterexample has the label 'letters' as well"),  # a tie
            (row("abc", "letters", 1, "exact", "a12", 3), "2 edits away, not 3"),
            (row("abc", "letters", 0, "exact", "a12", 2), "with the radius 0 and a counterexample at 2"),
            (row("abc", "letters", 1, "proved", "a12", 1), "not within 1 allowed edit of"),
            (row("abc", "letters", 2, "proved", "a12", 2), "the counterexample is 2 edits away, within the radius 2"),
            (row("abc", "letters", 1, "exact", "a12", 2, ANY | {"operations": ["insert"]}), "not within 2 allowed"),
            (row("abc", "letters", 1, "exact", "a12", 2, ANY | {"symbols": "1"}), "not within 2 allowed"),
            (row("abc", "letters", 1, "exact", "a12", 2, ANY | {"neighbours": {"b": "1"}}), "not within 2 allowed"),
            # As typed: a substitution by a dropped character deletes an id, one of a dropped character inserts one.
            (row("1", "digits", 1, threat=SUBSTITUTE | {"symbols": UNKNOWN}), "1 edit can give the label 'letters'"),
            (row("1" + UNKNOWN, "digits", 1, threat=SUBSTITUTE | {"symbols": "a"}), "1 edit can give"),
            (row("abc", "letters", 2, "substitutions only"), "2 edits can give the label 'digits'"),
            (row("a" * 300, "letters", 300), "edits can give the label 'digits'"),
            (row("a" * 30, "letters", 10**9), "edits can give the label 'digits'"),
        ],
    )  # fmt: skip
    def test_forgeries_are_refuted(self, counting, forged, reason):
        finding = check(counting, forged)
        assert finding.verdict == "REFUTED"
        assert reason in finding.sentence
        if finding.witness is not None:
            assert finding.witness != forged["text"] or forged["label"] != "letters"

    @pytest.mark.parametrize(
        "true",
        [
            row("abc", "letters", 1, "exact", "a12", 2),
            row("Abc", "letters", 1, "exact", "A12", 2),
            row("abc", "letters", 1, threat=None),
            row("", "letters", 0, "exact", "1", 1),
            row(UNKNOWN, "letters", 0, "exact", "1", 1),
            row("12", "digits", 0, "exact", "1a", 1),
            row(
                "abc", "letters", 3, threat=ANY | {"operations": ["delete"]}
            ),  # nothing left: a tie, and letters are first
            row("abc", "letters", 10**9, threat=ANY | {"operations": ["delete"]}),
            row("abc", "letters", 9, threat=ANY | {"neighbours": {"a": "b"}, "operations": ["substitute"]}),
            row("12", "digits", 1, "substitutions only", threat=ANY | {"symbols": "12" + UNKNOWN}),
            row("1", "digits", 9, "substitutions only", threat=ANY | {"symbols": UNKNOWN}),  # dropped, so not known
            row("1", "digits", 0, "exact", UNKNOWN, 1, SUBSTITUTE | {"symbols": UNKNOWN}),
            row("1" + UNKNOWN, "digits", 0, "exact", "1a", 1, SUBSTITUTE | {"symbols": "a"}),
            row("12" + UNKNOWN, "digits", 0, "substitutions only"),
        ],
    )
    def test_true_rows_are_confirmed(self, counting, true):
        finding = check(counting, true)
        assert finding.verdict == "confirmed by enumeration", finding

    def test_what_is_not_checked_says_so(self, counting):
        for claim in ("probability ≥ 0.999", "hoped"):
            finding = check(counting, row("abc", "digits", 7, claim))
            assert finding.verdict == "not checked"
        assert "another classifier" in check(counting, row("abc", "letters", 7, "probability ≥ 0.9")).sentence
        assert check(counting, row("abc", "letters", -1)).verdict == "not checked"

    def test_large_balls_are_tried(self, counting):
        finding = check(counting, row("a" * 200, "letters", 99), trials=50)
        assert finding.verdict == "not refuted"
        assert "trials within 99 edits, and by all texts within 1" in finding.sentence
        assert str(finding).startswith("row 1: not refuted by ")
        assert check(counting, row("a" * 200, "letters", 99), trials=0).verdict == "not refuted"
        assert "texts within" not in check(counting, row("a" * 20, "letters", 9), texts=1).sentence

    def test_the_same_seed_tries_the_same_texts(self, counting):
        rows = [row("ab" * 20 + "1" * 15, "letters", 20)]
        assert audit(counting, rows) == audit(counting, rows)

    def test_ties_of_floats_are_too_close_to_call(self, saved):
        path = saved(counting_model(weight=1.0))
        finding = check(path, row("12", "digits", 0, "exact", "1a", 1))
        assert finding.verdict == "confirmed by enumeration"
        finding = check(path, row("ab", "letters", 0, "exact", "a1", 1))
        assert finding.verdict == "too close to call"
        assert finding.witness == "a1"
        assert check(path, row("a1", "digits", 0)).verdict == "too close to call"
        assert check(path, row("ab", "letters", 1)).verdict == "confirmed by enumeration"
        assert check(path, row("ab", "letters", 2)).verdict == "REFUTED"

    def test_bounds_of_this_version_are_true(self, saved):
        rng = np.random.default_rng(0)
        for model in (votes(ALPHABETS["drop"], 3, share=0.3), convolution(ALPHABETS["symbol"], 4, (2, 2))):
            texts = ["".join(rng.choice(list("abcA" + UNKNOWN), 12)) for _ in range(20)]
            report = audit(saved(model), levcert.certify(model, texts, "lipschitz"), texts=2_000)
            assert not report.refuted
            assert report.counts["confirmed by enumeration"] > 0
            assert not report.notes or "20 rows without a threat" in report.notes[0]
