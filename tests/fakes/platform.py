"""A chat platform in memory: what people would see, the limits that platforms have, and their ways
of failing, in the order in which a test asks for them.

It is an adapter like any other, so everything behind `adapters.base` runs against it unchanged.
Formatting is a mark in the payload, a growing text ends in a cursor, and a part holds `limit`
characters.
"""

import asyncio
import itertools
import secrets
from collections import defaultdict, deque
from collections.abc import AsyncGenerator, Awaitable, Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace

from adapters.base import (
    NO_LIMITS,
    AdapterError,
    Address,
    Attachment,
    Button,
    ButtonPress,
    ChatGone,
    ChatKind,
    Deleted,
    Edited,
    Event,
    Inbound,
    Mark,
    MediaKind,
    Moved,
    Observed,
    OutgoingFile,
    Part,
    Pulse,
    RateLimits,
    Reaction,
    Rejected,
    Sender,
    Style,
    TargetGone,
)
from adapters.base.albums import caption_of

CURSOR = "▉"
DOWNLOAD_PIECE_BYTES = 1_000
ALICE = Sender("1", "Alice")


@dataclass(slots=True)
class Screen:
    """What one chat shows, oldest first, and everything that was done to get there."""

    messages: dict[str, Part] = field(default_factory=dict)
    replies_to: dict[str, str | None] = field(default_factory=dict)
    threads: dict[str, str | None] = field(default_factory=dict)
    log: list[str] = field(default_factory=list)
    typing: int = 0
    marks: dict[str, Mark | None] = field(default_factory=dict)
    files: dict[str, bytes] = field(default_factory=dict)  # by message
    drafts: dict[int, Part] = field(default_factory=dict)  # gone when a message comes

    @property
    def texts(self) -> list[str]:
        return [part.text for part in self.messages.values()]

    @property
    def last(self) -> str:
        return self.texts[-1] if self.messages else ""

    @property
    def buttons(self) -> list[Button]:
        return [b for part in self.messages.values() for row in part.buttons for b in row]


@dataclass(slots=True)
class Failure:
    """A failure to come; `after` it the request has still been carried out."""

    error: AdapterError
    is_done_all_the_same: bool = False


class FakePlatform:
    """One bot on the platform, seen from both sides."""

    name = "telegram"  # so that the settings of a real platform decide who may talk
    edit_interval_s = 0.0
    limits: RateLimits = NO_LIMITS
    hint = "Markdown."

    def __init__(self, limit: int = 4_000) -> None:
        self.limit = limit
        self.takes_files = True
        self.album = 1  # so many files are shown together
        self.pulse = Pulse(max_silence_s=None)
        self.screens: defaultdict[str, Screen] = defaultdict(Screen)
        self.failures: defaultdict[str, deque[Failure]] = defaultdict(deque)
        self.broken: dict[str, AdapterError] = {}  # what is said of a file instead
        self.moved: set[str] = set()
        self.hanging: set[str] = set()  # methods that never end
        self.files: dict[str, bytes] = {}  # what was sent to the bot, by its `ref`
        self.ids = itertools.count(1)
        self._run = secrets.token_hex(4)  # so that no two platforms give the same event ids
        self._changed = asyncio.Event()
        self._receive: Callable[[Event], Awaitable[None]] | None = None

    # The adapter's side.

    async def run(self, receive: Callable[[Event], Awaitable[None]]) -> None:
        self._receive = receive
        self._changed.set()
        await asyncio.get_running_loop().create_future()

    def render(self, markdown: str, style: Style = Style.ANSWER) -> Sequence[Part]:
        pieces = [markdown[i : i + self.limit] for i in range(0, len(markdown), self.limit)]
        return [Part(piece, payload="formatted") for piece in pieces]

    def preview(self, markdown: str) -> Sequence[Part]:
        *final, last = self.render(markdown)
        text = last.text[: self.limit - 1] + CURSOR
        return [*final, Part(text)]

    def render_files(self, files: Sequence[OutgoingFile]) -> Sequence[Part]:
        starts = range(0, len(files), self.album)
        albums = [tuple(files[start : start + self.album]) for start in starts]
        return [Part(caption_of(album), files=album) for album in albums]

    async def send(self, address: Address, part: Part) -> tuple[str, ...]:
        """A message for each file; the text stands under the first."""
        pieces = [
            replace(part, text="" if number else part.text, files=(file,))
            for number, file in enumerate(part.files)
        ] or [part]
        message_ids = tuple(f"m{next(self.ids)}" for _ in pieces)
        screen = self.screens[address.chat_id]
        contents = [await asyncio.to_thread(file.path.read_bytes) for file in part.files]

        def act() -> None:
            screen.drafts.clear()
            screen.files.update(zip(message_ids, contents, strict=False))
            for message_id, piece in zip(message_ids, pieces, strict=True):
                screen.messages[message_id] = piece
                screen.replies_to[message_id] = address.reply_to
                screen.threads[message_id] = address.thread_id

        await self._serve("send", address, part, act)
        return message_ids

    async def edit(self, address: Address, message_id: str, part: Part) -> None:
        screen = self.screens[address.chat_id]

        def act() -> None:
            if message_id not in screen.messages:
                raise TargetGone("no such message")
            if part.files or screen.messages[message_id].files:
                raise Rejected("a file and a text are no edits of each other")
            screen.messages[message_id] = part

        await self._serve("edit", address, part, act)

    async def delete(self, address: Address, message_id: str) -> None:
        screen = self.screens[address.chat_id]
        await self._serve("delete", address, None, lambda: screen.messages.pop(message_id, None))

    async def typing(self, address: Address) -> None:
        def act() -> None:
            self.screens[address.chat_id].typing += 1

        await self._serve("typing", address, None, act)

    async def mark(self, address: Address, message_id: str, mark: Mark | None) -> None:
        marks = self.screens[address.chat_id].marks
        await self._serve("mark", address, None, lambda: marks.update({message_id: mark}))

    async def download(self, attachment: Attachment) -> AsyncGenerator[bytes, None]:
        if attachment.ref in self.broken:
            raise self.broken[attachment.ref]
        if "download" in self.hanging:
            await asyncio.get_running_loop().create_future()
        content = self.files[attachment.ref]
        for start in range(0, len(content), DOWNLOAD_PIECE_BYTES):
            yield content[start : start + DOWNLOAD_PIECE_BYTES]

    async def _serve(
        self, method: str, address: Address, part: Part | None, act: Callable[[], object]
    ) -> None:
        await asyncio.sleep(0)
        if part is not None:
            check(part, self.limit)
            if part.files and not self.takes_files:
                raise Rejected("no files here")
        if address.chat_id in self.moved:
            raise ChatGone("the group was upgraded to a supergroup chat")
        failure = self._next_failure(method)
        screen = self.screens[address.chat_id]
        what = "" if part is None else shown_as(part)
        screen.log.append(f"{method} {what}".strip())
        if failure is None or failure.is_done_all_the_same:
            act()
        self._changed.set()
        if failure is not None:
            raise failure.error

    def _next_failure(self, method: str) -> Failure | None:
        return self.failures[method].popleft() if self.failures[method] else None

    # The people's side.

    def fail(self, method: str, *errors: AdapterError, done_all_the_same: bool = False) -> None:
        """Let the next requests of a method fail, one for each error."""
        self.failures[method].extend(Failure(error, done_all_the_same) for error in errors)

    async def say(  # a person writes
        self,
        text: str,
        *,
        sender: Sender = ALICE,
        chat: str | None = None,
        thread: str | None = None,
        is_addressed: bool = True,
        quoted: str | None = None,
        event_id: str | None = None,
        attachments: Sequence[Attachment] = (),
        album: str | None = None,
        may_go_on: bool = False,
        forwarded_from: str | None = None,
        context: Sequence[Observed] = (),
    ) -> Inbound:
        kind = ChatKind.DIRECT if chat is None or not chat.startswith("-") else ChatKind.GROUP
        number = next(self.ids)
        address = Address(self.name, chat or sender.id, kind, thread, f"in{number}")
        message = Inbound(
            event_id=event_id or f"{self._run}-{number}",
            address=address,
            sender=sender,
            text=text,
            is_addressed=is_addressed,
            quoted_text=quoted,
            message_id=address.reply_to,
            attachments=tuple(attachments),
            album_id=album,
            may_go_on=may_go_on,
            forwarded_from=forwarded_from,
            context=tuple(context),
        )
        await self.give(message)
        return message

    async def change(self, message: Inbound, text: str, *, event_id: str | None = None) -> None:
        """Somebody changes what they wrote."""
        event_id = event_id or f"{self._run}-{next(self.ids)}"
        await self.give(Edited(replace(message, text=text, event_id=event_id)))

    async def react(
        self,
        message_id: str,
        emoji: str,
        *,
        sender: Sender = ALICE,
        chat: str | None = None,
        is_added: bool = True,
    ) -> None:
        """Somebody puts an emoji under a message, or takes it away."""
        kind = ChatKind.DIRECT if chat is None else ChatKind.GROUP
        address = Address(self.name, chat or sender.id, kind)
        event_id = f"{self._run}-{next(self.ids)}"
        await self.give(Reaction(event_id, address, sender, message_id, emoji, is_added))

    async def take_away(self, message: Inbound) -> None:
        """Somebody deletes what they wrote."""
        event_id = f"{self._run}-{next(self.ids)}"
        await self.give(Deleted(event_id, message.address, message.message_id or ""))

    async def move(self, chat: str, new_chat: str) -> None:
        """A group gets another id; its old one is answered by nothing any more."""
        self.moved.add(chat)
        address = Address(self.name, chat, ChatKind.GROUP)
        await self.give(Moved(f"{self._run}-{next(self.ids)}", address, new_chat))

    def attach(
        self,
        content: bytes,
        kind: MediaKind = MediaKind.FILE,
        name: str | None = None,
        media_type: str | None = None,
        *,
        size_bytes: int | None = None,
        duration_s: float | None = None,
    ) -> Attachment:
        """A file that can be sent with what somebody says."""
        ref = f"file{next(self.ids)}"
        self.files[ref] = content
        return Attachment(kind, ref, name, media_type, size_bytes, duration_s)

    async def press(self, label: str, *, sender: Sender = ALICE, chat: str | None = None) -> str:
        """Press the newest button of that label; returns the notice that the person sees."""
        chat_id = chat or sender.id
        found = [b for b in self.screens[chat_id].buttons if b.label == label]
        assert found, f"no button {label!r} in {self.screens[chat_id].messages}"
        return await self.press_data(found[-1].data, sender=sender, chat=chat)

    async def press_data(
        self,
        data: str,
        *,
        sender: Sender = ALICE,
        chat: str | None = None,
        under: str | None = None,
        wait_s: float = 10,
    ) -> str:
        """Press a button by its data, be it still on the screen or not; or say one did, `under` a
        message that may have none.
        """
        notices: asyncio.Queue[str | None] = asyncio.Queue()
        messages = self.screens[chat or sender.id].messages
        has_it = [i for i, p in messages.items() if data in {b.data for r in p.buttons for b in r}]

        async def acknowledge(notice: str | None) -> None:
            notices.put_nowait(notice)

        kind = ChatKind.DIRECT if chat is None else ChatKind.GROUP
        address = Address(self.name, chat or sender.id, kind)
        event_id = f"{self._run}-{next(self.ids)}"
        message_id = under or (has_it[-1] if has_it else None)
        press = ButtonPress(event_id, address, sender, data, acknowledge, message_id)
        await self.give(replace(press, is_on_message=message_id in has_it))
        try:
            async with asyncio.timeout(wait_s):
                return await notices.get() or ""
        except TimeoutError:
            return "(never acknowledged)"

    async def until(self, claim: Callable[[Screen], bool], chat: str = "1") -> Screen:
        """Wait until the claim holds of a chat's screen."""
        while not claim(self.screens[chat]):
            self._changed.clear()
            try:
                async with asyncio.timeout(30):
                    await self._changed.wait()
            except TimeoutError:
                raise AssertionError(f"never came; the screen: {self.screens[chat]}") from None
        return self.screens[chat]

    async def until_shown(self, *texts: str, chat: str = "1") -> Screen:
        """Wait until the last messages are exactly these."""
        return await self.until(lambda s: s.texts[-len(texts) :] == list(texts), chat)

    async def give(self, event: Event) -> None:
        while self._receive is None:
            self._changed.clear()
            await self._changed.wait()
        await self._receive(event)


class DraftingPlatform(FakePlatform):
    """One that shows growing texts as drafts in direct chats."""

    def can_draft(self, address: Address) -> bool:
        return address.kind is ChatKind.DIRECT

    async def draft(self, address: Address, draft_id: int, part: Part) -> None:
        assert 0 < draft_id < 2**31
        drafts = self.screens[address.chat_id].drafts
        await self._serve("draft", address, part, lambda: drafts.update({draft_id: part}))


class SearchablePlatform(FakePlatform):
    """One that lets its messages be looked for."""

    async def find(self, address: Address, button_data: str) -> str | None:
        await self._serve("find", address, None, lambda: None)
        for message_id, part in reversed(self.screens[address.chat_id].messages.items()):
            if any(button.data == button_data for row in part.buttons for button in row):
                return message_id
        return None


def check(part: Part, limit: int) -> None:
    """What every platform refuses."""
    if not part.text.strip() and not part.files:
        raise Rejected("message text is empty")
    if len(part.files) > 1 and part.buttons:
        raise Rejected("an album has no buttons")
    if len(part.text) > limit:
        raise Rejected("message is too long")
    for button in (button for row in part.buttons for button in row):
        if not 1 <= len(button.data.encode()) <= 64:
            raise Rejected("button data invalid")


def shown_as(part: Part) -> str:
    """The text, or the files in angle brackets."""
    return " ".join(f"<{file.name}>" for file in part.files) or part.text


def plain(parts: Iterable[Part]) -> list[Part]:
    """The parts without their formatting."""
    return [replace(part, payload=None) for part in parts]
