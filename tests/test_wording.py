"""What a certificate means, in a sentence."""

import pytest

from levcert import Certificate, Threat
from levcert.wording import meaning

INSERT = Threat({"insert"}, symbols=".-")


@pytest.mark.parametrize(
    ("radius", "claim", "threat", "sentence"),
    [
        (-1, "proved", Threat(), "There is no certain answer: 'x' does not win clearly even without any edit."),
        (0, "proved", Threat(), "Proved: this is the label of the text as it is; nothing is known of edited texts."),
        (0, "exact", Threat(), "One edit is enough to change the label."),
        (1, "proved", Threat(), "Proved: a single edit cannot change the label."),
        (1, "exact", Threat(), "Proved: a single edit cannot change the label; 2 can."),
        (2, "exact", Threat(), "Proved: 2 edits or fewer cannot change the label; 3 can."),
        (2, "proved", INSERT, "Proved: 2 insertions with characters of '.-' or fewer cannot change the label."),
        (
            1,
            "proved",
            Threat({"delete", "substitute"}),
            "Proved: a single deletion or substitution cannot change the label.",
        ),
        (0, "exact", Threat({"delete"}), "One deletion is enough to change the label."),
        (
            3,
            "substitutions only",
            Threat(),
            "Proved for substitutions only: 3 substitutions or fewer cannot change the label.",
        ),
        (
            4,
            "probability ≥ 0.95",
            Threat(),
            "With probability at least 0.95, for the smoothed classifier: 4 edits or fewer cannot change the label.",
        ),
    ],
)
def test_sentences(radius, claim, threat, sentence):
    found = {"upper": radius + 1, "counterexample": "y"} if claim == "exact" else {}
    assert meaning(Certificate("t", "x", radius, 0.5, "m", claim, **found), threat) == sentence
