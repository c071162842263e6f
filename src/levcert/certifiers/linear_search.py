"""The exact radius of an imported linear model up to two edits: a bound linear in the n-grams, then predictions.

**The bound.**  Let y be the label, c another class, N = Σ_g (w_y − w_c)_g·x_g, Δ = b_y − b_c, and x' = x + δ the vector
of an edited text.  Multiplied by the norm, the margin is N' + Δ·‖x'‖ (Theorem "Norms", docs/soundness.md):

    Δ ≥ 0:   ‖x'‖ ≥ ‖x‖ + ⟨x, δ⟩/‖x‖                      (Cauchy–Schwarz on ⟨x, x'⟩)
    Δ < 0:   ‖x'‖ ≤ ‖x‖ + ⟨x, δ⟩/‖x‖ + ‖δ‖²/(2‖x‖)         (√(1 + t) ≤ 1 + t/2),   ‖δ‖² ≤ k·Σ_e ‖δ_e‖² over k edits

So the margin loses at most Σ over the edits of a sum over the n-grams that each loses and makes.  Without a norm, or
with the l1 norm, which is itself a sum over n-grams, this is an equality.

**The search.**  Single edits: every one is bounded, and where the bound does not prove the label the edited text is
classified.  Pairs: edits that share no n-gram lose the sum of what each loses alone; nearer ones are bounded together
(levcert.kernels.linear_pairs).  Texts are classified by the model itself, so an "exact" radius is exact for its
predictions, bit for bit.  Beyond two edits, each further one costs at most what any edit of any text costs.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, ClassVar, Final

import numpy as np
import numpy.typing as npt

from levcert.certificates.claims import IS_TARGET
from levcert.certifiers.base import Array, ClassifierMethod, Verdict
from levcert.errors import InputError
from levcert.models.any_classifier import Classifier
from levcert.models.linear.linear_ngrams import LinearNgrams
from levcert.models.tap_bounds import rounding_factor
from levcert.text.alphabet import Text
from levcert.text.ball import Ball
from levcert.text.edits import Operation
from levcert.text.threat import Threat

_CLASSIFIED: Final = 20_000  # edited texts that may be classified for each text and distance
_MOST_FOR_SIGMA: Final = 200_000
_ROOM: Final = 64
_HALVINGS: Final = 20  # of the way from the threshold to the worst pair, until the pairs above are few enough
_UNDERFLOW: Final = 2.0**-800  # more than all that is lost below the range of float64, times any norm
_MOST_STRINGS: Final = 12  # with more strings that one character can become (strip_accents), pairs take too long

Pairs = Callable[[float], tuple[float, int]]  # threshold → the largest loss, how many reach the threshold


@dataclass(frozen=True)
class LinearSearch(ClassifierMethod):
    """Single edits exactly, pairs exactly as far as the budget goes, and a bound beyond."""

    name: ClassVar[str] = "exact"
    needs: ClassVar[str] = "a model imported by from_sklearn"

    max_distance: int | None = None  # None: two edits, whose search takes a bounded time
    budget: float | None = None  # seconds for each text

    def threat(self, threat: Threat) -> Threat:
        if threat.neighbours is not None or getattr(threat, "deletable", None) is not None:
            raise InputError(
                "Imported models are certified against operations and symbols, not neighbours; drop those."
            )
        return threat

    def verdict(
        self, classifier: Classifier, text: Text, threat: Threat, target: str | None = None
    ) -> tuple[str, Verdict]:
        """Search one text; a label that cannot change cannot become the target, so its radius holds for that, too."""
        model = classifier.source
        if not isinstance(model, LinearNgrams):
            raise InputError(f"This method needs {self.needs}.")
        if not isinstance(text, str):
            raise InputError(f"An imported pipeline classifies texts of type str, not {type(text).__name__}.")
        deadline = None if self.budget is None else time.perf_counter() + self.budget
        search = TextSearch(model, text, threat, deadline)
        label = model.labels[search.label]
        if label == target:
            return label, Verdict(0, IS_TARGET, float(np.subtract(*np.sort(search.scores)[:-3:-1])))
        found = search.verdict(2 if self.max_distance is None else self.max_distance)
        changed = found.counterexample
        if target is not None and changed is not None and classifier.labels([changed])[0].name != target:
            found = replace(found, upper=None, counterexample=None)  # another class wins there
        return label, found


@dataclass(frozen=True)
class Brought:
    """What an attacker may type, by what the model sees of it."""

    model: LinearNgrams
    threat: Threat

    @cached_property
    def typed(self) -> dict[tuple[int, ...], str]:
        """A character for each string of ids that one may become."""
        front = self.model.front_end
        if self.threat.symbols is None:
            return front.typeable
        if not isinstance(self.threat.symbols, str):
            raise InputError("An imported pipeline classifies texts of type str; give symbols as a str.")
        found: dict[tuple[int, ...], str] = {}
        # Σ last: it may become "ς" where "σ" is meant, so it stands for "σ" only if nothing else does.
        for character in sorted(self.threat.symbols, key="Σ".__eq__):
            found.setdefault(front.expansion(character), character)
            if character == "Σ" and front.lowercase:  # whichever it becomes
                found.setdefault(front.expansion("ς"), character)
        return found

    @cached_property
    def single(self) -> npt.NDArray[np.bool_]:
        allowed = np.zeros(self.model.front_end.size + 1, dtype=np.bool_)
        allowed[[string[0] for string in self.typed if len(string) == 1]] = True
        return allowed

    @cached_property
    def several(self) -> list[tuple[int, ...]]:
        return [string for string in self.typed if len(string) != 1]

    @cached_property
    def strings(self) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.int64]]:
        joined = [id_ for string in self.several for id_ in string]
        offsets = np.cumsum([0, *map(len, self.several)], dtype=np.int64)
        return np.array(joined, dtype=np.int32), offsets

    def character(self, choice: int) -> str | None:
        """Return the character to type for a number of ``slot_losses``; None: delete."""
        symbols = len(self.single)
        if choice < symbols:
            return self.typed[(choice,)]
        return None if choice == symbols + len(self.several) else self.typed[self.several[choice - symbols]]


@dataclass
class TextSearch:
    """One text of one model."""

    model: LinearNgrams
    text: str
    threat: Threat
    deadline: float | None = None

    @cached_property
    def scores(self) -> Array:
        scores: Array = self.model.scores([self.text])[0]
        return scores

    @cached_property
    def label(self) -> int:
        return int(self.scores.argmax())

    @cached_property
    def brought(self) -> Brought:
        return Brought(self.model, self.threat)

    @cached_property
    def against(self) -> list[Against]:
        return [Against(self, other) for other in range(self.model.classes) if other != self.label]

    def verdict(self, distance: int) -> Verdict:
        """Prove as much as possible up to a distance, and return the nearest counterexample that was seen."""
        margin = float(np.subtract(*np.sort(self.scores)[:-3:-1]))
        if distance < 1:
            return Verdict(0, "proved", margin)
        if self.model.front_end.depends_on_context(self.text):
            return replace(self._by_predictions(), margin=margin)
        if not all(math.isfinite(pair.tolerance) for pair in self.against):
            return Verdict(0, "proved", None)  # sums may leave the range of float64
        decided, found = self._broken_by(pair.singles() for pair in self.against)
        if found is not None:
            return Verdict(0, "proved", margin, 1, found)
        if not decided:
            return Verdict(0, "proved", margin)
        if distance == 1 or len(self.brought.several) > _MOST_STRINGS:
            return Verdict(1, "proved", margin)
        decided, found = self._broken_by(pair.pairs() for pair in self.against)
        if found is not None:
            return Verdict(1, "proved", margin, 2, found)
        radius = min(pair.beyond(2) for pair in self.against) if decided else 1
        return Verdict(radius, "proved", margin)

    def _broken_by(self, proposals: Iterator[Iterator[list[str]]]) -> tuple[bool, str | None]:
        """Classify the texts that the bound leaves open; return whether all were, and the first with another label."""
        classified = 0
        for batches in proposals:
            for batch in batches:
                if batch:
                    labels = self.model.scores(batch).argmax(axis=1)
                    if (labels != self.label).any():
                        return True, batch[int(np.argmax(labels != self.label))]
                classified += len(batch)
                if classified > _CLASSIFIED or self.out_of_time:
                    return False, None
        return True, None

    @property
    def out_of_time(self) -> bool:
        return self.deadline is not None and time.perf_counter() > self.deadline

    def _by_predictions(self) -> Verdict:
        """Look for a counterexample at distance 1, and prove nothing: the text contains a capital sigma.

        What becomes of it depends on which characters around it have a case, or are skipped like an accent.  Characters
        that the model sees alike may differ in that, so one of each kind does not stand for all.
        """
        characters = "".join(self.brought.typed.values()) + ("Σ" if self.threat.symbols is None else "")
        if 2 * len(self.text) * len(characters) * len(self.text) > _MOST_FOR_SIGMA * _ROOM:
            return Verdict(0, "proved", None)
        batch: list[str] = []
        for candidate in Ball(self.text, 1, characters, self.threat.operations):
            batch.append(candidate)
            if len(batch) == 1024:
                if (found := self._other(batch)) is not None:
                    return Verdict(0, "proved", None, 1, found)
                batch = []
                if self.out_of_time:
                    return Verdict(0, "proved", None)
        found = self._other(batch)
        return Verdict(0, "proved", None) if found is None else Verdict(0, "proved", None, 1, found)

    def _other(self, batch: list[str]) -> str | None:
        changed = self.model.scores(batch).argmax(axis=1) != self.label if batch else np.zeros(0, dtype=bool)
        return batch[int(np.argmax(changed))] if changed.any() else None

    def edited(self, text: str, slot: int, choice: int) -> str:
        """Return a text after the edit with a number of ``slot_losses``."""
        index, character = slot // 2, self.brought.character(choice)
        return text[:index] + (character or "") + text[index + slot % 2 :]


@dataclass
class Against:
    """The margin to one other class, as a sum over n-grams that bounds it from below."""

    search: TextSearch
    other: int

    def __post_init__(self) -> None:
        model, label = self.search.model, self.search.label
        rows, counts = model.counts(self.search.text)
        factors = model.factors
        difference = model.scaled[:, label] - model.scaled[:, self.other]
        delta = float(model.intercept[label] - model.intercept[self.other])
        raw = float(difference[rows] @ counts)
        self.kept: Array = difference
        self.curve = 0.0
        size = 1.0
        if model.norm == "l1":
            size = float(factors[rows] @ counts)
            self.kept = difference + delta * factors
        elif model.norm == "l2":
            size = math.sqrt(float(((factors[rows] * counts) ** 2).sum()))
            if size > 0:
                self.kept = difference.copy()
                self.kept[rows] += delta / size * counts * factors[rows] ** 2
                self.curve = max(-delta, 0.0) / size  # 2·|Δ|/(2‖x‖): for two edits, each bounded on its own
        self.made: Array = self.kept - self.curve * factors**2 if self.curve else self.kept
        # A text without known n-grams is not divided by its norm, so nothing that is scaled by one compares with it.
        self.margin = raw + delta * size if size > 0 else -math.inf
        self.tolerance = self._tolerance(len(counts) and int(counts.sum()), difference, delta, size)
        self.worst = math.inf  # the least margin after two edits that the bound leaves possible

    def _tolerance(self, grams: int, difference: Array, delta: float, size: float) -> float:
        """Bound the rounding of our margins and of the scores that scikit-learn computes, for up to two edits."""
        model = self.search.model
        factor, longest = float(model.factors.max(initial=0)), max(map(len, self.search.brought.typed), default=1)
        occurrences = grams + 8 * model.trie.width * (model.trie.width + longest + len(self.search.text) // 8 + 4)
        largest = 2 * float(np.abs(model.scaled).max(initial=0)) + abs(delta) * factor * max(1, grams)
        magnitude = occurrences * (largest + self.curve * factor**2 * occurrences)
        magnitude += 2 * float(np.abs(model.intercept).max()) * (size + occurrences * factor + 1)
        return 16 * rounding_factor(2 * occurrences + 256) * magnitude + _UNDERFLOW

    @cached_property
    def _text(self) -> Any:
        """The arguments of the kernels that all calls share."""
        model, brought = self.search.model, self.search.brought
        trie, front, (strings, offsets) = model.trie, model.front_end, brought.strings
        bits = {Operation.INSERT: 1, Operation.DELETE: 2, Operation.SUBSTITUTE: 4}
        operations = sum(bits[operation] for operation in self.search.threat.operations)
        ids, starts = front.spread(self.search.text)
        return (
            trie.begin, trie.symbol, trie.row, trie.width, self.kept, self.made, model.factors, self.curve,
            front.is_space, front.space, brought.single, strings, offsets, operations, ids, starts,
        )  # fmt: skip

    @property
    def _slots(self) -> int:
        return 2 * len(self.search.text) + 1

    @property
    def _longest(self) -> int:
        longest = max(map(len, self.search.brought.typed), default=1)
        return len(self._text[-2]) + longest + 2 * self.search.model.width + 2

    @cached_property
    def losses(self) -> Array:
        """The loss of every single edit: slots × choices."""
        from levcert.kernels.linear_edits import all_losses

        choices = len(self.search.brought.single) + len(self.search.brought.several) + 1
        losses = np.empty((self._slots, choices))
        all_losses(*self._text, 0, self._slots, self._longest, losses)  # type: ignore[call-arg]
        return losses

    def singles(self) -> Iterator[list[str]]:
        """Give the texts one edit away for which the bound does not prove the label, the worst first."""
        slots, choices = np.nonzero((self.losses >= self.margin - self.tolerance) & (self.losses > -math.inf))
        order = np.argsort(-self.losses[slots, choices], kind="stable")
        for part in np.array_split(order, max(1, -(-len(order) // _ROOM))):
            yield [self.search.edited(self.search.text, int(slots[n]), int(choices[n])) for n in part]

    def pairs(self) -> Iterator[list[str]]:
        """Give the texts two edits away for which the bound does not prove the label."""
        from levcert.kernels.linear_holes import best_below
        from levcert.kernels.linear_pairs import far_pairs, far_slots, near_pairs

        if not self.margin > -math.inf:
            self.undecided = True
            return
        begin, symbol, row, width, kept, _, factors, _, *rest, ids, starts = self._text
        threshold, is_space = self.margin - self.tolerance, rest[0]
        far = np.empty(self._slots, dtype=np.int64)
        found, loss = np.empty((_CLASSIFIED, 4), dtype=np.int64), np.empty(_CLASSIFIED)
        far_slots(ids, starts, is_space, width, far)
        best = self.losses.max(axis=1)
        later = np.append(np.maximum.accumulate(best[::-1])[::-1], -math.inf)
        largest = float((best + later[far]).max())

        def far_apart(least: float) -> tuple[float, int]:
            return largest, far_pairs(self.losses, best, later, far, least, found, loss)

        yield from self._two_edits(far_apart, threshold, found, loss)
        strings, below = self._longest - len(ids), np.empty(len(row))
        best_below(begin, row, kept, factors, self.curve / 2, 2 * strings + 2 * width, below)
        for slot in np.argsort(-best, kind="stable").tolist():

            def near(least: float, slot: int = slot) -> tuple[float, int]:
                return near_pairs(
                    begin, symbol, row, width, kept, factors, self.curve / 2, below, *rest, ids, starts,
                    slot, int(far[slot]), 2 * self._longest, least, found, loss,
                )  # type: ignore[call-arg]  # fmt: skip

            yield from self._two_edits(near, threshold, found, loss)

    undecided: bool = False

    def _two_edits(
        self, pairs: Pairs, threshold: float, found: npt.NDArray[np.int64], loss: Array
    ) -> Iterator[list[str]]:
        """Give the texts of pairs of edits, the worst first; without any, an empty batch, so that time is looked at.

        If there are too many, only the worst are given, and nothing is decided.  If one edit brings "Σ", what that
        becomes depends on the other's own character, not only on its id.  So the text does not stand for all that
        the model sees alike: where the bound leaves it open, it stays open.
        """
        largest, count = pairs(threshold)
        self.worst = min(self.worst, self.margin - largest)
        for _ in range(_HALVINGS):
            if count <= len(loss):
                break
            self.undecided, threshold = True, (threshold + largest) / 2
            count = pairs(threshold)[1]
        order = np.argsort(-loss[:count], kind="stable")
        for part in np.array_split(order, max(1, -(-len(order) // _ROOM))):
            batch = []
            for slot, choice, other, second in found[part].tolist():
                later = self.search.edited(self.search.text, other, second)  # first, so that the other's place stays
                batch.append(self.search.edited(later, slot, choice))
            self.undecided |= any(map(self.search.model.front_end.depends_on_context, batch))
            yield batch

    def beyond(self, edits: int) -> int:
        """Return the largest radius that follows from the worst margin after two edits and the cost of any further."""
        if self.undecided:
            return edits - 1
        if not self.worst > self.tolerance:  # the texts in doubt were classified
            return edits
        cost = self._cost_of_any_edit
        if not cost > 0:
            return edits
        further = (self.worst - self.tolerance) / cost * (1 - 2.0**-40)
        return edits + max(0, math.ceil(min(further, len(self.search.text) + edits)) - 1)

    @property
    def _cost_of_any_edit(self) -> float:
        """What one edit of any text can take from the scaled margin: all n-grams that it can touch, at their worst."""
        model, label = self.search.model, self.search.label
        width = model.trie.width
        longest = max(
            map(len, (*self.search.brought.typed, *map(model.front_end.expansion, self.search.text))), default=1
        )
        # A run of white space on both sides may become one symbol each, or come out of one.
        grams = sum(n - 1 + longest + 2 for n in range(1, width + 1))
        difference = model.scaled[:, label] - model.scaled[:, self.other]
        spread = float(difference.max(initial=0) - difference.min(initial=0))
        delta = abs(float(model.intercept[label] - model.intercept[self.other]))
        size = 2 * grams * float(model.factors.max(initial=0)) if model.norm else 0.0
        return (grams * spread + delta * size) * (1 + 2.0**-30)
