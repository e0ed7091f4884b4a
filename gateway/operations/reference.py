"""`python -m gateway.operations.reference` writes the table of metrics into the docs."""

from pathlib import Path

from gateway.operations.table import markdown

PAGE = Path(__file__).parents[2] / "docs" / "operations.md"
BEGIN = "<!-- begin: made by `python -m gateway.operations.reference` -->"
END = "<!-- end -->"


def page(text: str) -> str:
    """The page with its table renewed."""
    head, rest = text.split(BEGIN)
    _, tail = rest.split(END)
    return f"{head}{BEGIN}\n\n{markdown()}\n\n{END}{tail}"


if __name__ == "__main__":
    PAGE.write_text(page(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
