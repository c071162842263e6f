"""Learning rates over time."""


def triangular(progress: float, highest: float, peak: float) -> float:
    """Rise from 0 to ``highest`` at ``peak``, then fall back to 0; ``progress`` runs from 0 to 1.

    The cyclic schedule of Andriushchenko & Flammarion (2020), which the paper follows.
    """
    return highest * (progress / peak if progress <= peak else (1 - progress) / (1 - peak))
