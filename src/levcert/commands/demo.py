"""``levcert demo``."""


def demo() -> None:
    """Train a classifier on the embedded dataset and certify texts.

    Example: levcert demo
    """
    from levcert.demo import run_demo

    run_demo()
