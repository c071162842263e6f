"""A classifier whose radii anyone can compute: it counts letters and digits.

f = (number of letters, w · number of digits), with a weight w for which no two counts are equal.  A substitution of a
letter by a digit or of a digit by a letter takes 1 + w from the margin, an insertion or deletion takes less.  So the
radius of a text with margin m is ⌈m/(1 + w)⌉ − 1, and it is exact.
"""

import math
import string

import numpy as np

from levcert import Alphabet, ConvModel

SYMBOLS = string.ascii_lowercase + string.digits + " "
WEIGHT = 45 / 64  # exact in float64, and equal counts would need 64 digits


def counting_model(alphabet=None, weight=WEIGHT, **training):
    alphabet = alphabet or Alphabet(SYMBOLS)
    symbols = [alphabet.decode([id_]) for id_ in range(1, alphabet.size + 1)]
    embedding = [[float(symbol.isalpha()), weight * symbol.isdigit()] for symbol in symbols]
    return ConvModel(alphabet, embedding, [np.eye(2)[None]], np.eye(2), labels=["letters", "digits"], training=training)


def margin(text):
    return abs(sum(c.isalpha() for c in text) - WEIGHT * sum(c.isdigit() for c in text))


def radius(text):
    return max(math.ceil(margin(text) / (1 + WEIGHT)) - 1, 0)
