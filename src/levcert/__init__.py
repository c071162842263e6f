"""levcert: text classifiers with a proof that no k typos change the answer.

The public names below are imported when first used, so ``import levcert`` takes milliseconds and torch is only
imported by what trains.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from levcert.alphabet import Alphabet as Alphabet
    from levcert.attacks import attack as attack
    from levcert.ball import Ball as Ball
    from levcert.certificate import Certificate as Certificate
    from levcert.certificate import Certificates as Certificates
    from levcert.certificate import Share as Share
    from levcert.certificates.audit import audit as audit
    from levcert.certifiers import certify as certify
    from levcert.certifiers.any_model import certify_callable as certify_callable
    from levcert.certifiers.losses import character_losses as character_losses
    from levcert.datasets import Dataset as Dataset
    from levcert.datasets import RowReader as RowReader
    from levcert.datasets import Split as Split
    from levcert.datasets import dataset_from_files as dataset_from_files
    from levcert.datasets import load_dataset as load_dataset
    from levcert.distances import erp as erp
    from levcert.distances import levenshtein as levenshtein
    from levcert.edits import Edit as Edit
    from levcert.edits import apply_edits as apply_edits
    from levcert.edits import edit_script as edit_script
    from levcert.errors import InputError as InputError
    from levcert.estimator import LevenshteinClassifier as LevenshteinClassifier
    from levcert.estimator import verified_accuracy as verified_accuracy
    from levcert.models.conv import ConvModel as ConvModel
    from levcert.models.registry import load as load
    from levcert.models.votes import VoteModel as VoteModel
    from levcert.models.window import EditEffects as EditEffects
    from levcert.models.window import WindowModel as WindowModel
    from levcert.threat import Threat as Threat
    from levcert.training.registry import train as train
    from levcert.training.tuning import tune as tune

__version__ = "0.1.0"

_MODULE_OF = {
    "Alphabet": "alphabet",
    "Ball": "ball",
    "Certificate": "certificate",
    "Certificates": "certificate",
    "ConvModel": "models.conv",
    "Dataset": "datasets",
    "Edit": "edits",
    "EditEffects": "models.window",
    "InputError": "errors",
    "LevenshteinClassifier": "estimator",
    "RowReader": "datasets",
    "Share": "certificate",
    "Split": "datasets",
    "Threat": "threat",
    "VoteModel": "models.votes",
    "WindowModel": "models.window",
    "apply_edits": "edits",
    "attack": "attacks",
    "audit": "certificates.audit",
    "certify": "certifiers",
    "certify_callable": "certifiers.any_model",
    "character_losses": "certifiers.losses",
    "dataset_from_files": "datasets",
    "edit_script": "edits",
    "erp": "distances",
    "levenshtein": "distances",
    "load": "models.registry",
    "load_dataset": "datasets",
    "train": "training.registry",
    "tune": "training.tuning",
    "verified_accuracy": "estimator",
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
