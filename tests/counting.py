"""A classifier whose radii anyone can compute: it counts letters and digits.

f = (number of letters, number of digits).  A substitution of a letter by a digit takes 2 from the margin of "letters",
an insertion or deletion takes 1.  So the radius of a text with margin m is ⌈m/2⌉ − 1, and it is exact.
"""

import string

import numpy as np

from levcert import Alphabet, ConvModel

SYMBOLS = string.ascii_lowercase + string.digits + " "


def counting_model(alphabet=None, **training):
    alphabet = alphabet or Alphabet(SYMBOLS)
    symbols = [alphabet.decode([id_]) for id_ in range(1, alphabet.size + 1)]
    embedding = [[float(symbol.isalpha()), float(symbol.isdigit())] for symbol in symbols]
    return ConvModel(alphabet, embedding, [np.eye(2)[None]], np.eye(2), labels=["letters", "digits"], training=training)


def margin(text):
    return abs(sum(c.isalpha() for c in text) - sum(c.isdigit() for c in text))


def radius(text):
    return -(-margin(text) // 2) - 1
