"""What outsiders use to test their own parts: it passes ours, and catches those that are wrong."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import pytest

from levcert import Alphabet, WindowModel
from levcert.attacks.base import Attack
from levcert.certifiers.base import Certifier, Verdict
from levcert.testing import check_attack, check_certifier, check_model
from levcert.testing.contracts import small_models
from tests.counting_model import counting_model


@dataclass(frozen=True)
class AlwaysThree(Certifier):
    """Claims radius 3 for everything."""

    name: ClassVar[str] = "always-three"
    needs: ClassVar[str] = "any window model"

    def verdicts(self, batch):
        return [Verdict(3, "proved", 0.0) for _ in batch.texts]


@pytest.mark.parametrize("method", ["exact", "lipschitz", "chains", "refine", "brute-force"])
def test_our_certifiers_pass(method):
    check_certifier(method, small_models([1, 2]))


def test_a_certifier_that_claims_radius_three_fails():
    with pytest.raises(AssertionError, match="always-three claims radius 2"):
        check_certifier(AlwaysThree())


def test_a_certifier_that_claims_nothing_certain_is_not_checked():
    with pytest.raises(AssertionError, match="nothing was checked"):
        check_certifier("lipslev", small_models([1]))


@pytest.mark.parametrize("method", ["charmer", "greedy", "random"])
def test_our_attacks_pass(method):
    check_attack(method, small_models([1, 2]))


def test_an_attack_that_depends_on_chance_fails():
    rng = np.random.default_rng()

    class Chance(Attack):
        name = "chance"

        def proposals(self, victim, text, label, max_distance):
            for _ in range(50):
                yield text + "abc"[rng.integers(3)]

    with pytest.raises(AssertionError, match="depends on chance"):
        check_attack(Chance(), small_models(range(6)))


class Wrong(WindowModel):
    """Counts a's in windows of two, and has a defect that the test chooses."""

    alphabet, labels, width = Alphabet("ab"), ("x", "y"), 2

    def __init__(self, defect):
        self.defect = defect

    def rounding(self, windows):
        return 0.0

    def window_scores(self, windows):
        scores = np.stack([(windows == 1).sum(axis=1), (windows == 2).sum(axis=1)], axis=1).astype(float)
        if self.defect == "padding":
            scores += 1
        if self.defect == "batch" and len(windows) > 1:
            scores[0] += 1
        return scores

    def encoded_scores(self, texts):
        return super().encoded_scores(texts) * (2 if self.defect == "sum" else 1)


def test_models():
    check_model(counting_model())
    check_model(Wrong(None))
    for model in small_models([0, 1]):
        check_model(model)
    for defect, reason in [("padding", "must score 0"), ("batch", "differently in a batch"), ("sum", "sum of windows")]:
        with pytest.raises(AssertionError, match=reason):
            check_model(Wrong(defect))
