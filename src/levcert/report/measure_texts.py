"""What is measured for a report: for each text a certificate, and the nearest counterexample that anyone found."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from levcert.certificates.certificate import Certificate
from levcert.certifiers import CERTIFIERS, certify
from levcert.errors import InputError
from levcert.evaluation.evaluate import with_attack
from levcert.models.window import WindowModel
from levcert.text.alphabet import Text
from levcert.text.threat import ANY_EDIT, Threat, known_substitutions

FARTHEST: Final = 10  # edits that the attack makes, unless a distance is given
_AT_ONCE: Final = 8  # texts that are certified together; few, so that a progress bar moves


@dataclass(frozen=True)
class ReportRow:
    """A text's true label and its certificate, with the nearest counterexample that any method found."""

    truth: str
    certificate: Certificate

    @property
    def right(self) -> bool:
        return self.certificate.label == self.truth

    def certified(self, k: int) -> bool:
        """Whether no k edits take the right label away: proved."""
        return self.right and self.certificate.radius >= k

    def survives(self, k: int) -> bool:
        """Whether nobody found k edits that take the right label away: not proved."""
        return self.right and (self.certificate.upper is None or self.certificate.upper > k)


def check(model: WindowModel, texts: Sequence[Text], truth: Sequence[str], method: str) -> None:
    """Refuse what no honest report can be made of."""
    if not isinstance(model, WindowModel):
        raise InputError(f"A report is about one of our models, not about {type(model).__name__}.")
    if isinstance(texts, str | bytes) or not len(texts):
        raise InputError("A report needs a list of at least one text.")
    if len(texts) != len(truth):
        raise InputError(f"There are {len(truth)} true labels for {len(texts)} texts; give one for each.")
    strange = sorted(set(truth) - set(model.labels))
    if strange:
        raise InputError(
            f"The texts have the label {strange[0]!r}, which the model does not know; its labels are "
            f"{', '.join(model.labels)}."
        )
    if method not in CERTIFIERS:
        raise InputError(f"There is no certifier {method!r}; there are {', '.join(CERTIFIERS)}.")
    if method == "smoothing":
        raise InputError("smoothing certifies another classifier than the model; choose auto, exact or lipschitz.")


def threat_of(method: str, model: WindowModel) -> Threat:
    """Return whom a report is about: any attacker, or with lipslev the only one that it is proved for."""
    return known_substitutions(model.alphabet) if method == "lipslev" else ANY_EDIT


def measure(
    model: WindowModel,
    texts: Sequence[Text],
    truth: Sequence[str],
    method: str,
    max_distance: int | None,
    budget: float | None,
) -> Iterator[ReportRow]:
    """Certify every text, attack those that are right, and keep the nearer of what both found."""
    threat = threat_of(method, model)
    for first in range(0, len(texts), _AT_ONCE):
        part = slice(first, first + _AT_ONCE)
        certificates = certify(model, texts[part], method, max_distance=max_distance, budget=budget, threat=threat)
        for certificate, label in zip(certificates, truth[part], strict=True):
            if certificate.label == label:
                certificate = with_attack(model, certificate, FARTHEST if max_distance is None else max_distance)
            yield ReportRow(label, certificate)
