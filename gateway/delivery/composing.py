"""From an answer's Markdown to the parts that show it: its text first, then its files.

What is a file is said by `references`, what a part is, and which files are shown together, by the
adapter; which files may be sent, and where they are, by the `FileSource`. A file that can't be sent
becomes a sentence.
"""

import asyncio
import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Protocol

import structlog

from adapters.base import Adapter, OutgoingFile, Part, Style
from gateway.delivery.outbox import NotSendable
from gateway.delivery.references import LongCode, Reference, take_out, without_begun

MAX_CODE_PARTS = 3
"""A block of code that would take more messages goes as a file."""

LONG_CHARS = 2_000
"""A text from here on is rendered beside the event loop: the worst Markdown takes 20 ms for each
1,000 characters."""

_MARKUP = re.compile(r"[*`<>\[\]]")

_log = structlog.get_logger()


class FileSource(Protocol):
    """Where the files of one chat's answers come from."""

    async def fetch(self, reference: Reference) -> OutgoingFile:
        """A file that an answer speaks of. Raises `NotSendable`."""

    async def keep(self, code: LongCode) -> OutgoingFile:
        """A file with that code. Raises `NotSendable`."""


async def render(adapter: Adapter, markdown: str, style: Style = Style.ANSWER) -> Sequence[Part]:
    """The parts of a text, without holding up the event loop."""
    if len(markdown) < LONG_CHARS:
        return adapter.render(markdown, style)
    return await asyncio.to_thread(adapter.render, markdown, style)


async def growing(adapter: Adapter, markdown: str, *, has_files: bool) -> Sequence[Part]:
    """The preview of a text that still grows; what stands for files is not seen."""

    def preview() -> Sequence[Part]:
        text = take_out(without_begun(markdown)).text if has_files else markdown
        return adapter.preview(text) if text.strip() else []

    return preview() if len(markdown) < LONG_CHARS else await asyncio.to_thread(preview)


async def compose(
    adapter: Adapter, markdown: str, files: FileSource | None, style: Style = Style.ANSWER
) -> list[Part]:
    """All parts of a final text. Without a source of files the text is all there is."""
    if files is None:
        return list(await render(adapter, markdown, style))
    is_short = len(markdown) < LONG_CHARS
    taken = take_out(markdown) if is_short else await asyncio.to_thread(take_out, markdown)
    parts = await render(adapter, taken.text, style) if taken.text else []
    if len(parts) > MAX_CODE_PARTS and ("```" in markdown or "~~~" in markdown):
        taken = await asyncio.to_thread(
            take_out, markdown, lambda block: len(adapter.render(block)) > MAX_CODE_PARTS
        )
        parts = await render(adapter, taken.text, style) if taken.text else []
    shown, missing = await _files(files, taken.found)
    if missing:
        text = "\n\n".join([*([taken.text] if taken.text else []), *missing])
        parts = await render(adapter, text, style)
    if not shown:
        return list(parts)
    return [*parts, *await asyncio.to_thread(adapter.render_files, shown)]


async def _files(
    files: FileSource, found: Sequence[Reference | LongCode]
) -> tuple[list[OutgoingFile], list[str]]:
    """The files, and sentences in place of those that can't be sent."""
    shown: list[OutgoingFile] = []
    missing: list[str] = []
    seen: set[str] = set()
    for one in found:
        target = one.name if isinstance(one, LongCode) else one.target
        if target in seen:
            continue
        seen.add(target)
        try:
            if isinstance(one, LongCode):
                shown.append(await files.keep(one))
            else:
                shown.append(replace(await files.fetch(one), caption=one.caption))
        except NotSendable as error:
            _log.info("a file is not sent", reason=str(error))
            missing.append(_instead(one, str(error)))
    return shown, missing


def _instead(one: Reference | LongCode, reason: str) -> str:
    """What is shown in place of a file. Of one on the web, the link."""
    if isinstance(one, LongCode):
        longest = max(map(len, re.findall("`+", one.code)), default=0)
        fence = "`" * max(3, longest + 1)
        return f"{fence}\n{one.code}\n{fence}"
    if one.is_remote:
        address = one.target.replace(">", "%3E").replace("<", "%3C")
        return f"[{one.caption}](<{address}>)" if one.caption else f"<{address}>"
    return f"I could not send a file: {_MARKUP.sub('', reason)}"
