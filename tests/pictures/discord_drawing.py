"""A channel as a person sees it in Discord's client: drawn with Pillow from what the fake stored.

It draws what was really sent, read by Discord's own rules (`tests/adapters/discord/reading.py`):
texts, cards, buttons, names of files.
"""

from dataclasses import dataclass
from itertools import groupby

from PIL import Image, ImageDraw

from tests.adapters.discord.reading import read
from tests.fakes.discord import Channel, FakeDiscord, Message
from tests.pictures.fonts import Font, font, prose
from tests.pictures.runs import Run, lines_of

WIDTH = 860
_LEFT, _RIGHT = 96, 40
_SIZE, _LINE, _BUTTON = 26, 36, 56
_GROUND, _TEXT, _QUIET, _LINK = "#313338", "#dbdee1", "#949ba4", "#00a8fc"
_CODE_GROUND, _CARD, _BAR, _SPOILER = "#2b2d31", "#2b2d31", "#4e5058", "#1e1f22"
_FACES = ("#5865f2", "#3ba55d")  # the bot, people
_BUTTONS = {1: "#5865f2", 2: "#4e5058", 3: "#248046", 4: "#da373c"}
_HEADINGS = {"#": 38, "##": 32, "###": 28}


@dataclass(slots=True)
class _Canvas:
    draw: ImageDraw.ImageDraw
    y: int = 24


def draw_channel(fake: FakeDiscord, channel: Channel, *, last: int = 20) -> Image.Image:
    """The channel's last messages."""
    tall = Image.new("RGB", (WIDTH, 12_000), _GROUND)
    canvas = _Canvas(ImageDraw.Draw(tall))
    for message in channel.shown()[-last:]:
        _draw_message(canvas, fake, message)
    return tall.crop((0, 0, WIDTH, canvas.y + 8))


def _draw_message(canvas: _Canvas, fake: FakeDiscord, message: Message) -> None:
    is_ours = message.author is fake.bot
    face = _FACES[0 if is_ours else 1]
    canvas.draw.ellipse((24, canvas.y, 80, canvas.y + 56), fill=face)
    initial = message.author.name[0]
    canvas.draw.text((41, canvas.y + 10), initial, fill="white", font=font("bold", 28))
    canvas.draw.text((_LEFT, canvas.y), message.author.name, fill="white", font=font("bold", _SIZE))
    if is_ours:
        x = _LEFT + int(font("bold", _SIZE).getlength(message.author.name)) + 12
        canvas.draw.rounded_rectangle((x, canvas.y + 4, x + 52, canvas.y + 30), 6, fill=_FACES[0])
        canvas.draw.text((x + 8, canvas.y + 7), "APP", fill="white", font=font("bold", 16))
    canvas.y += _LINE
    if message.text:
        _draw_text(canvas, message.text, _LEFT, fake)
    for embed in message.fields.get("embeds") or ():
        _draw_card(canvas, embed["description"], int(embed.get("color") or 0), fake)
    for file in message.fields.get("attachments") or ():
        canvas.draw.text(
            (_LEFT, canvas.y), f"▤ {file['filename']}", fill=_LINK, font=font("plain", _SIZE)
        )
        canvas.y += _LINE
    _draw_buttons(canvas, message)
    canvas.y += 24


def _draw_card(canvas: _Canvas, text: str, colour: int, fake: FakeDiscord) -> None:
    top = canvas.y + 4
    height = _LINE * len(_lines(text, fake)) + 32
    canvas.draw.rounded_rectangle((_LEFT, top, WIDTH - _RIGHT, top + height), 8, fill=_CARD)
    canvas.draw.rectangle((_LEFT, top, _LEFT + 6, top + height), fill=f"#{colour:06x}")
    canvas.y = top + 16
    _draw_text(canvas, text, _LEFT + 24, fake)
    canvas.y = top + height + 8


def _draw_text(canvas: _Canvas, text: str, left: int, fake: FakeDiscord) -> None:
    for line in _lines(text, fake):
        x = left
        if any(run.is_block for run in line):
            box = (left, canvas.y - 2, WIDTH - _RIGHT, canvas.y + _LINE - 2)
            canvas.draw.rectangle(box, fill=_CODE_GROUND)
            x += 12
        if any(">" in run.kinds for run in line):
            canvas.draw.rectangle((left, canvas.y, left + 5, canvas.y + _LINE - 4), fill=_BAR)
            x += 18
        for run in line:
            right = x + int(_width(run))
            if "||" in run.kinds:
                canvas.draw.rounded_rectangle((x, canvas.y, right, canvas.y + 32), 4, fill=_SPOILER)
            else:
                y = canvas.y + (4 if "code" in run.kinds else 0)  # on the line of the prose
                canvas.draw.text((x, y), run.text, fill=_colour(run), font=_font_of(run))
            if "~~" in run.kinds:
                canvas.draw.line((x, canvas.y + 17, right, canvas.y + 17), fill=_TEXT, width=2)
            x = right
        canvas.y += _LINE


def _lines(text: str, fake: FakeDiscord) -> list[list[Run]]:
    shown = text.replace(f"<@{fake.bot.id}>", f"@{fake.bot.name}")
    seen = read(shown).seen
    runs = [
        Run("".join(character for character, _ in group), frozenset(_kind(one) for one in styles))
        for styles, group in groupby(seen, key=lambda one: one[1])
    ]
    lines = lines_of(runs, WIDTH - _LEFT - _RIGHT - 40, _width)
    while lines and not any(run.text.strip() for run in lines[-1]):
        lines.pop()
    return lines


def _kind(style: str) -> str:
    """`runs.py` knows blocks of code by this name."""
    return "pre" if style == "block" else style


def _draw_buttons(canvas: _Canvas, message: Message) -> None:
    for row in message.fields.get("components") or ():
        x = _LEFT
        canvas.y += 8
        for button in row["components"]:
            width = int(font("plain", 22).getlength(button["label"])) + 44
            box = (x, canvas.y, x + width, canvas.y + _BUTTON)
            canvas.draw.rounded_rectangle(box, 8, fill=_BUTTONS[button["style"]])
            place = (x + 22, canvas.y + 14)
            canvas.draw.text(place, button["label"], fill="white", font=font("plain", 22))
            x += width + 12
        canvas.y += _BUTTON


def _colour(run: Run) -> str:
    if "link" in run.kinds:
        return _LINK
    return _QUIET if "-#" in run.kinds else _TEXT


def _width(run: Run) -> float:
    return _font_of(run).getlength(run.text)


def _font_of(run: Run) -> Font:
    if {"pre", "code"} & run.kinds:
        return font("mono", _SIZE - 4)
    heading = next((size for mark, size in _HEADINGS.items() if mark in run.kinds), None)
    is_bold, is_italic = "**" in run.kinds or heading is not None, "*" in run.kinds
    return prose(heading or _SIZE, is_bold=is_bold, is_italic=is_italic)
