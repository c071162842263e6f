"""The outcome of a text, and counts of outcomes: the one place that defines right, verified and attacked.

The label of a text is certified up to ``radius`` edits and known to be lost after ``upper``.  Between the two nothing
is decided, so that at every distance k

    verified(k)  ⇒  the label survives every attack of k edits  ⇒  survives(k).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

from levcert.certificates.certificate import Certificate
from levcert.certificates.claims import ABSTAINED
from levcert.certificates.share import Share


@dataclass(frozen=True)
class Outcome:
    """What is known about one text.

    ``upper`` is the distance of the nearest counterexample that anyone found: the certifier or an attack.
    """

    truth: str
    right: bool
    radius: int = 0  # 0: nothing is known about edited texts
    upper: int | None = None
    claim: str | None = None  # None: the text was attacked but not certified

    @classmethod
    def of(cls, certificate: Certificate, truth: str, found: int | None = None) -> Outcome:
        """Return the outcome of a certificate, and of an attack that found a counterexample at a distance.

        A classifier that abstains gives no answer, so it is not right.
        """
        right = certificate.label == truth and certificate.radius != ABSTAINED
        upper = min((distance for distance in (certificate.upper, found) if distance is not None), default=None)
        return cls(truth, right, certificate.radius, upper, certificate.claim)

    def verified(self, k: int) -> bool:
        """The label is right, and no k edits change it: proved, as far as the claim goes."""
        return self.right and self.radius >= k

    def survives(self, k: int) -> bool:
        """The label is right, and nobody found k edits that change it, which proves nothing."""
        return self.right and (self.upper is None or self.upper > k)

    def undecided(self, k: int) -> bool:
        """Neither a proof nor a counterexample was found."""
        return self.survives(k) and not self.verified(k)

    @property
    def exact(self) -> bool:
        """The radius is proved, and one more edit was found to change the label."""
        return self.claim == "exact"


@dataclass
class Tally:
    """How many texts have which outcome: all shares follow from these counts, and no text is kept."""

    counts: Counter[Outcome] = field(default_factory=Counter)

    @classmethod
    def of(cls, outcomes: Iterable[Outcome]) -> Tally:
        return cls(Counter(outcomes))

    def __len__(self) -> int:
        return self.counts.total()

    def __add__(self, other: Tally) -> Tally:
        return Tally(self.counts + other.counts)

    def add(self, outcome: Outcome) -> None:
        self.counts[outcome] += 1

    def with_truth(self, label: str) -> Tally:
        """Return the tally of the texts with one true label."""
        return Tally(Counter({outcome: count for outcome, count in self.counts.items() if outcome.truth == label}))

    def without_truth(self, label: str) -> Tally:
        """Return the tally of the texts with any other true label."""
        return Tally(Counter({outcome: count for outcome, count in self.counts.items() if outcome.truth != label}))

    def share(self, holds: Callable[[Outcome], bool]) -> Share:
        """Return the share of texts for which something holds."""
        return Share(sum(count for outcome, count in self.counts.items() if holds(outcome)), len(self))

    def clean(self) -> Share:
        return self.share(lambda outcome: outcome.right)

    def verified(self, k: int) -> Share:
        return self.share(lambda outcome: outcome.verified(k))

    def verified_of_right(self, k: int) -> Share:
        """Return the share of the texts with the right label for which k edits are proved not to suffice."""
        return Share(self.verified(k).hits, self.clean().hits)

    def attacked(self, k: int) -> Share:
        """Return the accuracy under attack: what the counterexamples within k edits leave."""
        return self.share(lambda outcome: outcome.survives(k))

    def exact(self) -> Share:
        return self.share(lambda outcome: outcome.exact)

    @property
    def claims(self) -> dict[str, int]:
        """How many certificates make which claim."""
        claims: Counter[str] = Counter()
        for outcome, count in self.counts.items():
            if outcome.claim is not None:
                claims[outcome.claim] += count
        return dict(sorted(claims.items()))
