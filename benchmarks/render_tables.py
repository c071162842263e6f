"""Write the tables of README.md and docs/exact-search.md from results/main: published beside measured.

    python benchmarks/render_tables.py

A table stands between ``<!-- name -->`` and ``<!-- end -->``.
"""

import json
import re
from pathlib import Path
from statistics import mean

ROOT = Path(__file__).resolve().parent.parent
NAMES = {"ag_news": "AG-News", "sst2": "SST-2"}
# The paper's main table: clean, Charmer k=1 and k=2, brute force k=1, IBP k=1, LipsLev k=1 and k=2.
PUBLISHED = {
    ("ag_news", "2"): (74.80, 62.20, 46.47, 62.07, 29.10, 38.80, 13.93),
    ("sst2", "∞"): (63.95, 39.68, 19.92, 39.68, 33.94, 14.68, 0.99),
    ("sst2", "1"): (69.69, 45.26, 26.11, 45.22, 19.00, 18.69, 1.83),
    ("sst2", "2"): (69.95, 48.81, 30.70, 48.78, 16.06, 14.57, 0.73),
}


def load_rows():
    """Return the results of all seeds by (dataset, p, normaliser)."""
    rows = {}
    for path in sorted((ROOT / "results" / "main").glob("*.json")):
        result = json.loads(path.read_text())
        config = result["training"]["config"]
        p = "∞" if config["p"] == "inf" else f"{config['p']:g}"
        rows.setdefault((result["dataset"], p, config["normaliser"]), []).append(result["percent"])
    return rows


def average(results, *keys):
    def pick(result):
        for key in keys:
            result = result[key]
        return result

    return f"{mean(pick(result) for result in results):.2f}"


def main_table(rows):
    lines = [
        "| | clean | Charmer k=1 / k=2 | brute force k=1 | IBP k=1 | LipsLev k=1 / k=2 | sound, one pass k=1 / k=2 "
        "| exact k=1 / k=2 |",
        "|---|---|---|---|---|---|---|---|",
    ]
    for (name, p), paper in PUBLISHED.items():
        clean, *rest = (f"{value:.2f}" for value in paper)
        lines.append(
            f"| {NAMES[name]} p={p}, paper | {clean} | {rest[0]} / {rest[1]} | {rest[2]} | {rest[3]} "
            f"| {rest[4]} / {rest[5]} | | |"
        )
        ours = rows[name, p, "norms"]
        methods = ("charmer", "lipslev", "lipschitz", "exact")
        pairs = {method: " / ".join(average(ours, method, k) for k in "12") for method in methods}
        single = [average(ours, *keys) for keys in (("clean",), ("exact", "1"), ("interval", "1"))]
        lines.append(
            f"| {NAMES[name]} p={p}, ours | {single[0]} | {pairs['charmer']} | {single[1]} | {single[2]} "
            f"| {pairs['lipslev']} | {pairs['lipschitz']} | {pairs['exact']} |"
        )
    return lines


def exact_table(rows):
    lines = [
        "| model | k | published bound | sound, one pass | exact search | best attack leaves |",
        "|---|---|---|---|---|---|",
    ]
    for (name, p, normaliser), results in rows.items():
        label = f"{NAMES[name]} p={p}" if normaliser == "norms" else f"{NAMES[name]}, divided by S"
        for k in "123":
            attack = mean(min(result["charmer"][k], result["search"][k]) for result in results)
            cells = [average(results, method, k) for method in ("lipslev", "lipschitz", "exact")]
            lines.append(f"| {label} | {k} | {' | '.join(cells)} | {attack:.2f} |")
    return lines


def replace(path, name, lines):
    text = path.read_text()
    pattern = re.compile(rf"<!-- {name} -->.*?<!-- end -->", re.DOTALL)
    assert pattern.search(text), f"no place for {name} in {path}"
    path.write_text(pattern.sub(lambda _: "\n".join([f"<!-- {name} -->", *lines, "<!-- end -->"]), text))


if __name__ == "__main__":
    found = load_rows()
    replace(ROOT / "README.md", "main-table", main_table(found))
    replace(ROOT / "docs" / "exact-search.md", "exact-table", exact_table(found))
