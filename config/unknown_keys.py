"""What to say about a key that doesn't exist: what may have been meant, or where it belongs.

A key's name is repeated only if it looks like one: in `{123:ABC}` the key is a token.
"""

import difflib
import re
from collections import defaultdict

from config.kinds import all_paths
from config.settings import Settings

_LOOKS_LIKE_A_KEY = re.compile(r"[A-Za-z]+([_-][A-Za-z]+){0,4}", re.ASCII)
_MAX_LETTERS = 24


def _homes() -> dict[str, list[tuple[str, ...]]]:
    homes: dict[str, list[tuple[str, ...]]] = defaultdict(list)
    for path in all_paths(Settings):
        homes[path[-1]].append(path[:-1])
    return homes


_HOMES = _homes()


def explain_unknown(path: tuple[str | int, ...], siblings: tuple[str, ...]) -> str:
    """A sentence about the unknown key at the end of `path`, beside which `siblings` are known."""
    key = str(path[-1])
    is_shown = len(key) <= _MAX_LETTERS and _LOOKS_LIKE_A_KEY.fullmatch(key) is not None
    where = f" in `{'.'.join(map(str, path[:-1]))}`" if len(path) > 1 else ""
    unknown = f"There is no setting `{key}`{where}." if is_shown else f"Unknown setting{where}."
    word = key.lower().replace("-", "_")
    if word in siblings:
        return f"{unknown} Did you mean `{word}`?"
    if homes := _HOMES.get(word):
        places = " or ".join(f"under `{'.'.join(h)}`" if h else "at the top level" for h in homes)
        return f"`{word}` belongs {places}, not here."
    if near := difflib.get_close_matches(word, siblings, n=1):
        return f"{unknown} Did you mean `{near[0]}`?"
    if near := difflib.get_close_matches(word, _HOMES, n=1, cutoff=0.75):
        full = " or ".join(f"`{'.'.join((*home, near[0]))}`" for home in _HOMES[near[0]])
        return f"{unknown} Did you mean {full}?"
    return f"{unknown} Known here: {', '.join(siblings)}."
