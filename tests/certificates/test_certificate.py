import json

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import binomtest

from levcert import Certificate, Certificates, InputError, Share
from levcert.certificates.files import CERTIFICATE_COLUMNS, certificate_record

FINITE = st.floats(allow_nan=False)


def certificates(texts):
    """Any certificate at all over the given kind of text."""

    def make(text, label, radius, margin, seconds, gap, counterexample):
        found = None if gap is None else radius + gap
        return Certificate(
            text=text, label=label, radius=radius, margin=margin, method="lipschitz",
            claim="exact" if gap == 1 else "proved", upper=found, seconds=seconds,
            counterexample=None if gap is None else counterexample,
        )  # fmt: skip

    radius, gap, seconds = st.integers(-1, 20), st.none() | st.integers(1, 3), st.floats(0, 9)
    labels = st.text(st.characters(exclude_categories=["Cs"]), min_size=1)
    return st.builds(make, texts, labels, radius, FINITE, seconds, gap, texts)


TABLES = st.lists(certificates(st.text(st.characters(exclude_categories=["Cs"])))) | st.lists(certificates(st.binary()))


@pytest.mark.parametrize("ending", [".csv", ".jsonl", ".parquet"])
@given(rows=TABLES)
@settings(max_examples=40)
def test_files_give_back_what_was_written(ending, rows, tmp_path_factory):
    path = tmp_path_factory.mktemp("certificates") / f"rows{ending}"
    Certificates(rows).save(path)
    assert Certificates.read(path) == Certificates(rows)
    assert list(path.parent.iterdir()) == [path]


@pytest.mark.parametrize("ending", [".csv", ".jsonl"])
def test_texts_that_are_not_valid_unicode_survive(ending, tmp_path):
    rows = Certificates([Certificate("\ud800 \r\n \0", "x", 1, 0.1, "exact", "exact", upper=2, counterexample="")])
    rows.save(tmp_path / f"rows{ending}")
    assert Certificates.read(tmp_path / f"rows{ending}") == rows


def test_parquet_says_that_it_cannot_hold_lone_surrogates(tmp_path):
    rows = Certificates([Certificate("\ud800", "x", 1, 0.1, "exact", "proved")])
    with pytest.raises(InputError, match=r"\.jsonl or \.csv"):
        rows.to_parquet(tmp_path / "rows.parquet")
    assert not list(tmp_path.iterdir())


def test_columns_are_arrays():
    table = Certificates(
        [
            Certificate("a", "x", 1, 0.5, "m", "exact", upper=2, counterexample="b"),
            Certificate("c", "y", 0, 0.1, "m", "proved"),
        ]
    )
    assert list(table.radius) == [1, 0]
    assert table.upper[0] == 2
    assert np.isnan(table.upper[1])
    assert list(table.margin) == [0.5, 0.1]
    assert list(table.label) == ["x", "y"]
    assert len(table[1:]) == 1
    assert table[0].text == "a"
    assert repr(table) == "<2 certificates by m>"


def test_verified_accuracy_needs_the_true_label_and_the_radius():
    table = Certificates(
        Certificate("t", label, radius, 1.0, "m", "proved") for label, radius in [("x", 2), ("x", 0), ("y", 5)]
    )
    assert [table.verified_accuracy(["x", "x", "x"], k).hits for k in (0, 1, 2, 3)] == [2, 1, 1, 0]
    with pytest.raises(InputError, match="true labels"):
        table.verified_accuracy(["x"], 1)


@given(
    st.integers(1, 300).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))),
    st.sampled_from([0.9, 0.95, 0.99]),
)
def test_the_interval_is_clopper_pearson(share, confidence):
    expected = binomtest(*share).proportion_ci(confidence, method="exact")
    assert Share(*share, confidence).interval == pytest.approx((expected.low, expected.high), abs=1e-9)


def test_a_share_reads_well():
    assert str(Share(39, 100)) == "39.0% [29.4%, 49.3%]"
    assert Share(0, 0).interval == (0.0, 1.0)


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"radius": -2}, "at least -1"),
        ({"margin": float("nan")}, "NaN"),
        ({"upper": 2}, "or neither"),
        ({"upper": 1, "counterexample": "b"}, "refutes"),
        ({"claim": "exact"}, "one edit beyond"),
        ({"claim": "exact", "upper": 3, "counterexample": "b"}, "one edit beyond"),
    ],
)
def test_contradictions_are_refused(fields, message):
    with pytest.raises(InputError, match=message):
        Certificate(
            **{"text": "a", "label": "x", "radius": 1, "margin": 1.0, "method": "m", "claim": "proved"} | fields
        )


def test_a_certificate_says_what_it_claims():
    assert str(Certificate("a", "spam", 2, 1.0, "exact", "exact", upper=3, counterexample="b")) == (
        "'spam': Proved: 2 edits or fewer cannot change the label; 3 can. Changed by 3: 'b'."
    )
    assert (
        str(Certificate("a", "spam", 1, 1.0, "lipschitz", "proved"))
        == "'spam': Proved: one edit cannot change the label."
    )
    assert "abstained" in str(Certificate("", "spam", -1, 0.0, "smoothing", "probability ≥ 0.95"))


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("rows.txt", "", "must end in .csv, .jsonl, .parquet"),
        ("rows.csv", "text,label\na,b\n", "missing columns"),
        ("rows.jsonl", "{not json\n", "Row 1"),
        ("rows.jsonl", "[]\n", "Row 1"),
        ("rows.parquet", "junk", "Row 1"),
    ],
)
def test_other_files_are_refused(tmp_path, name, content, message):
    (tmp_path / name).write_text(content)
    with pytest.raises(InputError, match=message):
        Certificates.read(tmp_path / name)


def test_a_missing_file_or_folder_is_named(tmp_path):
    with pytest.raises(InputError, match="does not exist"):
        Certificates.read(tmp_path / "no.csv")
    with pytest.raises(InputError, match="Cannot write"):
        Certificates([]).to_csv(tmp_path / "no" / "rows.csv")
    with pytest.raises(InputError, match="does not end in"):
        Certificates([]).to_csv(tmp_path / "rows.jsonl")


def test_one_file_has_one_kind_of_text(tmp_path):
    rows = [Certificate(text, "x", 1, 1.0, "m", "proved") for text in ("a", b"a")]
    with pytest.raises(InputError, match="all str or all bytes"):
        Certificates(rows).to_jsonl(tmp_path / "rows.jsonl")
    assert not list(tmp_path.iterdir())


def test_the_documented_columns_are_the_written_ones(tmp_path):
    path = tmp_path / "rows.jsonl"
    Certificates([Certificate("a", "x", 1, 1.0, "m", "proved")]).to_jsonl(path)
    written = list(json.loads(path.read_text()))
    assert written == [
        "text", "label", "radius", "margin", "method", "claim", "threat", "unit", "target", "upper", "counterexample",
        "class_radii", "undecided", "fold", "seconds",
    ]  # fmt: skip


def test_long_texts_and_strange_surrogates(tmp_path):
    long = Certificates([Certificate("x" * 200_000, "x", 1, 0.1, "m", "proved")])
    long.to_csv(tmp_path / "rows.csv")
    assert Certificates.read(tmp_path / "rows.csv") == long
    pair = Certificates([Certificate("\ud83d\ude00", "x", 1, 0.1, "m", "proved")])
    pair.to_csv(tmp_path / "rows.csv")
    assert Certificates.read(tmp_path / "rows.csv") == pair
    with pytest.raises(InputError, match=r"write \.csv"):
        pair.to_jsonl(tmp_path / "rows.jsonl")


@pytest.mark.parametrize(
    "change", [{"text": 5}, {"label": None}, {"radius": 1.7}, {"radius": True}, {"upper": 1e999}, {"claim": []}]
)
def test_rows_with_wrong_types_are_refused(tmp_path, change):
    path = tmp_path / "rows.jsonl"
    Certificates([Certificate("a", "x", 1, 1.0, "m", "proved")]).to_jsonl(path)
    path.write_text(json.dumps(json.loads(path.read_text()) | change))
    with pytest.raises(InputError, match="Row 1"):
        Certificates.read(path)


def test_a_folder_or_a_strange_name_is_no_file(tmp_path):
    (tmp_path / "rows.csv").mkdir()
    with pytest.raises(InputError, match="it is a folder"):
        Certificates([]).to_csv(tmp_path / "rows.csv")
    with pytest.raises(InputError, match="Cannot write"):
        Certificates([]).save(tmp_path / "a\0.csv")


def test_a_notebook_shows_the_first_rows():
    rows = Certificates([Certificate(f"<{number}>", "a", 0, 1.0, "exact", "proved") for number in range(30)])
    shown = rows._repr_html_()
    assert shown.count("<tr>") == 11
    assert "&lt;9&gt;" in shown
    assert "30 certificates by exact; the first 10" in shown


@pytest.mark.parametrize("kind", [str, bytes])
def test_tables_have_the_columns_of_the_files(kind):
    rows = Certificates(
        [
            Certificate(
                "a" if kind is str else b"\xff",
                "x",
                0,
                1.5,
                "exact",
                "exact",
                upper=1,
                counterexample="b" if kind is str else b"b",
            ),
            Certificate("b" if kind is str else b"b", "y", 2, None, "smoothing", "proved", seconds=0.5),
        ]
    )
    table = rows.to_arrow()
    assert table.to_pylist() == list(map(certificate_record, rows))
    assert table.column_names == list(CERTIFICATE_COLUMNS)
    assert Certificates([]).to_arrow().num_rows == 0
    pandas = pytest.importorskip("pandas")
    frame = rows.to_pandas()
    assert frame["upper"].tolist() == [1, pandas.NA]
    assert frame["text"].tolist() == [row.text for row in rows]
    pytest.importorskip("polars")
    assert rows.to_polars().to_dicts() == table.to_pylist()
