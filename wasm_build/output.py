"""What a compiler printed, as far as a person wants to see it."""

KEPT_LINES = 25


def last_lines(text: str, count: int = KEPT_LINES) -> str:
    """The last lines of `text` that are not blank, indented."""
    lines = [line.rstrip() for line in text.splitlines() if line.strip()]
    return "\n".join(f"    {line}" for line in lines[-count:])
