"""Does the search find a bug that is put back?  ``python -m tests.trouble.mutations [--only WORD]`` says.

A mutation takes one step out of a proof, as a fix that is reverted or an argument that is forgotten would.  It is
caught if a bounded slice of some search, the same that runs in the gate, finds more false sentences with it than
without.

To add one: a function of pytest's ``MonkeyPatch`` under ``@mutation("what is taken out")``.  Three lines.
"""

from __future__ import annotations

import argparse
import math
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import cached_property
from typing import Any

import numpy as np
import pytest

from levcert import ConvModel, Threat
from levcert.certifiers import base, exact, interval_huang_2019, lipschitz, lipslev
from levcert.certifiers import deletion_smoothing_huang_2023 as smoothing
from levcert.certifiers.base import Batch
from levcert.certifiers.brute_force import BruteForce
from levcert.certifiers.search import edit_chains, refine, single_edits
from levcert.certifiers.search.edit_pairs import PairSearch
from levcert.certifiers.search.edit_scripts import ScriptSearch
from levcert.models import norms
from levcert.models.tap_bounds import TapCosts
from levcert.text.edits import Operation
from tests.trouble.judge import judged
from tests.trouble.searches import SEARCHES

Mutation = Callable[[pytest.MonkeyPatch], None]
MUTATIONS: dict[str, Mutation] = {}


def mutation(name: str) -> Callable[[Mutation], Mutation]:
    """Put a mutation on the list."""
    return lambda function: MUTATIONS.setdefault(name, function)


# Issue 18: fixes reverted.


@mutation("deleting and inserting at one place passes for a substitution")
def _(patch: pytest.MonkeyPatch) -> None:
    whole = PairSearch._pairs_with_a_deletion

    def fewer(self: PairSearch) -> Iterator[list[Any]]:
        for script in whole(self):
            first, second = script
            if not (second.operation == Operation.INSERT and second.position - first.position in (0, 1)):
                yield script

    patch.setattr(PairSearch, "_pairs_with_a_deletion", fewer)


@mutation("norms square without scaling")
def _(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(norms, "_distances", lambda A, B, p: np.array([np.linalg.norm(B - a, p, axis=1) for a in A]))
    patch.setattr(norms, "scaled_to_one", lambda *arrays: (list(arrays), 0), raising=False)


@mutation("products of norms underflow: norms are scaled, their product is not")
def _(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(norms, "scaled_to_one", lambda *arrays: (list(arrays), 0), raising=False)


@mutation("substituting by a dropped character does not delete")
def _(patch: pytest.MonkeyPatch) -> None:
    _allowed(
        patch, lambda threat, allowed: replace(allowed, delete=allowed.delete & (Operation.DELETE in threat.operations))
    )


@mutation("all symbols can be deleted, or none")
def _(patch: pytest.MonkeyPatch) -> None:
    _allowed(patch, lambda _, allowed: replace(allowed, delete=allowed.delete & np.all(allowed.delete)))


@mutation("substituting a dropped character does not insert")
def _(patch: pytest.MonkeyPatch) -> None:
    _allowed(
        patch, lambda threat, allowed: replace(allowed, insert=allowed.insert & (Operation.INSERT in threat.operations))
    )


@mutation("a tie never loses the label")
def _(patch: pytest.MonkeyPatch) -> None:
    def margins(self: Batch) -> Any:
        rows = np.arange(len(self.texts))
        found = self.scores[rows, self.best][:, None] - self.scores
        found = found + (2.0**-7 if hasattr(self.model, "votes") else 5e-324)
        found[rows, self.best] = np.inf
        return found

    _property(patch, Batch, "margins", margins)


@mutation("a tie always loses the label")
def _(patch: pytest.MonkeyPatch) -> None:
    def lost(model: Any, text: Any, label: int) -> bool:
        if text is None:
            return False
        scores = model.encoded_scores(model.alphabet.encode_many([text]))[0]
        return not np.delete(scores, label).max() < scores[label]

    for module in (
        base,
        single_edits,
        refine,
        sys.modules[PairSearch.__module__],
        sys.modules[ScriptSearch.__module__],
    ):
        patch.setattr(module, "is_counterexample", lost)


# Arguments forgotten.


@mutation("a margin of k times G is enough for k edits")
def _(patch: pytest.MonkeyPatch) -> None:
    def floor(margins: Any, constants: Any, allowance: Any, reach: Any) -> Any:
        quotient = np.where(constants > 0, margins / np.maximum(constants, 5e-324), np.inf).min(axis=1)
        return np.clip(np.floor(np.nan_to_num(quotient, nan=0.0, posinf=1e9)), 0, reach).astype(np.int64)

    for module in (lipschitz, exact, lipslev):
        patch.setattr(module, "radii", floor)


@mutation("shifting neighbours costs nothing")
def _(patch: pytest.MonkeyPatch) -> None:
    _property(patch, TapCosts, "shift", lambda self: np.zeros(self.spread.shape[:2]))


@mutation("windows with two edits cost nothing in chains")
def _(patch: pytest.MonkeyPatch) -> None:
    whole = edit_chains._shared
    patch.setattr(edit_chains, "_shared", lambda *given: 0 * whole(*given))


@mutation("two deletions nearby are not looked at")
def _(patch: pytest.MonkeyPatch) -> None:
    _without(patch, "_pairs_with_a_deletion", lambda script: script[1].operation == Operation.DELETE)


@mutation("two insertions nearby are not looked at")
def _(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(PairSearch, "_two_insertions", lambda self: iter(()))


@mutation("an edit and a substitution nearby are not looked at")
def _(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(PairSearch, "_pairs_with_a_substitution", lambda self: iter(()))


@mutation("scripts are pruned as if the next edit were the last")
def _(patch: pytest.MonkeyPatch) -> None:
    whole = ScriptSearch._children
    patch.setattr(ScriptSearch, "_children", lambda self, ids, left: whole(self, ids, 1))


@mutation("no allowance for rounding")
def _(patch: pytest.MonkeyPatch) -> None:
    _property(patch, Batch, "allowance", lambda self: np.zeros(len(self.texts)))


@mutation("the box of interval holds the text alone")
def _(patch: pytest.MonkeyPatch) -> None:
    def point(batch: Any, model: Any, index: int) -> Any:
        features = model.pooled_features(batch.encoded.part(index, index + 1))[0]
        return features, features

    patch.setattr(interval_huang_2019, "feature_box", point)


@mutation("the constant of lipslev is halved")
def _(patch: pytest.MonkeyPatch) -> None:
    whole = ConvModel.constants
    patch.setattr(ConvModel, "constants", lambda self, p: whole(self, p) / 2)


@mutation("smoothing claims one edit more")
def _(patch: pytest.MonkeyPatch) -> None:
    whole = smoothing.certified_radius
    patch.setattr(smoothing, "certified_radius", lambda *given: whole(*given) + 1)


@mutation("brute force stops one edit early")
def _(patch: pytest.MonkeyPatch) -> None:
    whole = BruteForce.verdict

    def early(self: BruteForce, *given: Any) -> Any:
        label, verdict = whole(replace(self, distance=self.distance - 1), *given)
        return label, replace(verdict, radius=self.distance) if verdict.claim == "proved" else verdict

    patch.setattr(BruteForce, "verdict", early)


# How it is done.


def _property(patch: pytest.MonkeyPatch, owner: type, name: str, function: Callable[[Any], Any]) -> None:
    """Replace a cached property."""
    changed = cached_property(function)
    changed.__set_name__(owner, name)
    patch.setattr(owner, name, changed)


def _allowed(patch: pytest.MonkeyPatch, change: Callable[[Threat, Any], Any]) -> None:
    """Change what a threat becomes in ids."""
    whole = Threat.allowed
    patch.setattr(Threat, "allowed", lambda self, *given, **named: change(self, whole(self, *given, **named)))


def _without(patch: pytest.MonkeyPatch, name: str, left_out: Callable[[Any], bool]) -> None:
    """Leave some scripts out of a part of the pair search."""
    whole = getattr(PairSearch, name)
    patch.setattr(PairSearch, name, lambda self: (script for script in whole(self) if not left_out(script)))


def false_sentences(search: str, enough: float = math.inf) -> Counter[tuple[str, str]]:
    """Count what the gate's slice of a search finds, by method and kind."""
    plan = SEARCHES[search]
    tally = judged(plan.cases(plan.seed), count=plan.gate, enough=enough)
    return Counter((finding.method.split("(")[0], finding.kind) for finding in tally.unsound)


def caught(name: str, without: dict[str, Counter[tuple[str, str]]]) -> tuple[str, str] | None:
    """Return the first search that finds more with a mutation than ``without`` it, and what it finds."""
    for search in SEARCHES:
        with pytest.MonkeyPatch.context() as patch:
            MUTATIONS[name](patch)
            # Where nothing is found without the mutation, the first false sentence is an answer.
            more = false_sentences(search, math.inf if without[search] else 1) - without[search]
        if more:
            return search, ", ".join(f"{count} {method} {kind}" for (method, kind), count in more.most_common(4))
    return None


def main() -> int:
    """Try every mutation, print what catches it; 1 if one escapes."""
    parser = argparse.ArgumentParser(description="Put bugs back, and see whether the searches find them.")
    parser.add_argument("--only", default="", help="mutations whose name holds this word")
    only = parser.parse_args().only
    without = {search: false_sentences(search) for search in SEARCHES}
    for search, found in without.items():
        print(f"unmutated, {search}: {found.total()} false sentences", flush=True)
    escaped = 0
    for name in (name for name in MUTATIONS if only in name):
        started = time.monotonic()
        found = caught(name, without)
        escaped += found is None
        answer = "ESCAPED" if found is None else f"caught by {found[0]} ({found[1]})"
        print(f"{name}: {answer}, {time.monotonic() - started:.0f} s", flush=True)
    return int(escaped > 0)


if __name__ == "__main__":
    sys.exit(main())
