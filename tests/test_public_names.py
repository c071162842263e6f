"""The names that others build on: none appears or vanishes without this list being changed."""

import levcert

PUBLIC = """
    Alphabet
    AttackResult
    AuditReport
    Auto
    Ball
    Beam
    BruteForce
    Certificate
    Certificates
    Chains
    Charmer
    ConvModel
    Dataset
    DeletionSmoothing
    Edit
    EditEffects
    Evaluation
    Exact
    Greedy
    InputError
    Interval
    LevenshteinClassifier
    LinearNgrams
    LipsLev
    Lipschitz
    Operation
    Paths
    RandomEdits
    Refine
    RowReader
    Search
    Share
    Split
    Threat
    TrainingConfig
    TrainingRecord
    VoteConfig
    VoteModel
    WindowModel
    apply_edits
    as_classifier
    attack
    audit
    certify
    certify_callable
    character_losses
    choose_deletion
    dataset_from_files
    edit_script
    erp
    evaluate
    from_sklearn
    keyboard_neighbours
    levenshtein
    load
    load_dataset
    report
    train
    tune
    verified_accuracy
"""


def test_the_public_names_are_these():
    assert sorted(levcert.__all__) == PUBLIC.split()
