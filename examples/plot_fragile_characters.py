"""Where is a text fragile?

For each character, the bar shows how much of the margin the worst single edit there takes away.  Above the dashed
line, that edit alone changes the label.
"""

import matplotlib.pyplot as plt

import levcert

TEXT = "ceci n'est pas une pipe"

data = levcert.load_dataset("languages")
model = levcert.train(data, orders=(3, 5), table_bits=18, epochs=2)
certificate = levcert.certify(model, [TEXT])[0]
losses = levcert.character_losses(model, TEXT) / certificate.margin
print(certificate)

figure, axes = plt.subplots(figsize=(8, 2.5), layout="constrained")
axes.bar(range(len(TEXT)), losses, color=["#c8452f" if loss >= 1 else "#4f9e94" for loss in losses])
axes.axhline(1, linestyle="--", color="#26323a")
axes.set(xticks=range(len(TEXT)), xticklabels=list(TEXT), ylabel="share of the margin", title=str(certificate.label))
figure.savefig("fragile-characters.svg")
