"""Cases of the other searches, asked in another way: about one target, or with deletions of some characters only."""

from __future__ import annotations

import itertools
import random
from collections.abc import Iterator
from dataclasses import replace

from levcert import Threat
from tests.trouble.hill_climber import climbed_cases
from tests.trouble.judge import Case
from tests.trouble.milp_votes import milp_cases
from tests.trouble.typed_texts import typed_cases


def one_sided_cases(seed: int) -> Iterator[Case]:
    """Give cases without end: three of four have a target, half a threat that limits what may be deleted."""
    rng = random.Random(seed)
    sources = itertools.cycle([typed_cases(seed), climbed_cases(seed), typed_cases(seed + 1), milp_cases(seed)])
    for source in sources:
        case = next(source, None)
        if case is None:
            continue
        threat, labels = case.threat, case.model.labels
        if rng.random() < 0.5 and isinstance(case.text, str):
            deletable = "".join(rng.sample("abcAB€", rng.randint(0, 3)))
            threat = Threat(threat.operations, threat.symbols, threat.neighbours, deletable)
        target = rng.choice(labels) if rng.random() < 0.75 else None
        yield replace(case, threat=threat, target=target, origin=f"{case.origin}, asked in another way")
