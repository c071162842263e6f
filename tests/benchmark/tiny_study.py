"""A study of two cells on the embedded data, and rows made up for it."""

from levcert.benchmark.result_rows import Row
from levcert.benchmark.study import Study


def tiny_study(**changes):
    declaration = {
        "title": "Tiny",
        "paper": "nowhere",
        "remarks": "Nothing to say.",
        "measures": {
            "clean": {"kind": "accuracy"},
            "lipslev": {"kind": "certify", "method": "lipslev", "distances": [1, 2]},
            "exact": {"kind": "certify", "method": "exact", "distances": [1], "refuted": True},
            "charmer": {"kind": "attack", "method": "charmer", "distances": [1]},
        },
        "grid": [
            {
                "dataset": "toy",
                "texts": "first 10",
                "model": "conv",
                "p": [1, float("inf")],
                "seed": [1, 2, 3],
                "kernel_size": 3,
                "filters": 4,
                "embedding_size": 4,
                "epochs": 1,
                "measures": ["clean", "lipslev", "exact", "charmer"],
                "change": {"exact": {"texts": 5}},
            }
        ],
        "tables": [
            {
                "name": "tiny",
                "title": "A table",
                "lines": ["dataset", "p"],
                "unit": "percent",
                "columns": [{"head": "clean", "value": "clean"}, {"head": "k=1", "value": "lipslev k=1"}],
            }
        ],
        "figures": [
            {
                "name": "tiny",
                "title": "A figure",
                "x": "k",
                "x_label": "edits",
                "panels": "p",
                "curves": [{"label": "bound", "pattern": "lipslev k={x}"}],
            }
        ],
        "published": [{"where": {"p": 1}, "values": {"clean": [80.0, 0.5], "lipslev k=1": [40.0, 1.0]}}],
    }
    return Study("tiny", declaration | changes)


def made_up_rows(study, values):
    """One row for each cell and value."""
    return [
        Row(cell.study, cell.settings, cell.measures, value, {"count": 10, "fingerprint": "0"})
        for cell, value in zip(study.cells, values, strict=False)
    ]
