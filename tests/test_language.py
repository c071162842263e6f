"""Phrases that readers had to read twice, and what to write instead; none of them may come back.

The table is the only place for them.  A pattern is matched on text whose line breaks are spaces, so a phrase that runs
over two lines is found as well.  Keep patterns narrow: a false alarm costs more than a missed phrase.
"""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
ENDINGS = {".py", ".md", ".html", ".js", ".toml"}
FOLDERS = ("src", "docs", "benchmarks", "tests")
PAGES = ("README.md", "SECURITY.md", "CONTRIBUTING.md", "CHANGELOG.md", "pyproject.toml")

INSTEAD = {  # pattern → what a native engineer writes
    r"so many first": "only the first N …",
    r"some first (texts|rows|characters|``)": "the first N …",
    r"so many (characters|edits|texts|rows|steps|windows|operations|times|significant)\b": "N … or this many …",
    r"no so many": "fewer than N …",
    r"of no interest": "stop at this radius (faster)",
    r"(bound|so far|one|that|it) must do\b": "return the best proof found so far",
    r"pass(ed|es)? over (a last|a torn|bad|such|rows|cells|lines|the row)": "skip",
    r"(is|are|was|were|rows|lines) passed over": "skipped",
    r"\bMend\b": "Fix",
    r"\bgo(es)? before (it|them|the file)\b": "flags override the file",
    r"all that we have": "the rows available to us",
    r"(fractions|numbers|texts|first that|of them|, and .{1,20}) (is|are) none\b(?! (of|found|known))": "is not a …",
    r"\b(is|are) none of \.": "must end in …",
    r"\banew\b": "again, or from scratch",
    r"goes? on (from|where|in the same|as if)\b": "continues",
    r"(?<![Tt]here )\b(is|are) no (certificates?|proofs?|terminal|power|window sum|whole|object|row|model|functions|"
    r"valid|results?|convolution|operation)\b": "is not a …",
    r"\b(with|in|and|of|about|from) whatever\b": "any …",
    r"\bwhatever (the|their|its|his) (text|name|radius|length|order|kinds?|symbols?|language|other|file|size)s?\b":
        "for any …, or regardless of …",
    r"whatsoever": "at all",
    r"whole or not (at all|there)": "completely or not at all",
    r"\b(labels?|labelled|labels texts?) right\b": "correctly",
    r"\brefused with a sentence\b": "rejected with an error that says so",
    r"speaks? (of|about|for) (the|those|texts|all|cut)": "apply to …",
    r"(given|made|written|stands?|lies?|lying|put) beside (the|it|its|them|each|an)\b": "next to",
    r"anyone's (model|classifier)": "your own model",
    r"JSON interface": "JSON API",
    r"the released code's way\b": "the released code's method",
    r"(sound, one pass|by one constant|one constant k=|windows known)": "lipschitz, or lipschitz (one pass)",
    r"\bsentences? that says? so\b": "an error that says so",
    r"\bcannot be had\b": "is not available",
    r"\bdone right\b": "corrected",
    r"as (it is|they are) used\b": "for prediction, in use",
    r"(rows|texts|data) (that are |that were )?set apart": "held-out rows",
    r"\bcut (off|short) (by|in)\b": "truncated",
    r"\ball (but|of them but) (one|two) of\b": "all except …",
    r"numbers with fractions": "floats",
    r"as many as the line": "unless the line says otherwise",
    r"\bof (ours|yours) beside\b": "our time next to …",
    r"not everybody needs": "optional",
    r"whole numbers? of at least": "an integer of at least",
}  # fmt: skip


def files():
    for page in PAGES:
        yield ROOT / page
    for folder in FOLDERS:
        for path in sorted((ROOT / folder).rglob("*")):
            if path.suffix in ENDINGS and path != Path(__file__).resolve():  # which has the list
                yield path


def violations(text):
    """Give (line, phrase, what to write) for each forbidden phrase."""
    flat = re.sub(r"\n[ #*>/]*", lambda gap: " ".ljust(len(gap[0]), "\x00"), text)
    searched = flat.replace("\x00", "")
    starts = [index for index, character in enumerate(flat) if character != "\x00"]
    for pattern, instead in INSTEAD.items():
        for match in re.finditer(pattern, searched):
            yield text.count("\n", 0, starts[match.start()]) + 1, match[0], instead


def test_nobody_has_to_read_a_sentence_twice():
    found = [
        f"{path.relative_to(ROOT)}:{line}: {phrase!r}; write: {instead}"
        for path in files()
        for line, phrase, instead in violations(path.read_text(encoding="utf-8"))
    ]
    assert not found, "\n".join(["", *found])


@pytest.mark.parametrize(
    ("text", "line", "phrase"),
    [
        ("Fine.\nUse only so many first rows.", 2, "so many first"),
        ("a\n\nLarger radii are of no\n    interest.", 3, "of no interest"),
        ("    # seconds; then what is proved so\n    # far must do", 1, "so far must do"),
        ("numbers with fractions are none.", 1, "fractions are none"),
    ],
)
def test_phrases_are_found_with_their_line(text, line, phrase):
    assert (line, phrase) in [found[:2] for found in violations(text)]


@pytest.mark.parametrize(
    "text",
    ["There is no dataset of that name.", "one pass over the text", "There are none.", "None if there is none."],
)
def test_plain_sentences_pass(text):
    assert list(violations(text)) == []
