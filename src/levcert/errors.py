"""The one error type that users see: a sentence with the cause and the cure; and the cure for a missing package."""

from importlib.metadata import PackageNotFoundError, requires
from typing import Final

# The extra that has a package which is not always installed, by the name that Python code imports.
EXTRA_OF: Final = {
    "torch": "train", "threadpoolctl": "train", "sklearn": "sklearn", "fastapi": "web", "uvicorn": "web",
    "distributed": "cluster", "matplotlib": "benchmark", "datasets": "hub", "huggingface_hub": "hub",
    "cryptography": "sign",
}  # fmt: skip

_LONGEST = 2000  # characters; a sentence may quote what a file holds


class InputError(ValueError):
    """Something the user gave cannot be used; the message says why and what to do instead.

    The command line prints the message alone and exits with code 2.  The middle of a very long message is left out.

    Examples:
        >>> try:
        ...     levcert.load("nothing.safetensors")
        ... except levcert.InputError as error:
        ...     print(error)
        nothing.safetensors does not exist; check the spelling and the folder.
    """

    def __init__(self, message: str) -> None:
        half = _LONGEST // 2
        super().__init__(message if len(message) <= _LONGEST else f"{message[:half]} … {message[-half:]}")


def cure_of(error: ModuleNotFoundError) -> str | None:
    """Return what a missing package of an extra needs, such as "needs torch; install it with: …"; None for others.

    The command names packages, not ``levcert[…]``: where levcert came from a file or a clone, an index may not have it.
    """
    module = (error.name or "").partition(".")[0]
    extra = EXTRA_OF.get(module)
    if extra is None:
        return None
    try:
        lines = requires("levcert") or []
    except PackageNotFoundError:  # run from the sources
        lines = []
    ends = (f"extra == '{extra}'", f'extra == "{extra}"')
    packages = [line.partition(";")[0].strip() for line in lines if line.endswith(ends)]
    listed = " ".join(f"'{package}'" for package in packages or [f"levcert[{extra}]"])
    return f"needs {module}; install it with: pip install {listed}"
