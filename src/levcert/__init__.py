"""levcert: text classifiers with a proof that no k typos change the answer.

The public names below are imported when first used, so ``import levcert`` takes milliseconds and torch is only
imported by what trains convolutions.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    __version__: str  # that of the installed package, from pyproject.toml

    from levcert.attacks import attack as attack
    from levcert.attacks.base import AttackResult as AttackResult
    from levcert.attacks.charmer_abad_rocamora_2024 import Charmer as Charmer
    from levcert.attacks.greedy import Beam as Beam
    from levcert.attacks.greedy import Greedy as Greedy
    from levcert.attacks.paths import Paths as Paths
    from levcert.attacks.random_edits import RandomEdits as RandomEdits
    from levcert.attacks.search import Search as Search
    from levcert.certificates.audit import AuditReport as AuditReport
    from levcert.certificates.audit import audit as audit
    from levcert.certificates.certificate import Certificate as Certificate
    from levcert.certificates.certificates import Certificates as Certificates
    from levcert.certificates.share import Share as Share
    from levcert.certifiers import certify as certify
    from levcert.certifiers.auto import Auto as Auto
    from levcert.certifiers.brute_force import BruteForce as BruteForce
    from levcert.certifiers.certify_callable import certify_callable as certify_callable
    from levcert.certifiers.character_losses import character_losses as character_losses
    from levcert.certifiers.choose_deletion import choose_deletion as choose_deletion
    from levcert.certifiers.deletion_smoothing_huang_2023 import DeletionSmoothing as DeletionSmoothing
    from levcert.certifiers.exact import Exact as Exact
    from levcert.certifiers.interval_huang_2019 import Interval as Interval
    from levcert.certifiers.lipschitz import Lipschitz as Lipschitz
    from levcert.certifiers.lipslev import LipsLev as LipsLev
    from levcert.certifiers.search.edit_chains import Chains as Chains
    from levcert.certifiers.search.refine import Refine as Refine
    from levcert.datasets import Dataset as Dataset
    from levcert.datasets import RowReader as RowReader
    from levcert.datasets import Split as Split
    from levcert.datasets import dataset_from_files as dataset_from_files
    from levcert.datasets import load_dataset as load_dataset
    from levcert.errors import InputError as InputError
    from levcert.evaluation.evaluate import Evaluation as Evaluation
    from levcert.evaluation.evaluate import evaluate as evaluate
    from levcert.models.conv import ConvModel as ConvModel
    from levcert.models.edit_effects import EditEffects as EditEffects
    from levcert.models.known_classifiers import as_classifier as as_classifier
    from levcert.models.linear.from_sklearn import from_sklearn as from_sklearn
    from levcert.models.linear.linear_ngrams import LinearNgrams as LinearNgrams
    from levcert.models.load import load as load
    from levcert.models.training_record import TrainingRecord as TrainingRecord
    from levcert.models.votes import VoteModel as VoteModel
    from levcert.models.window import WindowModel as WindowModel
    from levcert.reports.write import report as report
    from levcert.sklearn import LevenshteinClassifier as LevenshteinClassifier
    from levcert.sklearn import verified_accuracy as verified_accuracy
    from levcert.text.alphabet import Alphabet as Alphabet
    from levcert.text.ball import Ball as Ball
    from levcert.text.distances import erp as erp
    from levcert.text.distances import levenshtein as levenshtein
    from levcert.text.edits import Edit as Edit
    from levcert.text.edits import Operation as Operation
    from levcert.text.edits import apply_edits as apply_edits
    from levcert.text.edits import edit_script as edit_script
    from levcert.text.profiles import profile as profile
    from levcert.text.threat import Threat as Threat
    from levcert.text.threat import keyboard_neighbours as keyboard_neighbours
    from levcert.training.conv.config import TrainingConfig as TrainingConfig
    from levcert.training.train import train as train
    from levcert.training.votes.config import VoteConfig as VoteConfig
    from levcert.training.votes.tune import tune as tune

_MODULE_OF = {
    # Train and load
    "train": "training.train",
    "tune": "training.votes.tune",
    "load": "models.load",
    "from_sklearn": "models.linear.from_sklearn",
    "VoteConfig": "training.votes.config",
    "TrainingConfig": "training.conv.config",
    # Data
    "load_dataset": "datasets",
    "dataset_from_files": "datasets",
    "Dataset": "datasets",
    "Split": "datasets",
    "RowReader": "datasets",
    # Certify
    "certify": "certifiers",
    "certify_callable": "certifiers.certify_callable",
    "as_classifier": "models.known_classifiers",
    "choose_deletion": "certifiers.choose_deletion",
    "character_losses": "certifiers.character_losses",
    "Certificate": "certificates.certificate",
    "Certificates": "certificates.certificates",
    "Share": "certificates.share",
    "Auto": "certifiers.auto",
    "Lipschitz": "certifiers.lipschitz",
    "Chains": "certifiers.search.edit_chains",
    "Exact": "certifiers.exact",
    "LipsLev": "certifiers.lipslev",
    "Refine": "certifiers.search.refine",
    "Interval": "certifiers.interval_huang_2019",
    "DeletionSmoothing": "certifiers.deletion_smoothing_huang_2023",
    "BruteForce": "certifiers.brute_force",
    "audit": "certificates.audit",
    "AuditReport": "certificates.audit",
    # Attack
    "attack": "attacks",
    "AttackResult": "attacks.base",
    "Charmer": "attacks.charmer_abad_rocamora_2024",
    "Greedy": "attacks.greedy",
    "Beam": "attacks.greedy",
    "RandomEdits": "attacks.random_edits",
    "Search": "attacks.search",
    "Paths": "attacks.paths",
    # Measure
    "evaluate": "evaluation.evaluate",
    "Evaluation": "evaluation.evaluate",
    "report": "reports.write",
    # Threats and texts
    "Threat": "text.threat",
    "keyboard_neighbours": "text.threat",
    "profile": "text.profiles",
    "Alphabet": "text.alphabet",
    "Ball": "text.ball",
    "Edit": "text.edits",
    "Operation": "text.edits",
    "apply_edits": "text.edits",
    "edit_script": "text.edits",
    "levenshtein": "text.distances",
    "erp": "text.distances",
    # Models
    "WindowModel": "models.window",
    "VoteModel": "models.votes",
    "ConvModel": "models.conv",
    "LinearNgrams": "models.linear.linear_ngrams",
    "EditEffects": "models.edit_effects",
    "TrainingRecord": "models.training_record",
    # scikit-learn
    "LevenshteinClassifier": "sklearn",
    "verified_accuracy": "sklearn",
    # Errors
    "InputError": "errors",
}

__all__ = [*_MODULE_OF]


def __getattr__(name: str) -> Any:
    if name == "__version__":
        from importlib.metadata import version

        return version("levcert")
    if name not in _MODULE_OF:
        raise AttributeError(f"module 'levcert' has no attribute {name!r}")
    try:
        value = getattr(import_module(f"levcert.{_MODULE_OF[name]}"), name)
    except ModuleNotFoundError as error:
        from levcert.errors import cure_of

        if not (cure := cure_of(error)):
            raise
        raise ModuleNotFoundError(f"{name} {cure}", name=error.name) from None
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted([*globals(), *_MODULE_OF])
