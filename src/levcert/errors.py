"""The one error type that users see: a sentence with the cause and the cure."""

_LONGEST = 2000  # characters; a sentence may quote what a file holds


class InputError(ValueError):
    """Something the user gave cannot be used; the message says why and what to do instead.

    The command line prints the message alone and exits with code 2.  The middle of a very long message is left out.
    """

    def __init__(self, message: str) -> None:
        half = _LONGEST // 2
        super().__init__(message if len(message) <= _LONGEST else f"{message[:half]} … {message[-half:]}")
