"""``python -m levcert`` is the command ``levcert``."""

from levcert.cli.app import main

if __name__ == "__main__":
    main()
