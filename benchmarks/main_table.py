"""One row of the paper's main table per model file, with the sound columns beside it; writes results as JSON.

    python benchmarks/main_table.py --data-dir DATA --output results/main MODEL.safetensors …

The sandwich (certified ≤ exact < attacked) is checked on every text.
"""

import argparse
import json
import platform
import time
from pathlib import Path

import numpy as np

import levcert
from levcert.attacks.search import Search
from levcert.certifiers.interval_huang_2019 import Interval
from levcert.certifiers.lipslev import LipsLev
from levcert.files import atomic_path

ROWS = 1000


def timed(function, texts):
    started = time.perf_counter()
    result = function()
    return result, (time.perf_counter() - started) / len(texts)


def measure(model, dataset, rows):
    split = dataset.test.take(slice(0, rows))
    texts, truth = list(split.texts), [dataset.labels[y] for y in split.labels]
    right = model.predict(texts) == np.array(truth)
    methods = {
        "lipslev": LipsLev(),
        "interval": Interval(elide=False),
        "interval_elided": Interval(elide=True),
        "lipschitz": "lipschitz",
        "exact": "exact",
    }
    table = {"clean": round(100 * right.mean(), 2)}
    found = {}
    for name, method in methods.items():
        certificates, seconds = timed(lambda m=method: levcert.certify(model, texts, m), texts)
        found[name] = certificates
        shares = {k: certificates.verified_accuracy(truth, k) for k in (1, 2, 3)}
        table[name] = {str(k): round(100 * share.value, 2) for k, share in shares.items()} | {"seconds": seconds}
    for name, method in (("charmer", "charmer"), ("search", Search(nodes=0))):
        attacked, seconds = timed(lambda m=method: levcert.attack(model, texts, m, max_distance=3), texts)
        distance = np.array([np.inf if result.distance is None else result.distance for result in attacked])
        shares = {str(k): round(100 * (right & (distance > k)).mean(), 2) for k in (1, 2, 3)}
        table[name] = shares | {"seconds": seconds}
        check_sandwich(found, distance)
    table["exact_radius_known"] = round(100 * np.mean([row.claim == "exact" for row in found["exact"]]), 2)
    return table


def check_sandwich(found, attacked):
    """Nothing that is proved may be refuted, by the exact search or by the attack."""
    exact = found["exact"]
    for name in ("lipschitz", "interval", "interval_elided"):
        assert (np.minimum(found[name].radius, 1) <= np.minimum(exact.radius, 1)).all(), name
        assert (found[name].radius < attacked).all() or (
            found[name].radius[found[name].radius >= attacked] < 0
        ).all(), name
    certain = exact.radius >= 0
    assert (exact.radius[certain] < attacked[certain]).all()


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("models", nargs="+", type=Path)
    parser.add_argument("--data-dir", required=True)
    parser.add_argument("--output", type=Path, default=Path("results/main"))
    parser.add_argument("--rows", type=int, default=ROWS)
    arguments = parser.parse_args()
    arguments.output.mkdir(parents=True, exist_ok=True)
    for path in arguments.models:
        model = levcert.load(path)
        facts = model.training
        dataset = levcert.load_dataset(facts["data"]["name"], arguments.data_dir)
        result = {
            "model": path.stem,
            "dataset": dataset.name,
            "test_rows": min(arguments.rows, len(dataset.test)),
            "test_fingerprint": dataset.test.fingerprint,
            "training": {"config": facts["config"], "data": facts["data"]},
            "training_seconds": facts["metrics"]["seconds"],
            "clean_whole_test": round(100 * facts["metrics"]["test"], 2),
            "percent": measure(model, dataset, arguments.rows),
            "levcert": levcert.__version__,
            "machine": f"{platform.machine()}, Python {platform.python_version()}",
        }
        with atomic_path(arguments.output / f"{path.stem}.json") as part:
            part.write_text(json.dumps(result, indent=1) + "\n")
        print(path.stem, json.dumps(result["percent"]), flush=True)


if __name__ == "__main__":
    main()
