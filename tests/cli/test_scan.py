"""``levcert scan`` as a user runs it: a module in the current folder and a csv file."""

import pytest

MODULE = """
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline

TEXTS = ["win free prize now", "free entry win", "see you at lunch", "ok lar lunch"] * 3
LABELS = ["spam", "spam", "ham", "ham"] * 3
grams = TfidfVectorizer(analyzer="char", ngram_range=(2, 4))
characters = make_pipeline(grams, LogisticRegression()).fit(TEXTS, LABELS)
words = make_pipeline(TfidfVectorizer(), LogisticRegression()).fit(TEXTS, LABELS)


def classify(texts):
    return ["spam" if "free" in text else "ham" for text in texts]


def scores(texts):
    return [[0.5, text.count("free")] for text in texts]
"""


@pytest.fixture
def scan(invoke, folder):
    (folder / "my_model.py").write_text(MODULE, encoding="utf-8")
    (folder / "mails.csv").write_text(
        "text,label\na free <b>prize,spam\nsee you,ham\nfree,spam\nok,ham\n", encoding="utf-8"
    )

    def run(name, *options):
        result = invoke("scan", name, "mails.csv", "-o", "scan.html", *options)
        page = folder / "scan.html"
        return result, page.read_text(encoding="utf-8") if page.exists() else ""

    return run


def test_a_function_that_gives_labels(scan):
    result, page = scan("my_model:classify", "--exact-rows", 2)
    assert result.exit_code == 0, result.stderr
    assert "4 texts, correct 100.0%" in result.stdout
    assert "proved to stay correct under any single edit: 50.0%" in result.stdout
    assert "the texts one edit away were classified" in page
    assert "&lt;b&gt;" in page
    assert "<b>" not in page
    assert "only the characters listed below" in page


def test_a_function_that_gives_scores(scan):
    result, page = scan("my_model:scores", "--labels", "ham,spam", "--exact-rows", 0)
    assert result.exit_code == 0, result.stderr
    assert "after attack k=1: 50.0%" in result.stdout
    assert 'id="headline-hits">2<' in page


def test_a_pipeline_is_imported_or_says_why_not(scan):
    result, page = scan("my_model:characters")
    assert "of 4 texts" in result.stdout
    assert "levcert imported it" in page
    result, page = scan("my_model:words", "--exact-rows", 1)
    assert "was not imported: The analyzer is &#39;word&#39;" in page or "The analyzer is 'word'" in result.stdout
    assert "of 1 texts" in result.stdout


def test_the_budget_of_calls_ends_the_scan(scan):
    result, page = scan("my_model:scores", "--labels", "ham,spam", "--max-calls", 2500, "--exact-rows", 1)
    assert result.exit_code == 0
    assert "--max-calls is used up" in result.stdout
    assert "stopped early" in page


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("my_model", "MODULE:NAME"),
        ("nowhere:classify", "Cannot import"),
        ("my_model:absent", "has no absent"),
        ("my_model:TEXTS", "not list"),
    ],
)
def test_bad_names(scan, name, reason):
    result, page = scan(name)
    assert result.exit_code == 2
    assert reason in result.stderr
    assert not page
