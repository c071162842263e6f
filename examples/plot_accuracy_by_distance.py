"""How much accuracy is provably left after k edits?

A model is trained on the embedded dataset of languages.  The curve of verified accuracy is a lower bound on what any
attacker can leave; the attacked curve is what our best attack leaves.  Where they meet, the answer is exact.
"""

import sys

import matplotlib.pyplot as plt

import levcert

TEXTS = int(sys.argv[1]) if len(sys.argv) > 1 else 200
LARGEST = 4

data = levcert.load_dataset("languages")
model = levcert.train(data, orders=(3, 5), table_bits=18, epochs=2)
texts, truth = data.test.texts[:TEXTS], [data.labels[y] for y in data.test.labels[:TEXTS]]
result = levcert.evaluate(model, texts, truth, max_distance=LARGEST)

distances = range(LARGEST + 1)
verified = [result.clean(), *(result.verified(k) for k in distances[1:])]
attacked = [result.clean(), *(result.attacked(k) for k in distances[1:])]
for k in distances:
    print(f"k={k}: verified {verified[k]}, attacked {attacked[k]}")

figure, axes = plt.subplots(figsize=(6, 3.5), layout="constrained")
axes.fill_between(distances, *zip(*(share.interval for share in verified), strict=True), alpha=0.15)
axes.plot(distances, [share.value for share in attacked], "o--", label="attacked")
axes.plot(distances, [share.value for share in verified], "o-", label="verified")
axes.set(xlabel="edits", ylabel="accuracy", ylim=(0, 1), xticks=list(distances))
axes.legend()
figure.savefig("accuracy-by-distance.svg")
