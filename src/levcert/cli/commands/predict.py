"""``levcert predict``."""

from __future__ import annotations

from levcert.cli.flag_groups import with_flag_groups
from levcert.cli.inputs import GivenTexts, say_skipped
from levcert.cli.model_flags import GivenModel
from levcert.cli.outputs import Json, Lines, print_json, print_line
from levcert.cli.reading_flags import RunReading
from levcert.cli.run_flags import RunFlags


@with_flag_groups
def predict(model: GivenModel, texts: GivenTexts, reading: RunReading, *, run: RunFlags, json: Json = False) -> None:
    """Label texts, with the lead of the label's score over the next best score (margin) and the label's probability.

    Example: levcert predict toy.safetensors "hello w0rld" 12e4567
    """
    from levcert.cli.run_tasks import PredictTask, kept_columns

    given = texts.read(reading, run.output)
    classifier = model.load()
    task = PredictTask(model.content, run.format, kept_columns(given.source))
    if run.output is not None:
        outcome = run.write(task, given.source, model, reading.options)
        if json:
            print_json({"output": str(run.output), "rows": outcome.rows, "labels": outcome.summary})
        else:
            shares = ", ".join(f"{count:,} {label}" for label, count in outcome.summary.most_common())
            print_line(f"{run.output}: {outcome.rows:,} rows: {shares}")
    elif json:
        run.print_lines(task, given.source)
    else:
        from levcert.text.printable import printable

        widths = {"label": max(map(len, classifier.labels)), "margin": 10, "probability": 11, "text": 0}
        lines = Lines(widths, numbers=("margin", "probability"))
        for chunk in given.source.chunks():
            found, _ = task.answers(classifier, chunk)
            for text, label, margin, chance in zip(*found.values(), strict=True):
                lines.add(label, f"{margin:.4g}", f"{chance:.1%}", printable(text))
        say_skipped(given.source.skipped)
