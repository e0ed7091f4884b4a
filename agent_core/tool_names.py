"""Which tool a model meant: exact, else the one name that its spelling points at."""

import difflib
import re
from collections.abc import Collection

CLOSE_ENOUGH = 0.7  # difflib ratio
_camel = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
_prefix = re.compile(r"^(?:functions?|tools?|default_api)[.:/]")


def resolve(written: str, known: Collection[str]) -> str | None:
    """The known tool that `written` names, or None. Blank names name nothing."""
    if written in known:
        return written
    name = _prefix.sub("", written.strip())
    spelled = _camel.sub("_", name).lower().replace("-", "_").replace(" ", "_")
    if not spelled.strip("_"):
        return None
    for candidate in (spelled, spelled.removesuffix("_tool"), name.lower()):
        matches = [tool for tool in known if tool.lower().replace("-", "_") == candidate]
        if len(matches) == 1:
            return matches[0]
    close = difflib.get_close_matches(spelled, sorted(known), n=1, cutoff=CLOSE_ENOUGH)
    return close[0] if close else None
