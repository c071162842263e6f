"""The audit: it scores as levcert does, confirms what is true, and refutes what is not."""

import ast
import csv
import dataclasses
import json
import struct
import sys
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from typer.testing import CliRunner

import levcert
from levcert import Alphabet, Ball, ConvModel, InputError, VoteModel, levenshtein
from levcert.certificates.audit import Alphabet as AuditAlphabet
from levcert.certificates.audit import (
    AuditReport,
    Neighbourhood,
    Script,
    Threat,
    audit,
    audit_each,
    read_classifier,
    threat_of,
)
from levcert.cli.app import app
from levcert.models.votes import UNIT
from tests.counting_model import counting_model

ANY = {"operations": ["delete", "insert", "substitute"], "symbols": None, "neighbours": None}
SUBSTITUTE = ANY | {"operations": ["substitute"]}
ALPHABETS = {
    "drop": Alphabet("abc"),
    "symbol": Alphabet("ab", unknown="symbol"),
    "cased": Alphabet("aAb", fold="none"),
    "bytes": Alphabet.bytes(),
}
UNKNOWN = "€"
ACTIVATIONS = ("relu", "leaky_relu", "tanh", "gelu")


def votes(alphabet, seed, orders=(1, 3), classes=2, largest=127, share=1.0):
    rng = np.random.default_rng(seed)
    shape = (len(orders), 2**12, classes)
    table = rng.integers(-largest, largest + 1, shape) * (rng.random((*shape[:2], 1)) < share)
    return VoteModel(alphabet, table.astype(np.int8), orders, labels=[f"label {y}" for y in range(classes)])


def convolution(alphabet, seed, taps=(2,), classes=2, activation="relu", pooling="sum"):
    rng = np.random.default_rng(seed)
    sizes = [2, *(3 for _ in taps)]
    kernels = [rng.normal(size=(q, after, before)) for q, before, after in zip(taps, sizes, sizes[1:], strict=False)]
    weights = rng.normal(size=(alphabet.size, 2)), kernels, rng.normal(size=(classes, sizes[-1]))
    return ConvModel(alphabet, *weights, activation=activation, pooling=pooling)


def typed(alphabet):
    """Texts with capitals, unknown characters and, for byte models, any bytes."""
    if alphabet.kind == "bytes":
        return st.binary(max_size=6)
    return st.text(st.sampled_from("abcABC" + UNKNOWN), max_size=6)


@st.composite
def models(draw, kinds=tuple(ALPHABETS)):
    alphabet = ALPHABETS[draw(st.sampled_from(kinds))]
    seed, classes = draw(st.integers(0, 10**6)), draw(st.integers(2, 3))
    if draw(st.booleans()):
        orders = tuple(sorted(draw(st.sets(st.integers(1, 4), min_size=1, max_size=2))))
        return votes(
            alphabet, seed, orders, classes, draw(st.sampled_from([1, 2, 127])), draw(st.sampled_from([1, 0.1]))
        )
    taps = draw(st.lists(st.integers(1, 3), min_size=1, max_size=3))
    pooling = draw(st.sampled_from(["sum", "mean"]))
    return convolution(alphabet, seed, taps, classes, draw(st.sampled_from(ACTIVATIONS)), pooling)


@pytest.fixture(scope="module")
def saved(tmp_path_factory):
    path = tmp_path_factory.mktemp("models") / "model.safetensors"

    def save(model):
        model.save(path)
        return path

    return save


def row(text, label, radius, claim="proved", counterexample=None, upper=None, threat=ANY, **other):
    """A certificate as the columns of its file."""
    unit = "bytes" if isinstance(text, bytes) else "characters"
    fields = {"text": text, "label": label, "radius": radius, "margin": 1.0, "method": "test", "claim": claim}
    if threat is not None:
        fields |= {"threat": json.dumps(threat), "unit": unit}
    return fields | {"upper": upper, "counterexample": counterexample, "seconds": 0.1} | other


def check(path, *rows, **options):
    report = audit(path, rows, **options)
    return report.findings[0] if len(rows) == 1 else report


def obvious_ball(text, k, alphabet, threat):
    """Every text within k allowed edits, typed with a rich set of characters; texts and threats are small."""
    pool = [bytes([b]) for b in b"ab\x00\xff"] if isinstance(text, bytes) else list("abcABCé" + UNKNOWN)
    symbols, neighbours, operations = threat["symbols"], threat["neighbours"], threat["operations"]
    if symbols is not None:
        pool = [c for c in pool if c in symbols]

    def near(old, new):
        if neighbours is None:
            return True
        return any(new in neighbours.get(key, "") for key in {old, alphabet.fold(old)})

    found = {text[:0]: 0}  # text made of the characters so far → least edits
    for t in range(len(text) + 1):
        for _ in range(k if "insert" in operations else 0):
            for made, cost in list(found.items()):
                for new in pool:
                    if cost < k:
                        found[made + new] = min(found.get(made + new, k), cost + 1)
        if t < len(text):
            old, after = text[t : t + 1], {}
            for made, cost in found.items():
                options = [(old, 0)]
                options += [(old[:0], 1)] if "delete" in operations else []
                options += [(new, 1) for new in pool if "substitute" in operations and new != old and near(old, new)]
                for new, price in options:
                    if cost + price <= k:
                        after[made + new] = min(after.get(made + new, k), cost + price)
            found = after
    return found


THREATS = st.fixed_dictionaries(
    {
        "operations": st.sets(st.sampled_from(ANY["operations"]), min_size=1).map(sorted),
        "symbols": st.none() | st.sampled_from(["a", "aB", "b" + UNKNOWN, UNKNOWN]),
        "neighbours": st.none() | st.just({"a": "b" + UNKNOWN, "B": "c", "c": "aB"}),
    }
)


def truth(model, text, threat, k):
    """The label by ``predict``, and the nearest text with another one, by enumeration."""
    label = str(model.predict([text])[0])
    ball = sorted(obvious_ball(text, k, model.alphabet, threat).items(), key=lambda item: item[1])
    after = model.predict([other for other, _ in ball])
    lost = [(distance, other) for (other, distance), now in zip(ball, after, strict=True) if now != label]
    return label, lost[0] if lost else None


def test_it_imports_nothing_of_levcert_but_the_error():
    tree = ast.parse(Path(levcert.certificates.audit.__file__).read_text(encoding="utf-8"))
    names = {node.module for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)}
    names |= {alias.name for node in ast.walk(tree) if isinstance(node, ast.Import) for alias in node.names}
    others = {name for name in names if name.split(".")[0] not in sys.stdlib_module_names}
    assert others == {"levcert.errors", "pyarrow.parquet"}


class TestScores:
    @given(st.data(), models())
    @settings(max_examples=150)
    def test_labels_and_scores_are_those_of_the_model(self, saved, data, model):
        classifier = read_classifier(saved(model))
        for text in data.draw(st.lists(typed(model.alphabet), min_size=1, max_size=4)):
            ids = classifier.alphabet.encode(classifier.alphabet.typed(text))
            encoded = model.alphabet.encode_many([text])
            assert list(ids) == encoded.ids.tolist()
            unit = UNIT if isinstance(model, VoteModel) else 1
            np.testing.assert_allclose(
                np.array(classifier.scores(ids)) * unit, model.encoded_scores(encoded)[0], atol=1e-9
            )
            decision = classifier.decide(ids)
            assert classifier.labels[decision.label] == model.predict([text])[0] or not decision.certain
            if not classifier.model.exact and (exact := classifier.model.exact_scores(ids)) is not None:
                scale = max(map(abs, exact)) or 1
                largest = max(map(abs, classifier.scores(ids)))
                np.testing.assert_allclose(
                    np.array([x / scale for x in exact]) * largest, classifier.scores(ids), atol=1e-9
                )

    @given(st.data(), models())
    @settings(max_examples=150)
    def test_scores_of_neighbours_are_those_of_whole_texts(self, saved, data, model):
        classifier = read_classifier(saved(model))
        texts = st.lists(st.integers(1, min(classifier.alphabet.size, 3)), max_size=9).map(tuple)
        one, other = data.draw(texts), data.draw(texts)
        cut = data.draw(st.integers(0, len(one)))
        for ids in (other, one[:cut] + other + one[cut:], one[:cut] + one[cut + 1 :], one):
            quick, slow = Neighbourhood(classifier, one).scores(ids), classifier.scores(ids)
            if classifier.model.exact:
                assert quick == slow
            assert np.abs(np.subtract(quick, slow)).max() <= 3 * classifier.rounding(ids)

    @given(st.text())
    @example("\u0130İiIıẞßǅΣςKÅ")
    def test_any_character_of_unicode_gets_the_same_id(self, text):
        for alphabet in (Alphabet("aäßıi̇ž\ud800 "[:4]), Alphabet("\u0130i\ufffd", unknown="symbol"), Alphabet.bytes()):
            own = AuditAlphabet.from_header(alphabet.to_dict())
            if alphabet.kind == "bytes" and any("\ud800" <= c <= "\udfff" for c in text):
                continue
            assert own.encode(own.typed(text)) == tuple(alphabet.encode(text).tolist())

    def test_whole_numbers_decide_where_floats_cannot(self, saved):
        third = 1 / 3
        model = ConvModel(Alphabet("ab"), [[third], [-third]], [[[[1.0]]]], [[1.0], [1.0 + 2**-52]])
        classifier = read_classifier(saved(model))
        assert classifier.decide((1,) * 9) == dataclasses.replace(classifier.decide((1,)), label=1, certain=False)
        assert classifier.decide(()).certain  # all scores are 0: the first label


class TestTheBall:
    @given(st.text("abcAB" + UNKNOWN, max_size=4), st.integers(0, 2), st.sampled_from(["drop", "symbol", "cased"]),
           st.sets(st.sampled_from(ANY["operations"]), min_size=1))  # fmt: skip
    @settings(max_examples=150)
    def test_it_is_that_of_levcert(self, text, k, kind, operations):
        alphabet = ALPHABETS[kind]
        own = AuditAlphabet.from_header(alphabet.to_dict())
        threat = Threat(own, frozenset(operations))
        ours = list(threat.texts(text, k))
        symbols = alphabet.symbols + UNKNOWN
        assert {own.encode(made) for made in ours} == {own.encode(made) for made in Ball(text, k, symbols, operations)}
        counts = threat.counts(text)
        assert len(ours) == sum(next(counts) for _ in range(k + 1))

    @given(
        st.text("abB" + UNKNOWN, max_size=4), st.integers(0, 2), st.sampled_from(["drop", "symbol", "cased"]), THREATS
    )
    @settings(max_examples=150)
    def test_restricted_threats(self, text, k, kind, fields):
        alphabet = ALPHABETS[kind]
        own = AuditAlphabet.from_header(alphabet.to_dict())
        threat = _threat(own, fields)
        ball = obvious_ball(text, k, alphabet, fields)
        assert {own.encode(made) for made in threat.texts(text, k)} == {own.encode(made) for made in ball}
        for other, distance in list(ball.items())[:30]:
            assert threat.distance(text, other, k) == distance
            assert threat.distance(text, other, distance - 1) is None

    @given(st.text("abc", max_size=7), st.text("abc", max_size=7))
    def test_the_distance_is_levenshtein_s(self, a, b):
        threat = Threat(AuditAlphabet.from_header(Alphabet("abc").to_dict()))
        assert threat.distance(a, b, 14) == levenshtein(a, b)

    @given(st.text("abB" + UNKNOWN, max_size=5), THREATS, st.integers(0, 3), st.randoms(use_true_random=False))
    def test_random_scripts_stay_inside(self, text, fields, k, rng):
        own = AuditAlphabet.from_header(ALPHABETS["drop"].to_dict())
        threat = _threat(own, fields)
        script = Script(threat, text)
        made = 0
        while made < k and (edit := script.random_edit(rng)) is not None:
            assert edit in set(script.edits())
            script = script.with_edit(edit)
            made += 1
        assert threat.distance(text, str(script), made) is not None


def _threat(alphabet, fields):
    rows = [row("", "x", 0, threat=fields)]
    from levcert.certificates.audit import read_rows

    return threat_of(next(read_rows(rows)), alphabet)


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


class TestFiles:
    @pytest.fixture
    def path(self, saved):
        return saved(votes(Alphabet("abc"), 0))

    def write(self, path, rows):
        names = dict.fromkeys(name for fields in rows for name in fields)
        if path.suffix == ".parquet":
            pq.write_table(pa.Table.from_pylist(rows), path)
        elif path.suffix == ".jsonl":
            path.write_text("".join(json.dumps(fields) + "\n" for fields in rows))
        else:
            with path.open("w", encoding="utf-8", errors="surrogatepass", newline="") as file:
                writer = csv.DictWriter(file, list(names))
                writer.writeheader()
                writer.writerows(rows)
        return path

    @pytest.mark.parametrize("ending", ["csv", "jsonl", "parquet"])
    def test_formats(self, path, tmp_path, ending):
        model = levcert.load(path)
        hostile = [
            "",
            "a\r\nb",
            '"a",b',
            "a\0b",
            "\x1b[31mabc",
            "a\u202eb",
            "ABC" + UNKNOWN,
            "\r",
            "a\U0001f600b",
            "[bold]a",
        ]
        hostile += ["\ud800a"] if ending != "parquet" else []
        rows = []
        for text in hostile:
            label, nearest = truth(model, text, ANY, 1)
            other = {} if nearest is None else {"upper": 1, "counterexample": nearest[1], "claim": "exact"}
            rows.append(row(text, label, int(nearest is None)) | other)
        report = audit(path, self.write(tmp_path / f"rows.{ending}", rows))
        assert [finding.text for finding in report.findings] == hostile
        assert report.counts["confirmed by enumeration"] == len(hostile), report.findings
        forged = [fields | {"label": "label 0" if fields["label"] == "label 1" else "label 1"} for fields in rows]
        assert len(audit(path, self.write(tmp_path / f"forged.{ending}", forged)).refuted) == len(hostile)

    @pytest.mark.parametrize("ending", ["csv", "jsonl", "parquet"])
    def test_bytes(self, saved, tmp_path, ending):
        model = votes(Alphabet.bytes(), 1)
        texts = [b"", b"\x00\xff", "ä€".encode(), b"\r\n"]
        rows = []
        for text in texts:
            label, nearest = truth(model, text, ANY, 1)
            fields = row(text, label, 0, "exact", *(reversed(nearest)) if nearest else ())
            if nearest is None:
                fields["claim"] = "proved"
            if ending != "parquet":
                for name in ("text", "counterexample"):
                    value = fields.pop(name)
                    fields[f"{name}_hex"] = None if value is None else value.hex()
            rows.append(fields)
        report = audit(saved(model), self.write(tmp_path / f"rows.{ending}", rows))
        assert [finding.text for finding in report.findings] == texts
        assert report.counts["confirmed by enumeration"] == len(texts), report.findings

    def test_a_str_is_its_bytes_to_a_byte_model(self, saved):
        model = votes(Alphabet.bytes(), 1)
        label = str(model.predict(["ä\udcff"])[0])
        fields = row("ä\udcff", label, 0) | {"unit": "bytes"}
        assert check(saved(model), fields).verdict == "confirmed by enumeration"
        with pytest.raises(InputError, match="Row 1: the text contains a lone surrogate"):
            check(saved(model), fields | {"text": "\ud800"})

    def test_limits_and_samples(self, path):
        rows = [row("a" * n, "label 0", 0) for n in range(10)]
        assert [finding.row for finding in audit_each(path, rows, limit=3)] == [1, 2, 3]
        sampled = [finding.row for finding in audit_each(path, rows, sample=4, seed=1)]
        assert len(sampled) == 4
        assert sampled == sorted(sampled) == [finding.row for finding in audit_each(path, rows, sample=4, seed=1)]

    @pytest.mark.parametrize(
        ("fields", "message"),
        [
            ({"radius": "many"}, "Row 1 is not a certificate: invalid literal"),
            ({"radius": 1.5}, "Row 1 is not a certificate: 1.5 is not a whole number"),
            ({"label": None}, "Row 1 is not a certificate: it has no label"),
            ({"text": None}, "Row 1 is not a certificate: it has no text"),
            ({"text": 7}, "Row 1 is not a certificate: a column has another type"),
            ({"upper": 1}, "without the counterexample"),
            ({"counterexample": "b"}, "without its distance"),
            ({"text": b"a"}, "Row 1: the text is bytes, but the model reads characters"),
            ({"unit": "bytes"}, "Row 1 speaks of edits of bytes, and the model reads characters"),
            ({"threat": "{"}, "Row 1 is not a certificate"),
            ({"threat": '{"operations": ["swap"]}'}, "Row 1 has a threat that cannot be read"),
            ({"threat": '{"operations": ["insert"], "new": 1}'}, "Row 1 has a threat that cannot be read"),
            ({"threat": "[1]"}, "Row 1 has a threat that cannot be read"),
        ],
    )
    def test_bad_rows_are_one_sentence(self, path, fields, message):
        with pytest.raises(InputError, match=message.replace("(", r"\(")):
            check(path, row("a", "label 0", 0) | fields)

    def test_bad_files_are_one_sentence(self, path, tmp_path):
        for name, content in {"a.csv": b"text,label\nx", "a.jsonl": b"{", "b.jsonl": b"[]\n", "a.parquet": b"no",
                              "a.txt": b"", "c.csv": b"\xff\n\xff"}.items():  # fmt: skip
            (tmp_path / name).write_bytes(content)
            with pytest.raises(InputError):
                audit(path, tmp_path / name)
        for name in ("none.csv", "none.parquet", "none"):
            with pytest.raises(InputError, match="Cannot read"):
                audit(path, tmp_path / name)
        assert audit(path, self.write(tmp_path / "empty.jsonl", [])) == AuditReport(())
        assert str(AuditReport(())) == "0 rows: nothing to check"


class TestDamagedModels:
    def damaged(self, model, path):
        """Give the parts of a model file, and a function that writes them."""
        model.save(path)
        content = path.read_bytes()
        (length,) = struct.unpack("<Q", content[:8])
        header = json.loads(content[8 : 8 + length])
        fields = json.loads(header["__metadata__"]["levcert"])

        def write(header=header, fields=fields, data=content[8 + length :]):
            unsigned = {name: value for name, value in fields.items() if name != "sha256"}  # as version 0.1 wrote it
            header["__metadata__"] = {"levcert": json.dumps(unsigned)}
            encoded = json.dumps(header).encode()
            path.write_bytes(struct.pack("<Q", len(encoded)) + encoded + data)
            return path

        return header, fields, content[8 + length :], write

    @pytest.mark.parametrize("make", [lambda: votes(Alphabet("ab"), 0), lambda: convolution(Alphabet("ab"), 0, (2, 2))])
    def test_whatever_is_wrong_is_one_sentence(self, make, tmp_path):
        path = tmp_path / "model.safetensors"
        header, fields, data, write = self.damaged(make(), path)
        assert read_classifier(write()).labels
        tensor = next(name for name in header if name not in ("__metadata__", "used_rows"))
        wrong = [
            {"fields": fields | change}
            for change in (
                {"format_version": 2}, {"kind": "tree"}, {"kind": None}, {"alphabet": {"kind": "bytes"}},
                {"alphabet": 7},
                {"alphabet": fields["alphabet"] | {"symbols": "aa"}}, {"labels": ["x"]}, {"labels": ["x", "x"]},
                {"labels": ["x", "y", "z"]}, {"labels": 3}, {"options": {}}, {"options": None},
                {"options": fields["options"] | {"rows": 3, "layers": 3, "activation": "sigmoid"}},
                {"options": fields["options"] | {"orders": [0], "layers": 0}},
                {"options": fields["options"] | {"orders": 2, "layers": "1"}},
            )
        ]  # fmt: skip
        wrong += [
            {"header": header | {tensor: header[tensor] | change}}
            for change in ({"dtype": "F8"}, {"shape": [1]}, {"shape": [-1, -1]}, {"data_offsets": [0, 10**9]})
        ]
        wrong += [{"header": header | {"more": header[tensor]}}, {"data": data[:-1]}, {"data": data + b"x"}]
        if "kernel.0" in header:
            wrong.append({"data": struct.pack("<d", float("nan")) + data[8:]})
        for change in wrong:
            if (
                "fields" in change
                and isinstance(make(), VoteModel)
                and change["fields"]["alphabet"] == {"kind": "bytes"}
            ):
                continue  # a table of hashes fits every alphabet
            with pytest.raises(InputError, match="Cannot read the model") as caught:
                read_classifier(write(**change))
            assert "\n" not in str(caught.value)

    @pytest.mark.parametrize(
        "content", [b"", b"1234567", b"\xff" * 16, struct.pack("<Q", 2) + b"{}", struct.pack("<Q", 2) + b"[]"]
    )
    def test_files_that_are_no_models(self, content, tmp_path):
        path = tmp_path / "model.safetensors"
        path.write_bytes(content)
        with pytest.raises(InputError, match="Cannot read the model"):
            read_classifier(path)

    def test_no_file(self, tmp_path):
        with pytest.raises(InputError, match="Cannot read the model"):
            audit(tmp_path / "none.safetensors", [])

    def test_few_used_rows_are_read_as_all(self, tmp_path):
        model = votes(Alphabet("abc"), 5, orders=(2, 3), share=0.01)
        model.save(tmp_path / "model.safetensors")
        header, *_ = self.damaged(model, tmp_path / "model.safetensors")
        assert "used_rows" in header
        classifier = read_classifier(tmp_path / "model.safetensors")
        for ids in ((), (1, 2, 3, 1), (3,) * 9):
            expected = model.encoded_scores(levcert.text.alphabet.EncodedTexts.single(np.array(ids, dtype=np.int32)))[0]
            assert (np.array(classifier.scores(ids)) * UNIT == expected).all()


class TestTheCommand:
    @pytest.fixture
    def files(self, tmp_path):
        model = votes(Alphabet("abc"), 0)
        model.save(tmp_path / "model.safetensors")
        label = str(model.predict(["a\x1b[31mb"])[0])
        other = next(name for name in model.labels if name != label)
        lines = [json.dumps(row("a\x1b[31mb", name, 0)) + "\n" for name in (label, other)]
        (tmp_path / "true.jsonl").write_text(lines[0])
        (tmp_path / "forged.jsonl").write_text("".join(lines))
        return tmp_path

    def run(self, *arguments, stdin=None):
        return CliRunner(env={"COLUMNS": "200"}).invoke(app, ["audit", *map(str, arguments)], input=stdin)

    def test_exit_codes(self, files):
        model = files / "model.safetensors"
        assert self.run(model, files / "true.jsonl").exit_code == 0
        assert self.run(model, files / "forged.jsonl").exit_code == 1
        assert self.run(model, files / "forged.jsonl", "--limit", 1).exit_code == 0
        assert self.run(model, files / "none.jsonl").exit_code == 2
        assert self.run(files / "true.jsonl", files / "true.jsonl").exit_code == 2
        assert self.run(model, files / "true.jsonl", "--texts", 0).exit_code == 2

    def test_refutations_are_printed_for_a_terminal(self, files):
        result = self.run(files / "model.safetensors", files / "forged.jsonl")
        assert "row 2: REFUTED: the text has the label" in result.stdout
        assert "a\\x1b[31mb" in result.stdout
        assert "\x1b" not in result.stdout

    def test_json(self, files):
        result = self.run(files / "model.safetensors", "-", "--json", stdin=(files / "forged.jsonl").read_text())
        facts = json.loads(result.stdout)
        assert facts["rows"] == 2
        assert facts["counts"]["REFUTED"] == 1
        assert [finding["row"] for finding in facts["findings"]] == [1, 2]
        assert facts["findings"][1]["text"] == "a\x1b[31mb"
