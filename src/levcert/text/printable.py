"""Texts, labels and names on a terminal: nothing in them commands it."""


def printable(text: str | bytes) -> str:
    """Return a text for the screen, in one line: control characters, and bytes outside ASCII, as escapes."""
    if isinstance(text, bytes):
        return "".join(chr(byte) if 32 <= byte < 127 else f"\\x{byte:02x}" for byte in text)
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode("ascii") for c in text)
