"""``levcert certify``."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Annotated

import typer

from levcert.cli.certification_flags import Budget, MaxDistance, Method, Operations, Symbols, Target, threat_in
from levcert.cli.inputs import File, ModelFile, OnBadRow, TextColumn, Texts, TrustedKey, texts_in
from levcert.cli.outputs import Json, Lines, Output, Resume, check_output, print_json, print_line, resumable
from levcert.runs.progress_bar import watched

if TYPE_CHECKING:
    from levcert.certificates.certificate import Certificate
    from levcert.files.row_files import Record
    from levcert.models.window import WindowModel
    from levcert.text.alphabet import Text

_EDITS_BEYOND = 5  # how far beyond the radius an attack looks for a counterexample
_ONE_PASS = ("lipschitz", "lipslev")  # quick enough to answer hundreds of texts at once


def certify(
    model: ModelFile,
    texts: Texts = None,
    *,
    file: File = None,
    text_column: TextColumn = "text",
    on_bad_row: OnBadRow = "error",
    method: Method = "auto",
    max_distance: MaxDistance = None,
    budget: Budget = None,
    operations: Operations = None,
    symbols: Symbols = None,
    target: Target = None,
    per_class: Annotated[
        bool, typer.Option("--per-class", help="Also prove how many edits cannot make each of the other labels.")
    ] = False,
    output: Output = None,
    resume: Resume = False,
    trusted_key: TrustedKey = None,
    json: Json = False,
) -> None:
    """Prove how many edits cannot change the label of a text, and show edits that do.

    Example: levcert certify toy.safetensors "hello w0rld"
    """
    from levcert import load
    from levcert.certificates.claims import IS_TARGET
    from levcert.certificates.files import CERTIFICATE_COLUMNS, certificate_record
    from levcert.certifiers import certify_each
    from levcert.files.row_files import json_line
    from levcert.text.threat import ANY_EDIT

    check_output(output, resume=resume)
    source = texts_in(texts, file, text_column, on_bad_row)
    threat = threat_in(operations, symbols)
    classifier = load(model, trusted_key=trusted_key)
    answer = partial(
        certify_each, classifier, method=method, max_distance=max_distance, budget=budget, threat=threat,
        target=target, per_class=per_class,
        batch_size=256 if source.kind == "file" and method in _ONE_PASS else 1,
    )  # fmt: skip
    explained = source.kind == "arguments"

    def certificates(rest: Iterator[Text]) -> Iterator[Certificate]:
        return (_attacked(classifier, certificate) for certificate in answer(rest)) if explained else answer(rest)

    if output is not None:
        settings = ("certify", method, max_distance, budget, str(threat or ANY_EDIT), explained, target, per_class)
        totals = _Totals()

        def records(rest: Iterator[Text]) -> Iterator[Record]:
            return map(certificate_record, watched(certificates(rest), "certifying", source.total))

        file_of_rows = resumable(output, CERTIFICATE_COLUMNS, model, *settings)
        file_of_rows.write(source.texts, records, resume=resume, seen=totals.add)
        totals.print(str(output), json=json)
        return
    widths = {"label": max(map(len, classifier.labels)), "radius": 6, "claim": 6 if target is None else len(IS_TARGET)}
    lines = Lines({**widths, "text": 0}, numbers=("radius",))
    for certificate in certificates(source.texts):
        if json:
            print_line(json_line(certificate_record(certificate), CERTIFICATE_COLUMNS))
        elif explained:
            _print_explained(certificate)
        else:
            _print_row(certificate, lines)


def _attacked(model: WindowModel, certificate: Certificate) -> Certificate:
    """Return a certificate with the nearest counterexample that an attack finds, if it has none of its own."""
    from levcert.certificates.claims import IS_TARGET
    from levcert.evaluation.evaluator import with_attack

    if certificate.counterexample is not None or certificate.claim == IS_TARGET:
        return certificate
    return with_attack(model, certificate, certificate.radius + _EDITS_BEYOND)


def _print_explained(certificate: Certificate) -> None:
    """Print what a certificate says and means, and its counterexample with the edits marked."""
    from rich.text import Text as Styled

    from levcert.certificates.explain import meaning
    from levcert.cli.console import console, printable, shown_edits

    facts = {
        "label": Styled(certificate.label, style="bold"),
        "radius": Styled(f"{certificate.radius}  ({certificate.claim}, {certificate.method})"),
        "meaning": Styled(meaning(certificate)),
    }
    if certificate.counterexample is not None and certificate.upper:
        edits = f"{certificate.upper} edit{'s' * (certificate.upper != 1)}"
        found = "changed by" if certificate.target is None else "becomes so"
        facts[found] = Styled(f"{edits}:  ").append(shown_edits(certificate.text, certificate.counterexample))
    if certificate.class_radii is not None:
        radii = sorted(certificate.class_radii.items(), key=lambda item: item[1])
        facts["per class"] = Styled(", ".join(f"{label} {radius}" for label, radius in radii))
    console.print(Styled(printable(certificate.text)), soft_wrap=True)
    for name, fact in facts.items():
        console.print(Styled.assemble((f"  {name:<11}", "dim"), fact), soft_wrap=True)


def _print_row(certificate: Certificate, lines: Lines) -> None:
    """Print a certificate in one line: the text, with the edits of the counterexample marked in it.

    Before the first, say which edits are counted, unless they are any edits of characters.
    """
    from levcert.certificates.explain import claimed_edits
    from levcert.cli.console import console, printable, shown_edits

    text = certificate.text
    edits = claimed_edits(2, certificate.claim, certificate.threat, certificate.unit)
    if not lines.begun and edits != "edits":
        console.print(f"The radius counts {edits}.", markup=False, soft_wrap=True)
    if not lines.begun and certificate.target is not None:
        sentence = f"The radius is the number of edits that cannot make the label {certificate.target!r}."
        console.print(sentence, markup=False, soft_wrap=True)
    changed = certificate.counterexample
    shown = printable(text) if changed is None else shown_edits(text, changed, context=len(text))
    lines.add(certificate.label, str(certificate.radius), certificate.claim, shown)


@dataclass
class _Totals:
    """How many texts of a run keep their label under how many edits; ``last`` is the last row."""

    radii: Counter[int] = field(default_factory=Counter)
    last: Record = field(default_factory=dict)
    passing: int = 0  # texts that have the label of the target as they are

    def add(self, record: Record) -> None:
        from levcert.certificates.claims import IS_TARGET

        self.radii[int(record["radius"])] += 1
        if record["claim"] != IS_TARGET or not self.last:
            self.last = record
        self.passing += record["claim"] == IS_TARGET

    def print(self, output: str, *, json: bool) -> None:
        rows = self.radii.total()
        if json:
            print_json({"output": output, "rows": rows, "radius": {str(k): self.radii[k] for k in sorted(self.radii)}})
            return
        kept = [
            f"{sum(count for radius, count in self.radii.items() if radius >= k):,} under {k} {self._edits(k)}"
            for k in range(1, min(max(self.radii, default=0), 3) + 1)
        ]
        target = self.last.get("target")
        what = "labels kept" if target is None else f"cannot become {target!r}"
        passing = f", of which {self.passing:,} are {target!r} as they are" if self.passing else ""
        print(f"{output}: {rows:,} certificates{passing}" + (f"; {what}: {', '.join(kept)}" if kept else ""))

    def _edits(self, count: int) -> str:
        """Return what the rows are about; all have the same threat, unit and kind of claim."""
        import json

        from levcert.certificates.explain import claimed_edits
        from levcert.text.threat import Threat

        threat = Threat.from_dict(json.loads(self.last["threat"]))
        return claimed_edits(count, self.last["claim"], threat, self.last["unit"])
