"""The exact radius of bounded votes by enumeration.  Nothing here is shared with the package: hash, scores and ball are
written down again, from docs/formats.md and from the definition of an edit, as simply as possible.
"""

from functools import lru_cache
from itertools import product

import numpy as np

from levcert.models.window import WindowModel

BASE, MIX, WORD = 0x9E3779B97F4A7C15, 0xD6E8FEB86659FD93, 2**64
# Until issue 18 a tie counts as lost; from then on, the first of equal scores wins.
FIRST_OF_EQUALS_WINS = hasattr(WindowModel, "score_unit")


@lru_cache(maxsize=1_000_000)
def row(gram, bits):
    """The row of an n-gram, or None for nothing but padding."""
    value = 0
    for symbol in gram:
        value = (value * BASE + symbol) % WORD
    if value == 0:
        return None
    value ^= value >> 32
    return (value * MIX % WORD) >> (64 - bits)


@lru_cache
def rows_of_all_grams(order, symbols, bits):
    """The row of every n-gram, indexed by its digits in base symbols + 1; 2^bits for none."""
    return np.array([2**bits if (found := row(gram, bits)) is None else found
                     for gram in product(range(symbols + 1), repeat=order)])  # fmt: skip


def all_scores(model, texts):
    """Scores of texts given as tuples of ids."""
    symbols, bits = model.alphabet.size, int(model.votes.shape[1]).bit_length() - 1
    longest = max(map(len, texts))
    total = np.zeros((len(texts), model.classes), dtype=np.int64)
    for table, order in zip(model.votes, model.orders, strict=True):
        votes = np.concatenate([table, np.zeros((1, model.classes), dtype=np.int8)]).astype(np.int64)
        padded = np.zeros((len(texts), longest + 2 * (order - 1)), dtype=np.int64)
        for number, text in enumerate(texts):
            padded[number, order - 1 : order - 1 + len(text)] = text
        for start in range(longest + order - 1):
            grams = padded[:, start : start + order]
            if (symbols + 1) ** order < 10**6:
                codes = grams @ (symbols + 1) ** np.arange(order)[::-1]
                found = rows_of_all_grams(order, symbols, bits)[codes]
            else:
                found = [2**bits if (one := row(tuple(map(int, gram)), bits)) is None else one for gram in grams]
            total += votes[found]
    return total


def ball(text, k, insert, replace, delete):
    """Every text within k allowed edits, with the fewest edits that lead to it.

    Each symbol is kept, deleted or substituted; any symbols are inserted between; masks are those of AllowedEdits.
    """
    inserted = [c + 1 for c in np.flatnonzero(insert)]
    beginnings = {(): 0}
    for position in range(len(text) + 1):
        layer = dict(beginnings)  # insertions before this position, one after the other
        for _ in range(k):
            more = {}
            for start, edits in layer.items():
                if edits < k:
                    for c in inserted:
                        key = (*start, c)
                        if edits + 1 < min(more.get(key, k + 1), beginnings.get(key, k + 1)):
                            more[key] = edits + 1
            beginnings.update(more)
            layer = more
        if position == len(text):
            return beginnings
        old, longer = text[position], {}
        for start, edits in beginnings.items():
            options = [((*start, old), edits)]
            if edits < k:
                if delete[old - 1]:
                    options.append((start, edits + 1))
                options += [((*start, int(c) + 1), edits + 1) for c in np.flatnonzero(replace[old - 1])]
            for key, cost in options:
                if cost < longer.get(key, k + 1):
                    longer[key] = cost
        beginnings = longer
    raise AssertionError


def lost(scores, label):
    """Which rows of scores do not give the label any more."""
    if FIRST_OF_EQUALS_WINS:
        return scores.argmax(axis=1) != label
    return np.delete(scores, label, axis=1).max(axis=1) >= scores[:, label]


def radius_up_to(model, text, k, within):
    """The largest r ≤ k such that no text of the ball within r edits has lost the label; −1 for a tie."""
    texts, edits = list(within), np.array(list(within.values()))
    scores = all_scores(model, [tuple(text), *texts])
    label = int(scores[0].argmax())
    gone = lost(scores, label)
    if gone[0]:
        return -1
    return int(min(edits[gone[1:]].min(initial=k + 1) - 1, k))


def delete_mask(allowed):
    """The mask of deletions, also where it is one truth value for all symbols."""
    return np.broadcast_to(np.asarray(allowed.delete, dtype=bool), allowed.insert.shape)
