"""What the page says must be what the certificate claims."""

import pytest

from levcert import Certificate, Threat
from levcert.web.words import edits, promise

ANY = Threat()


def certificate(radius, claim, upper=None, margin=1.0):
    return Certificate("text", "label", radius, margin, "auto", claim, upper, None if upper is None else "txt")


@pytest.mark.parametrize(
    ("row", "sentence"),
    [
        (certificate(0, "exact", 1), "One edit can change this label."),
        (certificate(1, "exact", 2), "No single edit can change this label; 2 edits can."),
        (certificate(3, "exact", 4), "No 3 edits can change this label; 4 edits can."),
        (certificate(2, "proved"), "No 2 edits can change this label."),
        (
            certificate(2, "proved", 5),
            "No 2 edits can change this label; 5 edits can, and between the two nothing is decided.",
        ),
        (certificate(2, "proved", 3), "No 2 edits can change this label; 3 edits can."),
        (
            certificate(0, "proved", 3),
            "Nothing is proved beyond the text itself; 3 edits can change the label, "
            "and between the two nothing is decided.",
        ),
        (certificate(0, "proved"), "Nothing is proved beyond the text itself."),
        (
            certificate(2, "substitutions only"),
            "No 2 substitutions can change this label; insertions and deletions may, "
            "because this method is proved for substitutions only.",
        ),
        (
            certificate(2, "probability ≥ 0.95"),
            "No 2 edits can change this label. This is about the smoothed classifier, "
            "with probability ≥ 0.95 over its random samples.",
        ),
        (certificate(-1, "exact", 0, margin=0.0), "There is no certain answer: two labels are equally good."),
        (certificate(-1, "probability ≥ 0.95", margin=0.1), "There is no certain answer: the method abstains."),
    ],
)
def test_promises(row, sentence):
    assert promise(row, ANY) == sentence


def test_edits_are_those_that_the_attacker_may_make():
    assert edits(1, ANY) == "one edit"
    assert edits(2, Threat({"insert", "delete"})) == "2 insertions or deletions"
    assert edits(1, Threat({"substitute"})) == "one substitution"
