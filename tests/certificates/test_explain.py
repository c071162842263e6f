"""What a certificate means, in a sentence."""

import pytest

from levcert import Certificate, Threat
from levcert.certificates.explain import claimed_edits, meaning
from levcert.text.threat import ANY_EDIT

DOTS = Threat({"insert"}, symbols=".-")
NEAR = Threat({"insert", "substitute"}, neighbours={"a": "s"})
KNOWN = "Proved only for substitutions among the characters that the model knows: "
LIKELY = "With probability at least 0.95, for the smoothed classifier: "


@pytest.mark.parametrize(
    ("radius", "claim", "threat", "sentence"),
    [
        (-1, "probability ≥ 0.95", ANY_EDIT, "The method abstained: no label is likely enough to be certified."),
        (0, "proved", ANY_EDIT, "Proved: this is the label of the text as it is; nothing is known about edited texts."),
        (0, "exact", ANY_EDIT, "One edit can change the label."),
        (1, "proved", ANY_EDIT, "Proved: one edit cannot change the label."),
        (1, "exact", ANY_EDIT, "Proved: one edit cannot change the label; 2 can."),
        (2, "exact", ANY_EDIT, "Proved: 2 edits or fewer cannot change the label; 3 can."),
        (1, "proved", DOTS, "Proved: one insertion that brings in only characters of '.-' cannot change the label."),
        (
            2,
            "proved",
            DOTS,
            "Proved: 2 insertions or fewer that bring in only characters of '.-' cannot change the label.",
        ),
        (
            1,
            "proved",
            NEAR,
            "Proved: one insertion or substitution that substitutes only listed neighbours cannot change the label.",
        ),
        (
            1,
            "proved",
            Threat({"delete", "substitute"}),
            "Proved: one deletion or substitution cannot change the label.",
        ),
        (0, "exact", Threat({"delete"}), "One deletion can change the label."),
        (1, "proved", None, "Proved: one edit (of which kind, the file does not say) cannot change the label."),
        (3, "substitutions only", ANY_EDIT, f"{KNOWN}3 of these or fewer cannot change the label."),
        (1, "substitutions only", ANY_EDIT, f"{KNOWN}one of these cannot change the label."),
        (4, "probability ≥ 0.95", ANY_EDIT, f"{LIKELY}4 edits or fewer cannot change the label."),
    ],
)
def test_sentences(radius, claim, threat, sentence):
    found = {"upper": radius + 1, "counterexample": "y"} if claim == "exact" else {}
    assert meaning(Certificate("t", "x", radius, 0.5, "m", claim, threat, **found)) == sentence


def test_edits_of_bytes_are_called_so():
    row = Certificate(b"t", "x", 2, 0.5, "m", "proved", ANY_EDIT, "bytes")
    assert meaning(row) == "Proved: 2 byte edits or fewer cannot change the label."
    row = Certificate(b"t", "x", 1, 0.5, "m", "proved", Threat({"delete"}), "bytes")
    assert meaning(row) == "Proved: one byte deletion cannot change the label."
    row = Certificate(b"t", "x", 2, 0.5, "m", "proved", Threat(symbols=b"ab", deletable=b"c"), "bytes")
    edits = "2 byte edits or fewer that bring in only bytes of b'ab' and delete only bytes of b'c'"
    assert meaning(row) == f"Proved: {edits} cannot change the label."


def test_what_a_claim_is_about():
    assert claimed_edits(1, "proved", ANY_EDIT, "characters") == "edit"
    assert claimed_edits(2, "substitutions only", ANY_EDIT, "characters").startswith("substitutions among")
    assert claimed_edits(2, "probability ≥ 0.95", ANY_EDIT, "bytes") == (
        "byte edits (of the smoothed classifier, probability ≥ 0.95)"
    )
