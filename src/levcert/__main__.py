"""``levcert`` and ``python -m levcert``: Ctrl-C ends the command cleanly from its first moment."""

import os
import signal
import sys
from typing import Any


def _end(signum: int, frame: Any) -> None:
    """End at once: there is nothing to save while modules are imported."""
    if sys.stderr is not None:
        os.write(2, b"levcert: interrupted.\n")
    os._exit(130)


def main() -> None:
    """Run the command."""
    signal.signal(signal.SIGINT, _end)
    from levcert.cli.app import main as run

    run()  # raises KeyboardInterrupt as soon as it can say so in one line (levcert.cli.exit_codes)


if __name__ == "__main__":
    main()
