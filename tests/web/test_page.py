"""The page in a real browser, from the real command."""

from contextlib import suppress

import pytest

from tests.browser import playwright, started_browser
from tests.counting_model import WEIGHT, margin, radius
from tests.web.conftest import served


@pytest.fixture(scope="module")
def browser():
    with started_browser() as browser:
        yield browser


@pytest.fixture
def page(browser, address):
    """A tab that must stay without errors and talk to nobody else."""
    tab = browser.new_page()
    problems, asked = [], []
    tab.on("console", lambda message: problems.append(message.text))
    tab.on("pageerror", lambda error: problems.append(str(error)))
    tab.on("request", lambda request: asked.append(request.url))
    tab.goto(address)
    tab.wait_for_selector("#result:not([hidden])")  # the first sample's answer
    yield tab
    tab.close()
    assert problems == []
    assert {url for url in asked if not url.startswith(address)} == set()


def settled(page):
    """Wait until what is shown belongs to what is typed."""
    page.wait_for_selector("#answer:not(.stale)")


def type_text(page, text):
    page.fill("#text", text)
    settled(page)


def test_typing_changes_the_radius(page):
    expect = playwright.expect
    assert page.input_value("#text") == "hello world"  # the first sample
    expect(page.locator("#label")).to_have_text("letters")
    expect(page.locator("#number")).to_have_text(str(radius("hello world")))
    page.focus("#text")
    page.keyboard.press("End")
    page.keyboard.type("123")
    assert (radius("hello world"), radius("hello world123")) == (5, 4)
    expect(page.locator("#number")).to_have_text("4")
    expect(page.locator("#claim")).to_have_text("exact")
    expect(page.locator("#sentence")).to_have_text("Proved: 4 edits or fewer cannot change the label; 5 can.")
    expect(page.locator("#scores tr.best th")).to_have_text("letters")


def test_the_counterexample_can_be_loaded(page):
    type_text(page, "ab1")
    playwright.expect(page.locator("#nearest-title")).to_have_text("One edit, and the label is digits")
    marked = page.locator("#counterexample ins, #counterexample del")
    assert marked.count() >= 1
    page.click("#counterexample")
    playwright.expect(page.locator("#label")).to_have_text("digits")
    playwright.expect(page.locator("#sentence")).to_have_text("One edit can change the label.")
    assert page.input_value("#text") != "ab1"
    assert len(page.input_value("#text")) <= 4


def test_shades_have_words_beside_them(page):
    type_text(page, "abcde 1")
    shaded = page.locator("#shaded")
    assert shaded.inner_text() == "abcde 1"
    assert shaded.locator("span").first.get_attribute("class") == "l5"
    assert shaded.locator("span").last.get_attribute("class") == "l2"  # inserting a digit takes WEIGHT
    worst = f"{round(100 * (1 + WEIGHT) / margin('abcde 1'))} %"  # of a letter, by a digit
    assert page.inner_text("#scale-end") == worst == "40 %"
    page.click("summary")
    playwright.expect(page.locator("#places li").first).to_contain_text("the worst edit takes 40 % of the lead")


def test_method_and_attacker_can_be_chosen(page):
    expect = playwright.expect
    page.uncheck("[value=substitute]")
    expect(page.locator("#sentence")).to_have_text(
        "Proved: 9 deletions or insertions or fewer cannot change the label."  # after 10 deletions the labels tie
    )
    page.uncheck("[value=delete]")
    assert page.is_disabled("[value=insert]")  # the last one stays
    page.check("[value=substitute]")
    page.check("[value=delete]")
    page.select_option("#method", "lipslev")
    expect(page.locator("#claim")).to_have_text("substitutions only")
    expect(page.locator("#claim")).to_have_class("less")
    page.click("#look")
    expect(page.locator("#nearest-title")).to_contain_text("6 edits")


def test_an_attacker_may_want_one_label_only(page):
    expect = playwright.expect
    page.select_option("#target", "digits")
    expect(page.locator("#sentence")).to_have_text("Proved: 5 edits or fewer cannot make the label 'digits'; 6 can.")
    expect(page.locator("#lead")).to_have_text("digits")
    page.select_option("#target", "letters")
    expect(page.locator("#claim")).to_have_text("is the target")
    expect(page.locator("#sentence")).to_have_text("The text has the label 'letters' as it is.")
    for part in ("#covered", "#fragile", "#nearest", "#search"):
        assert page.locator(part).is_hidden()
    page.select_option("#target", "")
    expect(page.locator("#sentence")).to_have_text("Proved: 5 edits or fewer cannot change the label; 6 can.")


def test_the_radius_is_explained_for_the_answer_that_is_shown(page):
    expect, meaning = playwright.expect, page.locator("#radius-meaning")
    expect(meaning).to_contain_text("A radius of 5 means: make any 5 edits of the kinds")
    expect(meaning).to_contain_text("the model still gives the same label")
    expect(meaning).to_contain_text("One more edit can change the label; the page shows how.")
    type_text(page, "ab1")
    expect(meaning).to_have_text("A radius of 0 means that one edit is enough to change the label; the page shows it.")
    page.select_option("#method", "lipslev")
    type_text(page, "hello world")
    expect(meaning).to_contain_text("replace 5 characters that the model knows by others that it knows")
    expect(meaning).to_contain_text("Insertions and deletions are not covered.")
    page.select_option("#target", "letters")
    expect(meaning).to_have_text("There is nothing to prove: the text already has the label that the attacker wants.")


@pytest.mark.parametrize(
    ("scores", "shown"),
    [
        ([-1250.4, 310.0], ["−1,250", "310"]),
        ([12.5, 8.25, 0], ["12.5", "8.3", "0.0"]),
        ([100.001, 100.0025], ["100.0010", "100.0025"]),
        ([2, 2], ["2.0", "2.0"]),
        ([0, 0], ["0.0", "0.0"]),
        ([3e12, -4.5e11], ["3.00 × 10¹²", "−4.50 × 10¹¹"]),
        ([2e-7, 0], ["2.00 × 10⁻⁷", "0"]),
    ],
)
def test_scores_are_written_for_people(page, scores, shown):
    script = """async (scores) => {
        const {scoreFormat} = await import("/static/draw.js");
        return scores.map(scoreFormat(scores));
    }"""
    assert page.evaluate(script, scores) == shown


def test_the_slider_shows_texts_that_the_proof_covers(page):
    expect, texts = playwright.expect, page.locator("#covered-texts li")
    expect(texts).to_have_count(6)
    assert page.get_attribute("#edits-made", "max") == str(radius("hello world") + 2)
    expect(page.locator("#covered-note")).to_contain_text("Proved: all texts 5 edits away, more than 10")
    assert set(texts.locator("strong").all_inner_texts()) == {"letters"}  # it is proved, so no draw can be unlucky
    before = texts.first.inner_text()
    page.click("#draw-again")
    expect(texts.first).not_to_have_text(before)
    page.fill("#edits-made", "7")
    expect(page.locator("#covered-note")).to_contain_text("7 edits are more than the certified radius of 5")
    page.fill("#edits-made", "1")
    expect(page.locator("#covered-note")).to_contain_text("all texts one edit away")
    page.uncheck("[value=insert]")
    page.uncheck("[value=substitute]")
    settled(page)
    expect(page.locator("#covered-texts ins")).to_have_count(0)


def test_the_answer_is_beside_the_box_on_a_phone(browser, address):
    """What is typed and what it means are on the first screen, without scrolling."""
    tab = browser.new_page(viewport={"width": 390, "height": 844})
    tab.goto(address)
    tab.wait_for_selector("#result:not([hidden])")
    settled(tab)
    box = tab.locator("#sentence").bounding_box()
    assert box["y"] + box["height"] < 500
    assert tab.locator("#text").bounding_box()["y"] < box["y"] < tab.locator("#target").bounding_box()["y"]
    tab.close()


def test_samples_can_be_chosen_by_keyboard(page):
    page.focus("#text")
    page.keyboard.press("Tab")
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    playwright.expect(page.locator("#label")).to_have_text("digits")
    assert page.input_value("#text") == "31415926535"


def test_markup_in_a_text_stays_text(page):
    text = "<script>document.title = 'broken'</script><img src=x onerror=alert(1)> & <b>bold</b>"
    type_text(page, text)
    assert page.inner_text("#shaded") == text
    assert page.locator("main script, main img, main b:not(#scale-end)").count() == 0
    assert page.title() == "levcert"


def test_an_empty_box_asks_for_nothing(page):
    type_text(page, "")
    assert page.is_visible("#empty")
    assert not page.is_visible("#result")


def test_a_text_that_is_too_long_is_refused_visibly(page):
    """It is neither cut nor sent; code points count, not the halves of surrogate pairs."""
    asked = []
    page.on("request", lambda request: asked.append(request.url))
    page.fill("#text", "🙂" * 5_001)
    playwright.expect(page.locator("#error")).to_have_text(
        "This text is too long: this server accepts at most 5,000 characters for this model. Shorten it."
    )
    assert page.inner_text("#length") == "5,001 characters, at most 5,000"
    assert page.get_attribute("#text", "aria-invalid") == "true"
    assert len(page.input_value("#text")) == 5_001
    assert not page.is_visible("#result")
    assert asked == []
    type_text(page, "🙂" * 5_000)
    playwright.expect(page.locator("#result")).to_be_visible()
    assert page.inner_text("#length") == "5,000 characters"


def test_the_page_asks_for_the_token(browser, saved_model, tmp_path):
    (tmp_path / "token").write_text("0123456789abcdef\n")
    with served(saved_model, "--token-file", tmp_path / "token", "--no-access-log") as (_, port):
        tab = browser.new_page()
        tab.goto(f"http://localhost:{port}")
        tab.fill("#token", "not the right one")
        tab.click("#token-form button")
        playwright.expect(tab.locator("#error")).to_contain_text("This server needs a token")
        tab.fill("#token", "0123456789abcdef")
        tab.click("#token-form button")
        playwright.expect(tab.locator("#label")).to_have_text("letters")
        assert not tab.is_visible("#token-form")
        tab.close()


def test_only_the_newest_answer_is_shown(page, address):
    """Delay the answer to the first text beyond that to the second."""
    held = []
    page.route(
        f"{address}/certify",
        lambda route: held.append(route) if "slow" in route.request.post_data else route.continue_(),
    )
    page.fill("#text", "slow" * 3)
    page.wait_for_timeout(400)
    assert len(held) == 1
    type_text(page, "123456")
    playwright.expect(page.locator("#label")).to_have_text("digits")
    playwright.expect(page.locator("#number")).to_have_text("2")
    with suppress(playwright.Error):  # the page has given this one up already
        held[0].continue_()
    page.wait_for_timeout(300)
    playwright.expect(page.locator("#label")).to_have_text("digits")
    page.unroute(f"{address}/certify")


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("path", ["", "/docs"])
def test_a_phone_does_not_scroll_sideways(browser, address, scheme, path):
    phone = browser.new_context(viewport={"width": 360, "height": 640}, color_scheme=scheme)
    page = phone.new_page()
    page.goto(address + path)
    page.wait_for_selector("#shaded span" if not path else "#interface section")
    if not path:
        type_text(page, "averylongwordwithoutanyspaces" * 10)
    assert page.evaluate("document.documentElement.scrollWidth") <= 360
    background = page.evaluate("getComputedStyle(document.body).backgroundColor")
    assert background == {"light": "rgb(253, 252, 249)", "dark": "rgb(22, 24, 28)"}[scheme]
    phone.close()


def test_everything_that_can_be_used_has_a_name(page):
    """Labels for those who hear the page: each control has an accessible name, each picture is hidden or named."""
    nameless = page.evaluate(
        """Array.from(document.querySelectorAll("button, select, textarea, input"))
             .filter((e) => !(e.innerText || e.labels?.length || e.ariaLabel)).map((e) => e.outerHTML)"""
    )
    assert nameless == []
    assert page.locator("svg:not([aria-hidden=true])").count() == 0
    assert page.locator("[role=status] #sentence").count() == 1


def test_the_interface_is_described_without_scripts_from_elsewhere(page, address):
    page.goto(f"{address}/docs")
    page.wait_for_selector("#interface section")
    heads = page.locator("#interface h2").all_inner_texts()
    assert heads[:4] == ["POST /predict", "POST /certify", "POST /attack", "GET /model"]
    assert "Counterexample" in heads
