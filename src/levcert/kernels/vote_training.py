"""Training of bounded votes: one text at a time, only the rows that it touches.

A vote is tanh(θ).  For each text the worst edits are applied first, found by a quick search or exactly
(vote_adversary.py), so that the loss is that of the edited text; then θ takes one Adagrad step on the rows of its
n-grams.  The tables of all orders lie one after the other, so that a row has one number.
"""

from __future__ import annotations

from typing import Final

import numpy as np
import numpy.typing as npt

from levcert.kernels.compile import kernel
from levcert.kernels.vote_adversary import exact_far_edits
from levcert.kernels.vote_scores import Hashes, Ids, Positions, gram_rows, hash_sides, powers_to, row_of, shift_of

Weights = npt.NDArray[np.float32]  # (orders · (rows + 1)) × classes
Floats = npt.NDArray[np.float64]

_TINY: Final = 1e-12
_STEP: Final = np.uint64(6364136223846793005)
_ODD: Final = np.uint64(1442695040888963407)
_KEPT_BITS: Final = np.uint64(33)
_CANDIDATES: Final = 4  # positions that are tried for each edit


@kernel
def random_below(state: Hashes, limit: int) -> int:
    """Return a whole number below a limit (a linear congruential generator: the same on every machine)."""
    state[0] = state[0] * _STEP + _ODD
    return int(np.int64(state[0] >> _KEPT_BITS) % limit)


@kernel
def edit_rows(
    heads: Hashes, tails: Hashes, powers: Hashes, symbol: int, orders: Positions, rows: int, found: Positions
) -> int:
    """Put the rows of the n-grams that an edit makes into ``found``, return how many; symbol 0 for a deletion."""
    shift, own, count = shift_of(rows), 1 if symbol else 0, 0
    for o in range(orders.size):
        for a in range(1 - own, orders[o]):
            b = orders[o] - own - a
            value = heads[a] * powers[b + own] + tails[b]
            if own:
                value += np.uint64(symbol) * powers[b]
            found[count] = o * (rows + 1) + row_of(value, rows, shift)
            count += 1
    return count


@kernel
def worst_edits(
    votes: Weights,
    orders: Positions,
    ids: Ids,
    grams: Positions,
    y: int,
    z: int,
    edits: int,
    tries: int,
    symbols: int,
    state: Hashes,
    found: Positions,
) -> int:
    """Put (kind, place, symbol) of edits that take much from the margin f_y − f_z into ``found``; return how many.

    ``grams[o, e]`` is the row of the n-gram that ends at e.  Candidates are the positions whose n-grams matter most,
    far from each other, so that losses add up; each is tried with its deletion and ``tries`` random symbols.
    """
    rows, reach, length = votes.shape[0] // orders.size - 1, orders.max(), ids.size
    powers = powers_to(reach)
    heads, tails = np.empty((2, 2, reach + 1), np.uint64)  # around a symbol, and around a cut
    evidence = np.zeros(length + 1)
    for o in range(orders.size):
        for e in range(length + orders[o] - 1):
            margin = votes[grams[o, e], y] - votes[grams[o, e], z]
            for t in range(max(0, e - orders[o] + 1), min(e, length - 1) + 1):
                evidence[t] += margin
    candidates = _CANDIDATES * edits
    places, kinds = np.empty(candidates, np.int64), np.empty(candidates, np.int64)
    chosen, losses = np.empty(candidates, np.int64), np.full(candidates, -np.inf)
    new = np.empty(2 * reach * orders.size, np.int64)
    count = 0
    for n in range(candidates):
        best = int(np.argmax(evidence[:length]))
        if evidence[best] == -np.inf:
            break
        places[n] = best
        kept = evidence[best]
        for t in range(max(0, best - reach), min(length, best + reach + 1)):
            evidence[t] = -np.inf
        straddling = kept  # the n-grams that begin at the cut survive an insertion
        for o in range(orders.size):
            last = grams[o, best + orders[o] - 1]
            straddling -= votes[last, y] - votes[last, z]
        for cut in range(2):
            hash_sides(ids, best, best + 1 - cut, powers, heads[cut], tails[cut])
        for trial in range(2 * tries + 1):
            kind = 2 if trial == 0 else trial % 2
            symbol = 0 if kind == 2 else 1 + random_below(state, symbols)
            cut = 1 if kind == 1 else 0
            loss = straddling if cut else kept
            for i in range(edit_rows(heads[cut], tails[cut], powers, symbol, orders, rows, new)):
                loss += votes[new[i], z] - votes[new[i], y]
            if loss > losses[n]:
                losses[n], kinds[n], chosen[n] = loss, kind, symbol
        count += 1
    # The best of them.
    total = 0
    for _ in range(min(edits, count)):
        n = int(np.argmax(losses))
        if losses[n] <= 0:
            break
        found[total, 0], found[total, 1], found[total, 2] = kinds[n], places[n], chosen[n]
        losses[n] = -np.inf
        total += 1
    return total


@kernel
def grams_after(
    orders: Positions, rows: int, ids: Ids, grams: Positions, edits: Positions, count: int, used: Positions
) -> int:
    """Put the rows of a text's n-grams after edits far from each other into ``used``; return how many there are.

    Marks in ``grams`` what the edits destroy.
    """
    reach = orders.max()
    powers = powers_to(reach)
    heads, tails = np.empty((2, reach + 1), np.uint64)
    new = np.empty(2 * reach * orders.size, np.int64)
    total = 0
    for n in range(count):
        kind, t, symbol = edits[n]
        for o in range(orders.size):
            for e in range(t, t + orders[o] - (1 if kind == 1 else 0)):
                grams[o, e] = -1
        hash_sides(ids, t, t if kind == 1 else t + 1, powers, heads, tails)
        for i in range(edit_rows(heads, tails, powers, symbol, orders, rows, new)):
            used[total] = new[i]
            total += 1
    for o in range(orders.size):
        for e in range(ids.size + orders[o] - 1):
            if grams[o, e] >= 0:
                used[total] = grams[o, e]
                total += 1
    return total


@kernel
def loss_gradient(scores: Floats, y: int, distance: float, hinge: bool, gradient: Floats) -> float:
    """Return the loss for scores in edits (f·τ/G) and its gradient: the label must win by ``distance`` edits.

    Softplus: cross-entropy of the scores with the label's lowered by the distance.  Hinge: the best other class must
    stay one below that.
    """
    classes = scores.size
    z = 1 if y == 0 else 0
    for c in range(classes):
        gradient[c] = 0
        if c != y and scores[c] > scores[z]:
            z = c
    if hinge:
        loss = float(1 - (scores[y] - distance - scores[z]))
        if loss <= 0:
            return 0.0
        gradient[y], gradient[z] = -1.0, 1.0
        return loss
    most = max(scores[z], scores[y] - distance)
    total = 0.0
    for c in range(classes):
        gradient[c] = np.exp(scores[c] - (distance if c == y else 0.0) - most)
        total += gradient[c]
    for c in range(classes):
        gradient[c] /= total
    loss = float(-np.log(gradient[y] + 1e-300))
    gradient[y] -= 1
    return loss


@kernel
def train_texts(
    theta: Weights,
    squares: Weights,
    votes: Weights,
    orders: Positions,
    ids: Ids,
    offsets: Positions,
    texts: Positions,
    labels: Positions,
    weights: Floats,
    scale: float,
    distance: float,
    hinge: bool,
    rate: float,
    dropout: float,
    edits: int,
    tries: int,
    exact: bool,
    symbols: int,
    state: Hashes,
) -> tuple[float, int]:
    """Train on some texts, one after the other; return the weighted sum of losses and how many labels were right."""
    classes, rows, reach = theta.shape[1], theta.shape[0] // orders.size - 1, orders.max()
    longest = 0
    for text in texts:
        longest = max(longest, offsets[text + 1] - offsets[text])
    grams = np.empty((orders.size, longest + reach), np.int64)
    used = np.empty(orders.size * (longest + reach + 2 * reach * max(edits, 1)), np.int64)
    found = np.empty((max(edits, 1), 3), np.int64)
    scores, gradient = np.empty(classes), np.empty(classes)
    dropped = np.int64(dropout * (1 << 20))
    losses, right = 0.0, 0
    for text in texts:
        own, y = ids[offsets[text] : offsets[text + 1]], labels[text]
        if own.size == 0:
            continue
        for c in range(classes):
            scores[c] = 0
        for o in range(orders.size):
            gram_rows(own, orders[o], rows, grams[o])
            for e in range(own.size + orders[o] - 1):
                grams[o, e] += o * (rows + 1)
                for c in range(classes):
                    scores[c] += votes[grams[o, e], c]
        right += np.argmax(scores) == y
        z = 1 if y == 0 else 0
        for c in range(classes):
            if c != y and scores[c] > scores[z]:
                z = c
        if exact:
            count = exact_far_edits(votes, orders, own, grams, y, z, edits, symbols, found)
        else:
            count = worst_edits(votes, orders, own, grams, y, z, edits, tries, symbols, state, found)
        count = grams_after(orders, rows, own, grams, found, count, used)
        for c in range(classes):
            scores[c] = 0
        for i in range(count):
            if dropped and random_below(state, 1 << 20) < dropped:
                used[i] = rows  # the row of padding, which has no vote and keeps none
            for c in range(classes):
                scores[c] += votes[used[i], c]
        for c in range(classes):
            scores[c] *= scale
        losses += loss_gradient(scores, y, distance, hinge, gradient) * weights[text]
        for i in range(count):
            row = used[i]
            if row % (rows + 1) == rows:
                continue
            for c in range(classes):
                vote = votes[row, c]
                slope = np.float32(gradient[c] * weights[text] * scale) * (1 - vote * vote)
                if slope != 0:
                    squares[row, c] += slope * slope
                    theta[row, c] -= rate * slope / (np.sqrt(squares[row, c]) + _TINY)
                    votes[row, c] = np.tanh(theta[row, c])
    return losses, right
