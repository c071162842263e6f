"""levcert: text classifiers with a proof that no k typos change the answer.

The public names below are imported when first used, so ``import levcert`` takes milliseconds and torch is only
imported by what trains.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from levcert.attacks import attack as attack
    from levcert.certificates.audit import audit as audit
    from levcert.certificates.certificate import Certificate as Certificate
    from levcert.certificates.certificates import Certificates as Certificates
    from levcert.certificates.share import Share as Share
    from levcert.certifiers import certify as certify
    from levcert.certifiers.certify_callable import certify_callable as certify_callable
    from levcert.certifiers.character_losses import character_losses as character_losses
    from levcert.datasets import Dataset as Dataset
    from levcert.datasets import RowReader as RowReader
    from levcert.datasets import Split as Split
    from levcert.datasets import dataset_from_files as dataset_from_files
    from levcert.datasets import load_dataset as load_dataset
    from levcert.errors import InputError as InputError
    from levcert.models.conv import ConvModel as ConvModel
    from levcert.models.load import load as load
    from levcert.models.votes import VoteModel as VoteModel
    from levcert.models.window import EditEffects as EditEffects
    from levcert.models.window import WindowModel as WindowModel
    from levcert.sklearn import LevenshteinClassifier as LevenshteinClassifier
    from levcert.sklearn import verified_accuracy as verified_accuracy
    from levcert.text.alphabet import Alphabet as Alphabet
    from levcert.text.ball import Ball as Ball
    from levcert.text.distances import erp as erp
    from levcert.text.distances import levenshtein as levenshtein
    from levcert.text.edits import Edit as Edit
    from levcert.text.edits import apply_edits as apply_edits
    from levcert.text.edits import edit_script as edit_script
    from levcert.text.threat import Threat as Threat
    from levcert.training.train import train as train
    from levcert.training.votes.tune import tune as tune

__version__ = "0.1.0"

_MODULE_OF = {
    "Alphabet": "text.alphabet",
    "Ball": "text.ball",
    "Certificate": "certificates.certificate",
    "Certificates": "certificates.certificates",
    "ConvModel": "models.conv",
    "Dataset": "datasets",
    "Edit": "text.edits",
    "EditEffects": "models.window",
    "InputError": "errors",
    "LevenshteinClassifier": "sklearn",
    "RowReader": "datasets",
    "Share": "certificates.share",
    "Split": "datasets",
    "Threat": "text.threat",
    "VoteModel": "models.votes",
    "WindowModel": "models.window",
    "apply_edits": "text.edits",
    "attack": "attacks",
    "audit": "certificates.audit",
    "certify": "certifiers",
    "certify_callable": "certifiers.certify_callable",
    "character_losses": "certifiers.character_losses",
    "dataset_from_files": "datasets",
    "edit_script": "text.edits",
    "erp": "text.distances",
    "levenshtein": "text.distances",
    "load": "models.load",
    "load_dataset": "datasets",
    "train": "training.train",
    "tune": "training.votes.tune",
    "verified_accuracy": "sklearn",
}

__all__ = [*_MODULE_OF]


def __getattr__(name: str) -> Any:
    if name not in _MODULE_OF:
        raise AttributeError(f"module 'levcert' has no attribute {name!r}")
    value = getattr(import_module(f"levcert.{_MODULE_OF[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted([*globals(), *_MODULE_OF])
