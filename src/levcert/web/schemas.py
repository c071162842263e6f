"""The JSON interface as types: what may be asked, what is answered."""

from __future__ import annotations

from typing import Annotated, Literal, get_args

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field

from levcert.certificates.claims import Unit
from levcert.certificates.difference import Kind
from levcert.text.edits import OperationName
from levcert.web.limits import FARTHEST_EDIT, LARGEST_BATCH, LONGEST_TEXT

Certifier = Literal["auto", "exact", "chains", "lipschitz", "interval", "lipslev", "smoothing"]
Attacker = Literal["charmer", "greedy"]  # those that end in time on the longest texts

# JSON knows no integers of its own: 2.0 is a whole number, too.
_WHOLE = BeforeValidator(lambda value: int(value) if isinstance(value, float) and value.is_integer() else value)


class _Request(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)

    texts: Annotated[
        list[Annotated[str, Field(max_length=LONGEST_TEXT)]],
        Field(min_length=1, max_length=LARGEST_BATCH, description="The texts, as they are.", examples=[["A text."]]),
    ]


class _WithThreat(_Request):
    operations: Annotated[
        list[OperationName],
        Field(min_length=1, max_length=3, description="What the attacker may do to one character at a time."),
    ] = list(get_args(OperationName))


class PredictRequest(_Request):
    """Texts to label."""


class CertifyRequest(_WithThreat):
    """Texts to certify."""

    method: Annotated[Certifier, Field(description="How; auto is the strongest, lipschitz the quickest.")] = "auto"
    max_distance: Annotated[
        Annotated[int, Field(ge=0, le=FARTHEST_EDIT), _WHOLE] | None,
        Field(description="Larger radii are of no interest; null: any."),
    ] = None
    losses: Annotated[bool, Field(description="Also say what the worst edit at each character takes.")] = False


class AttackRequest(_WithThreat):
    """Texts to attack."""

    method: Annotated[
        Attacker, Field(description="How; greedy tries every edit, charmer those at the worst places.")
    ] = "charmer"
    max_distance: Annotated[int, Field(ge=1, le=FARTHEST_EDIT, description="How many edits it may make."), _WHOLE] = 2


class Part(BaseModel):
    """A piece of a text: in both texts, removed, or added."""

    kind: Kind
    text: str


class Counterexample(BaseModel):
    """A text that has another label, and how it differs."""

    text: Annotated[str | None, Field(description="The text; null where a byte model's is no valid UTF-8.")]
    distance: Annotated[int, Field(description="How many edits away.")]
    label: Annotated[str, Field(description="The label that it gets.")]
    difference: list[Part]


class Prediction(BaseModel):
    """A label and all scores."""

    label: str
    scores: dict[str, float]


class Certificate(BaseModel):
    """A statement about one text: no ``radius`` edits change the answer ``label``."""

    label: str
    radius: Annotated[int, Field(description="How many edits cannot change the label; −1 where smoothing abstains.")]
    claim: Annotated[str, Field(description="proved, exact, substitutions only, or a probability.")]
    operations: Annotated[list[OperationName], Field(description="What the attacker may do: the edits that are meant.")]
    unit: Annotated[Unit, Field(description="What an edit changes: characters, or for a byte model bytes.")]
    sentence: Annotated[str, Field(description="The same in plain words.")]
    method: str
    margin: Annotated[float | None, Field(description="By how much the label leads.")]
    counterexample: Annotated[Counterexample | None, Field(description="The nearest one found, if any.")]
    losses: Annotated[
        list[float] | None, Field(description="For each character, what the worst edit there takes from the margin.")
    ]
    seconds: float


class Attack(BaseModel):
    """What an attack found; finding nothing proves nothing."""

    label: str
    counterexample: Counterexample | None
    seconds: float


class Predictions(BaseModel):
    """One result for each text, in their order."""

    results: list[Prediction]


class Certificates(BaseModel):
    """One result for each text, in their order."""

    results: list[Certificate]


class Attacks(BaseModel):
    """One result for each text, in their order."""

    results: list[Attack]


class Sample(BaseModel):
    """A text to try."""

    title: str
    text: str


class About(BaseModel):
    """The model that answers, and what it can be asked."""

    name: str
    description: str
    labels: list[str]
    certifiers: list[str]
    attacks: list[str]
    longest_text: int
    largest_batch: int
    samples: list[Sample]


class Error(BaseModel):
    """What was wrong, and what to do, in one sentence."""

    error: str
