"""A chat as a person sees it on a phone: drawn with Pillow from what the fake has stored.

It draws what was really sent: texts with their entities, buttons, pictures, names of files. The
messages of an album share a bubble.
"""

import io
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby

from PIL import Image, ImageDraw, ImageOps

from tests.fakes.telegram import Chat, FakeTelegram, Message
from tests.fakes.telegram.drafts import Draft
from tests.pictures.fonts import Font, font, prose
from tests.pictures.runs import QUOTES, Run, lines_of, runs_of

WIDTH = 760
_MARGIN = 20
_PADDING = 18
_BUBBLE = 620  # the most that one takes
_SIZE = 26
_LINE = 36
_BUTTON = 54

_BACKGROUND, _BAR, _OURS, _THEIRS = "#d6e4ec", "#517da2", "#ffffff", "#e3f7d3"
_TEXT, _LINK, _CODE, _QUIET = "#1a1a1a", "#2678b6", "#a3376b", "#8a98a3"
_CODE_GROUND, _SPOILER, _BUTTON_GROUND = "#eef1f4", "#b9c4cc", "#a9bfce"
_BUTTONS = {"success": "#5aa469", "danger": "#c9605b"}


@dataclass(slots=True)
class _Canvas:
    draw: ImageDraw.ImageDraw
    y: int = 0


def draw_chat(fake: FakeTelegram, chat: Chat, *, last: int = 20) -> Image.Image:
    """The chat's last messages, under a bar with its title."""
    messages = [one for one in chat.messages if not one.is_deleted][-last:]
    tall = Image.new("RGB", (WIDTH, 12_000), _BACKGROUND)
    canvas = _Canvas(ImageDraw.Draw(tall))
    title = fake.world.bot.first_name if chat.type == "private" else chat.title
    canvas.draw.rectangle((0, 0, WIDTH, 76), fill=_BAR)
    canvas.draw.text((_MARGIN, 20), title, fill="white", font=font("bold", 30))
    canvas.y = 76 + _MARGIN
    for _, together in groupby(messages, lambda one: one.content.get("media_group_id", one.id)):
        _draw_message(tall, canvas, fake, *together)
    for draft in fake.world.drafts:
        if draft.chat_id == chat.id and draft.is_shown:
            _draw_message(tall, canvas, fake, _as_message(fake, chat, draft))
    return tall.crop((0, 0, WIDTH, canvas.y + 4))


def _as_message(fake: FakeTelegram, chat: Chat, draft: Draft) -> Message:
    """Clients show a draft like a message, and Telegram's own button under it."""
    button = {"text": "Stop", "callback_data": ""}
    keyboard = [[button]] if draft.can_stop else []
    return Message(chat, 0, fake.world.bot, draft.text, keyboard=keyboard)


def _draw_message(image: Image.Image, canvas: _Canvas, fake: FakeTelegram, *album: Message) -> None:
    message = next((one for one in album if one.text), album[0])
    is_ours = message.sender == fake.world.bot
    picture = _picture(fake, album)
    inner = _BUBBLE - 2 * _PADDING
    lines = lines_of(runs_of(message.text, message.entities), inner, _width)
    head = _head(album)
    # Buttons make their message as wide as they are.
    widest = max([sum(map(_width, line)) for line in lines] + [_width(run) for run in head])
    if message.keyboard or picture or any(run.is_block for line in lines for run in line):
        widest = inner
    note = "edited" if len(message.versions) > 1 else ""
    height = 2 * _PADDING + _LINE * (len(lines) if message.text else 0) + _LINE * len(head)
    height += (picture.height + 10 if picture else 0) + (24 if note else 0)
    width = int(max(widest, 90)) + 2 * _PADDING
    left = _MARGIN if is_ours else WIDTH - _MARGIN - width
    top = canvas.y
    fill = _OURS if is_ours else _THEIRS
    canvas.draw.rounded_rectangle((left, top, left + width, top + height), 20, fill=fill)
    x, y = left + _PADDING, top + _PADDING
    for run in head:
        canvas.draw.text((x, y), run.text, fill=_LINK, font=_font_of(run))
        y += _LINE
    if picture:
        image.paste(picture, (x, y))
        y += picture.height + 10
    for line in lines if message.text else ():
        _draw_line(canvas.draw, line, x, y, inner)
        y += _LINE
    if note:
        canvas.draw.text((left + width - 92, y), note, fill=_QUIET, font=font("plain", 18))
    canvas.y = top + height + 8
    _draw_buttons(canvas, message, left, width)
    canvas.y += _MARGIN - 8


def _head(album: Sequence[Message]) -> list[Run]:
    """What stands above a text: who wrote it in a group, the files that it belongs to."""
    head = []
    if album[0].chat.type != "private":
        head.append(Run(album[0].sender.first_name, frozenset({"bold"})))
    contents = [value for message in album for value in message.content.values()]
    named = [value for value in contents if isinstance(value, dict)]
    head += [Run(f"▤ {one['file_name']}") for one in named if "file_name" in one]
    return head


def _draw_line(draw: ImageDraw.ImageDraw, line: list[Run], x: int, y: int, inner: int) -> None:
    if any(run.is_block for run in line):
        draw.rectangle((x - 8, y - 3, x + inner + 8, y + _LINE - 4), fill=_CODE_GROUND)
    if any(QUOTES & run.kinds for run in line):
        draw.rectangle((x - 10, y, x - 6, y + _LINE - 4), fill=_LINK)
    for run in line:
        right = x + int(_width(run))
        if "spoiler" in run.kinds:
            draw.rounded_rectangle((x, y + 2, right, y + _LINE - 8), 6, fill=_SPOILER)
        else:
            draw.text((x, y), run.text, fill=_colour(run), font=_font_of(run))
        for kind, height in (("strikethrough", _SIZE // 2 + 4), ("underline", _SIZE + 4)):
            if kind in run.kinds:
                draw.line((x, y + height, right, y + height), fill=_TEXT, width=2)
        x = right


def _draw_buttons(canvas: _Canvas, message: Message, left: int, width: int) -> None:
    for row in message.keyboard:
        size = (width - 8 * (len(row) - 1)) // len(row)
        for number, button in enumerate(row):
            x = left + number * (size + 8)
            box = (x, canvas.y, x + size, canvas.y + _BUTTON)
            fill = _BUTTONS.get(button.get("style", ""), _BUTTON_GROUND)
            canvas.draw.rounded_rectangle(box, 12, fill=fill)
            run = Run(button["text"])
            place = (x + (size - _width(run)) / 2, canvas.y + 11)
            canvas.draw.text(place, run.text, fill="white", font=_font_of(run))
        canvas.y += _BUTTON + 8


def _picture(fake: FakeTelegram, album: Sequence[Message]) -> Image.Image | None:
    """The picture of a message; those of an album as one, in rows."""
    pictures = [
        _opened(fake, message.content["photo"][-1]["file_id"])
        for message in album
        if "photo" in message.content
    ]
    if len(pictures) > 1:
        return _in_rows(pictures)
    for picture in pictures:
        picture.thumbnail((_BUBBLE - 2 * _PADDING, 400))
    return pictures[0] if pictures else None


def _opened(fake: FakeTelegram, file_id: str) -> Image.Image:
    with Image.open(io.BytesIO(fake.files.find(file_id).content)) as opened:
        return opened.convert("RGB")


def _in_rows(pictures: Sequence[Image.Image]) -> Image.Image:
    """As clients do it: one large picture above if they would not fill rows of two or three."""
    width, gap = _BUBBLE - 2 * _PADDING, 4
    per_row = 3 if len(pictures) > 4 else 2
    rows = [pictures[: len(pictures) % per_row]] if len(pictures) % per_row else []
    rest = pictures[len(pictures) % per_row :]
    rows += [rest[start : start + per_row] for start in range(0, len(rest), per_row)]
    heights = [300 if len(row) == 1 else 200 for row in rows]
    wall = Image.new("RGB", (width, sum(heights) + gap * (len(rows) - 1)), _OURS)
    y = 0
    for row, height in zip(rows, heights, strict=True):
        size = (width - gap * (len(row) - 1)) // len(row)
        for number, picture in enumerate(row):
            wall.paste(ImageOps.fit(picture, (size, height)), (number * (size + gap), y))
        y += height + gap
    return wall


def _colour(run: Run) -> str:
    if {"text_link", "url", "mention", "bot_command"} & run.kinds:
        return _LINK
    return _CODE if "code" in run.kinds else _TEXT


def _width(run: Run) -> float:
    return _font_of(run).getlength(run.text)


def _font_of(run: Run) -> Font:
    if {"pre", "code"} & run.kinds:
        return font("mono", _SIZE - 4)
    is_bold, is_italic = "bold" in run.kinds, "italic" in run.kinds
    return prose(_SIZE, is_bold=is_bold, is_italic=is_italic)
