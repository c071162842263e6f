"""The JSON API as types: requests and responses."""

from __future__ import annotations

from typing import Annotated, Any, Literal, get_args

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field

from levcert.certificates.claims import Unit
from levcert.certificates.difference import Kind
from levcert.text.edits import OperationName
from levcert.web.limits import Limits

Certifier = Literal["auto", "exact", "chains", "lipschitz", "interval", "lipslev", "smoothing"]
Attacker = Literal["charmer", "greedy"]  # fast enough for the longest texts

# JSON has no integer type: 2.0 is a whole number, too.
_WHOLE = BeforeValidator(lambda value: int(value) if isinstance(value, float) and value.is_integer() else value)


class _Request(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)

    texts: Annotated[
        list[str],
        Field(min_length=1, description="The texts.", examples=[["A text."]]),
    ]


class _WithThreat(_Request):
    operations: Annotated[
        list[OperationName],
        Field(min_length=1, max_length=3, description="Which edits the attacker may make."),
    ] = list(get_args(OperationName))
    target: Annotated[
        str | None,
        Field(description="The only label that the attacker wants; null: any other label.", examples=[None]),
    ] = None


class PredictRequest(_Request):
    """Texts to label."""


class CertifyRequest(_WithThreat):
    """Texts to certify."""

    method: Annotated[
        Certifier, Field(description="The certifier: auto gives the best proof, lipschitz is the fastest.")
    ] = "auto"
    max_distance: Annotated[
        Annotated[int, Field(ge=0), _WHOLE] | None,
        Field(description="Stop at this radius (faster); null: no limit."),
    ] = None
    losses: Annotated[
        bool, Field(description="Also return how much the worst edit at each character takes from the margin.")
    ] = False


class AttackRequest(_WithThreat):
    """Texts to attack."""

    method: Annotated[
        Attacker,
        Field(description="The attack: greedy tries every edit, charmer only those at the most fragile positions."),
    ] = "charmer"
    max_distance: Annotated[int, Field(ge=1, description="How many edits the attack may make."), _WHOLE] = 2


AnyRequest = PredictRequest | CertifyRequest | AttackRequest


class Part(BaseModel):
    """A piece of a text: unchanged, removed, or added."""

    kind: Kind
    text: str


class Counterexample(BaseModel):
    """A text with another label, and how it differs from the given text."""

    text: Annotated[str | None, Field(description="The text; null if it is not valid UTF-8 (byte models).")]
    distance: Annotated[int, Field(description="Its distance from the given text, in edits.")]
    label: Annotated[str, Field(description="Its label.")]
    difference: list[Part]


class Prediction(BaseModel):
    """A label and all scores."""

    label: str
    scores: dict[str, float]


class Certificate(BaseModel):
    """A statement about one text: ``radius`` edits or fewer cannot change its ``label``."""

    label: str
    radius: Annotated[
        int,
        Field(description="The certified radius: this many edits cannot change the label; −1: smoothing abstained."),
    ]
    claim: Annotated[str, Field(description="proved, exact, substitutions only, is the target, or a probability.")]
    operations: Annotated[list[OperationName], Field(description="The threat model: which edits are allowed.")]
    target: Annotated[str | None, Field(description="Of a one-sided certificate: the label that edits cannot make.")]
    unit: Annotated[Unit, Field(description="What an edit changes: characters, or bytes for a byte model.")]
    sentence: Annotated[str, Field(description="The same in plain words.")]
    method: str
    margin: Annotated[float | None, Field(description="Score of the label minus the next best score.")]
    counterexample: Annotated[Counterexample | None, Field(description="The nearest counterexample found, if any.")]
    losses: Annotated[
        list[float] | None,
        Field(description="For each character, how much the worst edit there takes from the margin."),
    ]
    seconds: float


class Attack(BaseModel):
    """What an attack found; finding nothing proves nothing."""

    label: str
    counterexample: Counterexample | None
    seconds: float


class Predictions(BaseModel):
    """One result for each text, in the same order."""

    results: list[Prediction]


class Certificates(BaseModel):
    """One result for each text, in the same order."""

    results: list[Certificate]


class Attacks(BaseModel):
    """One result for each text, in the same order."""

    results: list[Attack]


class Sample(BaseModel):
    """A text to try."""

    title: str
    text: str


class About(BaseModel):
    """The model, its methods and its limits."""

    name: str
    description: str
    labels: list[str]
    certifiers: list[str]
    attacks: list[str]
    longest_text: int
    largest_batch: int
    farthest_edit: int
    samples: list[Sample]


class Error(BaseModel):
    """One sentence that says what went wrong and what to do."""

    error: str


class State(BaseModel):
    """Whether the server lives, or takes requests."""

    status: Literal["ok", "ready"]


def with_limits(description: dict[str, Any], limits: Limits, longest: int, labels: tuple[str, ...]) -> dict[str, Any]:
    """Return the description of the API with the limits and labels of this server, which :class:`Service` enforces."""
    for name in ("PredictRequest", "CertifyRequest", "AttackRequest"):
        given = description["components"]["schemas"][name]["properties"]
        given["texts"] |= {"maxItems": limits.texts, "items": {"type": "string", "maxLength": longest}}
        if "target" in given:
            given["target"]["anyOf"][0]["enum"] = list(labels)
        if "max_distance" in given:
            for part in given["max_distance"].get("anyOf", [given["max_distance"]]):
                if part.get("type") == "integer":
                    part["maximum"] = limits.distance
    return description
