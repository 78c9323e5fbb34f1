"""Names as they may stand in a comment: without what ends it."""


def one_line(text: str) -> str:
    """Return a text in one line: characters that cannot be printed are blanks."""
    shown = (each if each.isprintable() or each == " " else " " for each in text)
    return " ".join("".join(shown).split())
