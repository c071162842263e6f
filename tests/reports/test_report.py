"""The report: its numbers are those of the library, its texts are only texts, and it needs nothing else."""

import re
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path

import pytest

import levcert
from levcert.certificates.share import Share
from levcert.certifiers.lipslev import LipsLev
from levcert.evaluation.evaluator import Evaluator
from levcert.reports import report as write_report
from levcert.reports.summary import Collector
from tests.browser import started_browser
from tests.counting_model import counting_model, margin, radius

COMMAND = Path(sys.executable).with_name("levcert")
NASTY = "<script>alert(1)</script> & <img src=http://example.com/x.png> \"quoted\" 'too'"


class Tables(HTMLParser):
    """The text of every cell by the id of its table, and every attribute of every tag."""

    def __init__(self, html):
        super().__init__()
        self.tables, self.attributes, self.tags = {}, [], []
        self._rows = self._cell = None
        self.feed(html)
        self.close()

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        self.attributes += [(tag, *attribute) for attribute in attrs]
        if tag == "table":
            self._rows = self.tables[dict(attrs)["id"]] = []
        elif tag == "tr":
            self._rows.append([])
        elif tag in ("td", "th"):
            self._cell = ""

    def handle_endtag(self, tag):
        if tag in ("td", "th"):
            self._rows[-1].append(" ".join(self._cell.split()))
            self._cell = None

    def handle_data(self, data):
        if self._cell is not None:
            self._cell += data


def shown(hits, total):
    share = Share(hits, total)
    low, high = share.interval
    return f"{share.value:.1%} {100 * low:.1f}–{100 * high:.1f}"


@pytest.fixture(scope="module")
def model():
    return counting_model()


@pytest.fixture(scope="module")
def rows():
    toy = levcert.load_dataset("toy")
    truth = [toy.labels[number] for number in toy.test.labels]
    return [*toy.test.texts, NASTY], [*truth, "letters"]


@pytest.fixture(scope="module")
def report(model, rows, tmp_path_factory):
    path = tmp_path_factory.mktemp("report") / "report.html"
    write_report(model, *rows, path)
    return path


@pytest.fixture(scope="module")
def tables(report):
    return Tables(report.read_text(encoding="utf-8")).tables


def right(text, truth):
    letters, digits = sum(c.isalpha() for c in text if c.isascii()), sum(c.isdigit() for c in text)
    return letters != digits and truth == ("letters" if letters > digits else "digits")


def test_the_curve_is_what_counting_gives(tables, rows):
    """Radii are exact here, so certified and attacked are the same, and both follow from the margins alone."""
    texts = rows[0]
    certified = [sum(right(t, y) and radius(t) >= k for t, y in zip(*rows, strict=True)) for k in range(11)]
    assert len(tables["curve"]) == 12
    for k, hits in enumerate(certified):
        row = tables["curve"][1 + k]
        assert row[:2] == [str(k), shown(hits, len(texts))]
        if k <= 9:  # beyond, counterexamples are not looked for
            assert row[2:] == [shown(hits, len(texts)), "0"]


def test_the_headline_is_the_curves(report, rows):
    hits = sum(right(t, y) and radius(t) >= 1 for t, y in zip(*rows, strict=True))
    assert f'<span id="headline-hits">{hits}</span> of {len(rows[0])} texts' in report.read_text(encoding="utf-8")


def test_classes_and_lengths_are_what_counting_gives(tables, rows):
    pairs = list(zip(*rows, strict=True))

    def expected(chosen):
        hits = [sum(right(t, y) and radius(t) >= k for t, y in chosen) for k in (0, 1, 2)]
        return [shown(count, len(chosen)) for count in hits]

    for row in tables["classes"][1:]:
        chosen = [(t, y) for t, y in pairs if y == row[0]]
        assert row[1] == str(len(chosen))
        assert row[3:] == expected(chosen)
    sizes = 0
    for row in tables["lengths"][1:]:
        low, _, high = row[0].partition("–")
        chosen = [(t, y) for t, y in pairs if int(low) <= len(t) <= int(high or low)]
        assert row[1] == str(len(chosen))
        assert row[2:] == expected(chosen)
        sizes += len(chosen)
    assert sizes == len(pairs)
    assert len(tables["lengths"]) == 7


def test_the_most_fragile_texts_come_first(model, rows):
    collector = Collector(model, None)
    for measured in Evaluator(model, max_distance=None).measured(zip(*rows, strict=True)):
        collector.add(measured)
    summary = collector.summary()
    margins = sorted(margin(t) for t, y in zip(*rows, strict=True) if right(t, y))
    assert [fragile.margin for fragile in summary.fragile] == margins[:10]
    for fragile in summary.fragile:
        kept = "".join(part.text for part in fragile.counterexample.difference if part.kind != "added")
        assert kept in rows[0]
        assert fragile.counterexample.distance == radius(kept) + 1


def test_nothing_comes_from_elsewhere_and_texts_are_escaped(model, tmp_path):
    narrow = "<script>1234567</script>12345678"  # hardly more letters than digits, so it is among those shown
    write_report(model, [NASTY, "ab1", narrow], ["letters"] * 3, tmp_path / "report.html")
    html = (tmp_path / "report.html").read_text(encoding="utf-8")
    parsed = Tables(html)
    assert not {"script", "img", "link", "iframe", "object", "b"} & set(parsed.tags)
    assert not [a for a in parsed.attributes if a[1] in ("src", "href", "style") or a[1].startswith("on")]
    assert "url(" not in html
    assert "@import" not in html
    assert any("ript>1234567</script>" in cell for row in parsed.tables["fragile"] for cell in row)


def test_edits_can_be_told_without_colours(report):
    html = report.read_text(encoding="utf-8")
    assert re.search(r"<td class=\"text\">[^\n]*<(del|ins)>", html)
    style = html.split("</style>")[0]
    assert "line-through" in style
    assert "underline" in style


def test_the_same_input_gives_the_same_file(model, rows, report, tmp_path):
    write_report(model, *rows, tmp_path / "again.html")
    assert (tmp_path / "again.html").read_bytes() == report.read_bytes()


@pytest.mark.parametrize("method", ["lipslev", LipsLev()])
def test_lipslev_is_reported_for_what_it_is_proved_for(model, tmp_path, method):
    """A method with options was once reported as proved for every edit."""
    path = tmp_path / "report.html"
    write_report(model, ["hello", "12345"], ["letters", "digits"], path, method=method, max_distance=3)
    assert "replaces one character that the model knows by another that it knows" in path.read_text(encoding="utf-8")
    assert len(Tables(path.read_text(encoding="utf-8")).tables["curve"]) == 5


@pytest.mark.parametrize(
    ("texts", "truth", "options", "message"),
    [
        ([], [], {}, "at least one text"),
        ("abc", ["letters"], {}, "at least one text"),
        (["a"], ["letters", "digits"], {}, "2 true labels for 1 texts"),
        (["a"], ["signs"], {}, "Row 1 has the label 'signs', but the model only knows 'letters', 'digits'"),
        (["a"], ["letters"], {"method": "magic"}, "no certifier 'magic'"),
        (["a"], ["letters"], {"method": "smoothing"}, "a different classifier"),
        (["a"], ["letters"], {"method": levcert.DeletionSmoothing()}, "a different classifier"),
        (["a"], ["letters"], {"max_distance": 0}, "max_distance must be an integer of at least 1"),
    ],
)
def test_what_cannot_be_reported_is_refused_and_leaves_no_file(model, tmp_path, texts, truth, options, message):
    with pytest.raises(levcert.InputError, match=message):
        write_report(model, texts, truth, tmp_path / "report.html", **options)
    assert list(tmp_path.iterdir()) == []


def test_one_text_is_enough(model, tmp_path):
    summary = write_report(model, ["hello"], ["letters"], tmp_path / "report.html")
    assert summary.largest == 2


def run(*arguments):
    return subprocess.run([COMMAND, "report", *arguments], capture_output=True, text=True, check=False, timeout=120)


def test_the_command(model, tmp_path):
    path, output = tmp_path / "counting.safetensors", tmp_path / "report.html"
    model.save(path)
    result = run(path, "toy", "-o", output, "--rows", "20", "--shuffle", "3", "--max-distance", "4")
    assert result.returncode == 0, result.stderr
    assert result.stdout.startswith(f"{output}: accuracy on 20 texts (20 of ")
    assert result.stderr == ""
    html = output.read_text(encoding="utf-8")
    assert "20 from the test set of toy (rows by seed 3)" in html
    assert "counting.safetensors" in html
    assert len(Tables(html).tables["curve"]) == 6


def test_the_command_reads_files(model, tmp_path):
    path, output = tmp_path / "counting.safetensors", tmp_path / "report.html"
    model.save(path)
    data = tmp_path / "mine.csv"
    data.write_text("body,kind\nhello,letters\n,letters\n123,digits\n", encoding="utf-8")
    columns = ("--text-column", "body", "--label-column", "kind")
    refused = run(path, data, "-o", output, *columns)
    assert (refused.returncode, output.exists()) == (2, False)
    assert "line 3" in refused.stderr
    result = run(path, data, "-o", output, *columns, "--on-bad-row", "skip")
    assert result.returncode == 0, result.stderr
    assert "2 from mine.csv (rows)" in output.read_text(encoding="utf-8")


def test_the_command_refuses_in_one_sentence(tmp_path):
    result = run(tmp_path / "none.safetensors", "toy", "-o", tmp_path / "report.html")
    assert result.returncode == 2
    assert result.stderr.count("\n") == 1
    assert "Traceback" not in result.stderr


def test_it_opens_in_a_browser(report):
    with started_browser() as browser:
        for scheme, width in (("light", 1200), ("dark", 1200), ("light", 360)):
            context = browser.new_context(viewport={"width": width, "height": 800}, color_scheme=scheme, offline=True)
            page = context.new_page()
            problems = []
            page.on("console", lambda message, problems=problems: problems.append(message.text))
            page.on("requestfailed", lambda request, problems=problems: problems.append(request.url))
            page.goto(report.as_uri())
            assert problems == []
            assert page.evaluate("document.documentElement.scrollWidth") <= width
            assert page.locator("svg.chart").count() == 2
            background = page.evaluate("getComputedStyle(document.body).backgroundColor")
            assert background == {"light": "rgb(253, 252, 249)", "dark": "rgb(22, 24, 28)"}[scheme]
            context.close()


def test_a_one_sided_report_counts_what_is_not_the_target(tmp_path):
    model = counting_model()
    texts, truth = ["hello", "ab", "12", "123"], ["letters", "letters", "letters", "digits"]
    summary = write_report(model, texts, truth, tmp_path / "report.html", target="digits")
    html = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert summary.size == 3
    assert [group.name for group in summary.classes] == ["letters"]
    assert [point.certified.hits for point in summary.curve[:4]] == [2, 2, 1, 0]
    assert "cannot be made <em>digits</em> by any single edit" in html
    assert {fragile.counterexample.label for fragile in summary.fragile} == {"digits"}
    with pytest.raises(levcert.InputError, match="All texts have the true label 'digits'"):
        write_report(model, ["1"], ["digits"], tmp_path / "none.html", target="digits")
    assert not (tmp_path / "none.html").exists()
