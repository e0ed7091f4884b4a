"""Blots secrets out of what is logged, and out of what tools return.

A `Mask` knows those that the settings hold; `masking` is for log events, last of all processors,
when tracebacks have become text, and also takes out what looks like a secret. Where the lines go
is `logs.py`'s business.
"""

import re
from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import quote

from pydantic import SecretStr
from structlog.typing import EventDict, Processor, WrappedLogger

from config.section import HiddenText, Section

MASK = "[secret]"

SHORTEST_SECRET = 6
"""No real key is shorter. Local servers that want any key at all are given `x`, `none` and the
like, and blotting those out would leave nothing of the log."""

LONG_WORD = 12
"""In a text of several words, one of so many characters is likely to be the secret in it."""

# What was never in the settings, but in an address or a header that somebody else wrote down.
_LOOKS_LIKE_A_SECRET = re.compile(
    r"(?<=bot)\d{3,}:[\w-]{20,}"  # a bot's token in an address of the Bot API
    r"|(?<=Bearer )[\w.~+/=-]{6,}"
    r"|\bsk-[\w-]{16,}"
    r"|(?<=://)[^\s/:@]+:[^\s/@]+(?=@)"  # name:password@host
)


def secrets_in(value: object) -> list[str]:
    """Every secret that settings hold, however deep."""
    if isinstance(value, HiddenText):  # `Bearer abc…`: others may show it without the first word
        words = [word for word in value.get_secret_value().split() if len(word) >= LONG_WORD]
        return list(dict.fromkeys([value.get_secret_value(), *words]))
    if isinstance(value, SecretStr):
        return [value.get_secret_value()]
    inner: Sequence[object] = ()
    if isinstance(value, Section):
        inner = [item for _, item in value]
    elif isinstance(value, Mapping):
        inner = list(value.values())
    elif isinstance(value, (tuple, list)):
        inner = value
    return [secret for item in inner for secret in secrets_in(item)]


class Mask:
    """Blots out these texts, and nothing else."""

    def __init__(self, secrets: Sequence[str] = ()) -> None:
        worth_it = {secret for secret in secrets if len(secret) >= SHORTEST_SECRET}
        forms = worth_it | {quote(secret, safe="") for secret in worth_it}
        self._texts = sorted(forms, key=len, reverse=True)
        self._encoded = [text.encode() for text in self._texts]
        self.longest_bytes = max(map(len, self._encoded), default=0)

    def text(self, text: str) -> str:
        """The text without them."""
        for secret in self._texts:
            text = text.replace(secret, MASK)
        return text

    def encoded(self, text: bytes) -> bytes:
        """The same for UTF-8. What is cut at an end of `text` is not found."""
        for secret in self._encoded:
            text = text.replace(secret, MASK.encode())
        return text


def masking(secrets: Sequence[str]) -> Processor:
    """A processor that blots these texts out, and what else looks like a secret."""
    known = Mask(secrets)

    def blot(value: Any) -> Any:  # noqa: ANN401 - events hold anything
        if isinstance(value, dict):
            return {blot(name): blot(item) for name, item in value.items()}
        if isinstance(value, (list, tuple, set, frozenset)):
            return [blot(item) for item in value]
        if isinstance(value, (int, float, bool, type(None))):
            return value
        text = value if isinstance(value, str) else str(value)
        return _LOOKS_LIKE_A_SECRET.sub(MASK, known.text(text))

    def mask(_: WrappedLogger, __: str, event: EventDict) -> EventDict:
        return {
            name: value if name.startswith("_") else blot(value) for name, value in event.items()
        }

    return mask
