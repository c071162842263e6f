"""Prediction, certificates and attacks for the paper's network, with random weights and AG-News' sizes."""

from __future__ import annotations

import torch

from benchmarks.measuring import Curve, Figure, seconds
from benchmarks.sizes import LENGTH, decoded, random_network, random_texts
from benchmarks.the_paper import PlainNetwork, padded, released_passes
from levcert import attack, certify
from levcert.text.ball import Ball


def measure():
    model = random_network()
    many = decoded(model, random_texts(2000))
    texts = decoded(model, random_texts(10, 250, 0))
    network, ids = PlainNetwork(norms=False), padded(random_texts(64), LENGTH)
    with torch.no_grad():
        plain = seconds(lambda: network(ids), 3, len(ids))
    released, neighbours = released_passes()
    released_pass, released_neighbour = seconds(released, 3, 5), seconds(neighbours, 2, 64)

    yield Figure(
        "prediction, convolution", seconds(lambda: model.scores(many), 5, len(many)), "text", {"plain torch": plain},
    )  # fmt: skip
    for name in ("lipschitz", "lipslev"):
        own = seconds(lambda name=name: certify(model, many, name), 3, len(many))
        others = {"released code": released_pass} if name == "lipslev" else {}
        yield Figure(f"one pass with {name}, convolution", own, "text", others)

    def every_edit():
        for text in texts:  # whether one of the first edits already changes the label or not
            model.edit_effects(model.alphabet.encode(text))

    ball = list(Ball(texts[0], 1, model.alphabet))
    yield Figure(
        "exact verdict at one edit, convolution, 250 characters", seconds(every_edit, 5, len(texts)), "text",
        {
            "brute force with our kernels": seconds(lambda: model.scores(ball), 2),
            "brute force with plain torch": plain * 250 / LENGTH * len(ball),
            "brute force as released": released_neighbour * len(ball),
        },
    )  # fmt: skip
    yield Figure("interval, convolution, 250 characters", seconds(lambda: certify(model, texts, "interval"), 3, 10))
    kept = [text for text in texts if not attack(model, [text], "charmer", max_distance=2)[0].success] or texts
    charmer = seconds(lambda: attack(model, kept, "charmer", max_distance=2), 3, len(kept))
    yield Figure("Charmer, two edits, convolution, 250 characters", charmer)
    yield from growth(model)


def growth(model):
    def cost(network, length):
        (text,) = random_texts(1, length, 0, symbols=network.alphabet.size)
        return seconds(lambda: network.edit_effects(text), 2)

    lengths = {n: cost(model, n) for n in (100, 250, 1000, 4000, 10_000)}
    yield Curve("exact verdict at one edit, convolution", "characters", lengths)
    symbols = {n: cost(random_network(n), 250) for n in (25, 56, 125, 250, 500)}
    yield Curve("exact verdict at one edit, convolution", "symbols", symbols)
