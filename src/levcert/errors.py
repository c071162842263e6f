"""The one error type that users see: a sentence with the cause and the cure."""


class InputError(ValueError):
    """Something the user gave cannot be used; the message says why and what to do instead.

    The command line prints the message alone and exits with code 2.
    """
