import sys
import unicodedata
from collections import Counter

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from levcert import InputError, Split, dataset_from_files, load_dataset
from levcert.datasets import DATASETS
from levcert.datasets.dataset import Dataset, holdout
from levcert.datasets.from_files import sorted_labels
from levcert.datasets.languages import LANGUAGES, load_languages
from levcert.datasets.paper_datasets import HubSource, PaperDataset


@pytest.fixture(scope="module")
def languages():
    return load_dataset("languages")


def test_languages_has_enough_languages_and_texts_of_the_right_length(languages):
    assert len(languages.labels) >= 12
    for split in (languages.train, languages.test):
        assert {20 <= len(text) <= 120 for text in split.texts} == {True}
        assert set(Counter(split.labels.tolist()).values()) == {len(split) // len(languages.labels)}


def test_languages_are_written_in_latin_script(languages):
    letters = {c for text in languages.train.texts for c in text if c.isalpha()}
    foreign = {c for c in letters if not unicodedata.name(c).startswith(("LATIN", "MODIFIER", "FEMININE", "MASCULINE"))}
    assert not foreign


def test_no_name_is_in_both_splits(languages):
    names = [{name for text in split.texts for name in text.split(", ")} for split in (languages.train, languages.test)]
    assert not names[0] & names[1]
    assert not {name.casefold() for name in names[0]} & {name.casefold() for name in names[1]}


def test_names_belong_to_one_language(languages):
    languages_of = {}
    for text, label in zip(languages.train.texts, languages.train.labels, strict=True):
        for name in text.split(", "):
            languages_of.setdefault(name, set()).add(int(label))
    assert {len(labels) for labels in languages_of.values()} == {1}


def test_languages_is_the_same_every_time(languages):
    again = load_languages()
    assert again.train.fingerprint == languages.train.fingerprint
    assert again.test.fingerprint == languages.test.fingerprint
    assert len(LANGUAGES) == len(again.labels)


def test_toy_is_easy_and_not_trivial():
    toy = load_dataset("toy")
    digits = np.array([sum(c.isdigit() for c in text) / len(text) for text in toy.train.texts])
    right = (digits > 0.5) == toy.train.labels
    assert right.mean() > 0.95
    assert any(0 < share < 1 for share in digits)


def test_the_fingerprint_sees_texts_labels_and_their_borders():
    splits = [
        Split(["ab", "c"], np.array([0, 1])),
        Split(["a", "bc"], np.array([0, 1])),
        Split(["ab", "c"], np.array([1, 1])),
        Split([b"ab", b"d"], np.array([0, 1])),
    ]
    assert len({split.fingerprint for split in splits}) == len(splits)


def test_holdout_takes_every_row_once_and_is_repeatable():
    split = Split([str(i) for i in range(50)], np.arange(50) % 2)
    rest, aside = holdout(split, 10, seed=3)
    assert sorted([*rest.texts, *aside.texts], key=int) == list(split.texts)
    assert len(aside) == 10
    assert holdout(split, 10, seed=3)[1].texts == aside.texts
    with pytest.raises(InputError, match="choose fewer"):
        holdout(split, 50, seed=3)


def _write_paper_layout(folder, text="text", test="test"):
    folder.mkdir(parents=True)
    for name in ("train", test):
        pq.write_table(pa.table({text: [f"{name} a", f"{name} b"], "label": [0, 1]}), folder / f"{name}.parquet")


def test_the_paper_s_datasets_come_from_a_folder(tmp_path, monkeypatch):
    _write_paper_layout(tmp_path / "sst2")
    dataset = load_dataset("sst2", tmp_path)
    assert list(dataset.test.texts) == ["test a", "test b"]
    assert list(dataset.train.labels) == [0, 1]
    monkeypatch.setenv("LEVCERT_DATA", str(tmp_path))
    assert load_dataset("sst2").train.fingerprint == dataset.train.fingerprint


def test_a_label_outside_the_dataset_is_refused(tmp_path):
    folder = tmp_path / "imdb"
    _write_paper_layout(folder)
    pq.write_table(pa.table({"text": ["a"], "label": [2]}), folder / "train.parquet")
    with pytest.raises(InputError, match="not a number from 0 to 1"):
        load_dataset("imdb", tmp_path)
    pq.write_table(pa.table({"text": ["a"], "label": ["good"]}), folder / "train.parquet")
    with pytest.raises(InputError, match="line 1: the label 'good'"):
        load_dataset("imdb", tmp_path)


@pytest.mark.filterwarnings("ignore")  # the hub client's own
def test_the_hub_client_reads_a_local_folder(tmp_path, monkeypatch):
    monkeypatch.setenv("HF_HOME", str(tmp_path / "cache"))
    pytest.importorskip("datasets")
    _write_paper_layout(tmp_path / "hub", text="sentence", test="validation")
    source = HubSource(str(tmp_path / "hub"), text="sentence", test="validation")
    dataset = PaperDataset("sst2", ("negative", "positive"), source)()
    assert list(dataset.test.texts) == ["validation a", "validation b"]
    assert "hub" in dataset.source


def test_without_folder_and_hub_client_the_error_says_how_to_get_the_data(monkeypatch):
    monkeypatch.setitem(sys.modules, "datasets", None)
    with pytest.raises(InputError, match=r"LEVCERT_DATA.*ag_news/train\.parquet.*levcert\[hub\]"):
        load_dataset("ag_news")


def test_a_failed_download_says_how_to_get_the_data(tmp_path):
    pytest.importorskip("datasets")
    source = PaperDataset("sst2", ("negative", "positive"), HubSource(str(tmp_path / "nothing")))
    with pytest.raises(InputError, match=r"Cannot download.*LEVCERT_DATA"):
        source()


def _write_fake_news(folder, rows):
    folder.mkdir()
    lines = [f'{i},"title, {i}",author,"text {i}\nsecond line",{i % 2}\n' for i in range(rows)]
    lines[5] = "5,title,author,,1\n"
    (folder / "train.csv").write_text("id,title,author,text,label\n" + "".join(lines))


def test_fake_news_is_kaggle_s_file_with_the_last_thousand_rows_for_test(tmp_path):
    _write_fake_news(tmp_path / "fake_news", 1203)
    dataset = load_dataset("fake_news", tmp_path)
    assert (len(dataset.train), len(dataset.test)) == (203, 1000)
    assert dataset.train.texts[5] == "nan"
    assert dataset.test.texts[0] == "text 203\nsecond line"
    assert list(dataset.test.labels[:2]) == [1, 0]


def test_fake_news_says_how_to_get_it(tmp_path):
    with pytest.raises(InputError, match="Kaggle"):
        load_dataset("fake_news", tmp_path)
    _write_fake_news(tmp_path / "fake_news", 12)
    with pytest.raises(InputError, match="20,800"):
        load_dataset("fake_news", tmp_path)


def test_unknown_names_and_folders(tmp_path):
    with pytest.raises(InputError, match="there are languages, toy"):
        load_dataset("mnist")
    with pytest.raises(InputError, match="does not exist"):
        load_dataset("imdb", tmp_path / "no")
    assert all(entry.description for entry in DATASETS.values())


def test_files_of_the_user(tmp_path):
    (tmp_path / "train.csv").write_text("text,label\na,10\nb,9\nc,10\n")
    (tmp_path / "test.csv").write_text("text,label\nd,9\n")
    dataset = dataset_from_files(tmp_path / "train.csv", tmp_path / "test.csv")
    assert dataset.labels == ("9", "10")
    assert list(dataset.train.labels) == [1, 0, 1]
    assert list(dataset.test.labels) == [0]


def test_without_a_test_file_texts_are_set_aside_by_their_hash(tmp_path):
    path = tmp_path / "train.csv"
    path.write_text("text,label\n" + "".join(f"text {i % 300},{'ab'[i % 2]}\n" for i in range(600)))
    dataset = dataset_from_files(path, test_share=0.2)
    assert not set(dataset.train.texts) & set(dataset.test.texts)
    assert 60 <= len(dataset.test) <= 180
    assert dataset.labels == ("a", "b")


def test_user_files_that_cannot_teach_a_classifier(tmp_path):
    path = tmp_path / "train.csv"
    path.write_text("text,label\n")
    with pytest.raises(InputError, match="no rows"):
        dataset_from_files(path)
    path.write_text("text,label\na,x\nb,x\n")
    with pytest.raises(InputError, match="at least two labels"):
        dataset_from_files(path)
    path.write_text("text,label\na,x\nb,y\n")
    (tmp_path / "test.csv").write_text("text,label\nd,z\n")
    with pytest.raises(InputError, match=r"line 2: the label 'z'"):
        dataset_from_files(path, tmp_path / "test.csv")


def test_skipped_rows_are_counted(tmp_path):
    path = tmp_path / "train.csv"
    path.write_text("text,label\na,x\n,y\nb,y\n")
    skipped = Counter()
    dataset_from_files(path, on_bad_row="skip", skipped=skipped)
    assert skipped == {"missing text": 1}


def test_splits_and_datasets_fit_together():
    with pytest.raises(InputError, match="one label per text"):
        Split(["a"], np.array([0, 1]))
    assert "1 train" in repr(Dataset("d", ("x", "y"), Split(["a"], np.array([0])), Split([], np.array([], int)), ""))


SIZES = {"ag_news": (89_008, 7_600), "sst2": (67_349, 872), "imdb": (25_000, 25_000)}


@pytest.mark.parametrize("name", SIZES)
def test_the_real_datasets_have_their_documented_sizes(name, shared_data):
    dataset = load_dataset(name, shared_data)
    assert (len(dataset.train), len(dataset.test)) == SIZES[name]


def test_labels_have_one_order():
    assert sorted_labels(["01", "1", "2", "-0", "0"]) == ("-0", "0", "01", "1", "2")
    assert sorted_labels(["--5", "1"]) == ("--5", "1")
    assert sorted_labels(["9" * 5000, "1"]) == ("1", "9" * 5000)


@pytest.mark.parametrize("arguments", [{"test_share": 2.0}, {"test_share": float("nan")}, {"label_column": ""}])
def test_arguments_that_make_no_dataset_are_refused(tmp_path, arguments):
    (tmp_path / "train.csv").write_text("text,label\na,x\nb,y\n")
    with pytest.raises(InputError, match="test_share must be"):
        dataset_from_files(tmp_path / "train.csv", **arguments)


def test_a_file_is_loaded_by_its_name(tmp_path):
    (tmp_path / "mails.csv").write_text("body,topic\nhello,a\nworld,b\n")
    data = load_dataset(tmp_path / "mails.csv", text_column="body", label_column="topic", test_share=0)
    assert (len(data.train), data.labels) == (2, ("a", "b"))
    with pytest.raises(InputError, match="is for files"):
        load_dataset("toy", text_column="body")


@pytest.mark.parametrize(
    ("name", "labels"),
    [("sms_spam", ("ham", "spam")), ("enron_spam", ("ham", "spam")), ("phishing_urls", ("legitimate", "phishing"))],
)
def test_texts_that_evade_come_from_a_folder_and_the_error_says_how(name, labels, tmp_path):
    with pytest.raises(InputError, match=f"is not on this machine.*1: {labels[1]}.*contains them in {name}/"):
        load_dataset(name, tmp_path)
    (tmp_path / name).mkdir()
    for split in ("train", "test"):
        rows = pa.table({"text": ["a", "b"], "label": [0, 1]})
        pq.write_table(rows, tmp_path / name / f"{split}.parquet")
    dataset = load_dataset(name, tmp_path)
    assert dataset.labels == labels
    assert dataset.train.labels.tolist() == [0, 1]


def test_reprs_are_short_however_large_the_data():
    many = Split(["x" * 1000] * 4000, np.zeros(4000, dtype=np.int64))
    assert repr(many) == "<Split: 4,000 texts, first '" + "x" * 60 + "'…>"
    assert repr(Split([], np.zeros(0, dtype=np.int64))) == "<Split: 0 texts, first none>"
    assert len(repr(load_dataset("languages").train)) < 120


def test_a_notebook_shows_the_labels_of_a_dataset():
    split = Split(["<b>bold</b>" + "x" * 100], np.zeros(1, dtype=np.int64))
    shown = Dataset("toy", ("a", "b"), split, split, "here")._repr_html_()
    assert shown.count("<tr>") == 3
    assert "&lt;b&gt;bold" in shown
    assert "<b>" not in shown
    assert "x" * 60 not in shown
