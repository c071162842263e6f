"""Classify texts with a votes file of levcert (model.to_json()): the standard library is all it needs."""

import base64
import json
import struct

P = 0x9E3779B97F4A7C15
MIX = 0xD6E8FEB86659FD93
MASK = 2**64 - 1


class VotesReader:
    def __init__(self, text):
        model = json.loads(text)
        if model["format"] != "levcert-votes" or model["version"] != 1:
            raise ValueError("This is not a levcert-votes file of version 1.")
        self.labels, self.unit, self.default = model["labels"], model["unit"], model["default"]
        self.orders, self.rows = model["orders"], model["rows"]
        self.shift = 64 - (self.rows.bit_length() - 1)
        self.ids = {first + i: id_ for first, *ids in model["characters"] for i, id_ in enumerate(ids)}
        used = base64.b64decode(model["used_rows"])
        votes = base64.b64decode(model["votes"])
        classes = len(self.labels)
        self.votes = {}  # row of all tables → votes, in units of 1/128
        for n, (row,) in enumerate(struct.iter_unpack("<I", used)):
            self.votes[row] = struct.unpack_from(f"{classes}b", votes, n * classes)

    def encode(self, text):
        """Return the ids of a text; characters without an id are dropped."""
        if self.unit == "bytes":
            return [byte + 1 for byte in text]
        ids = (self.ids.get(ord(character), self.default) for character in text)
        return [id_ for id_ in ids if id_]

    def scores(self, text):
        """Return one whole number for each class: the score in units of 1/128."""
        sums = [0] * len(self.labels)
        ids = self.encode(text)
        for number, n in enumerate(self.orders):
            padded = [0] * (n - 1) + ids + [0] * (n - 1)
            for start in range(len(padded) - n + 1 if ids else 0):
                h = 0
                for id_ in padded[start : start + n]:
                    h = (h * P + id_) & MASK
                if h == 0:  # only padding
                    continue
                row = number * self.rows + (((h ^ (h >> 32)) * MIX & MASK) >> self.shift)
                for y, vote in enumerate(self.votes.get(row, ())):
                    sums[y] += vote
        return sums

    def predict(self, text):
        """Return the label with the highest score; of equal ones, the first."""
        sums = self.scores(text)
        return self.labels[sums.index(max(sums))]
