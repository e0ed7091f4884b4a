"""The fonts of drawn conversations: DejaVu where it is installed, else what comes with Pillow."""

from functools import cache
from pathlib import Path
from typing import Literal

from PIL import ImageFont

Font = ImageFont.FreeTypeFont | ImageFont.ImageFont
Look = Literal["plain", "bold", "italic", "both", "mono"]

_FOLDER = Path("/usr/share/fonts/truetype/dejavu")
_FILES: dict[Look, str] = {
    "plain": "DejaVuSans.ttf",
    "bold": "DejaVuSans-Bold.ttf",
    "italic": "DejaVuSans-Oblique.ttf",
    "both": "DejaVuSans-BoldOblique.ttf",
    "mono": "DejaVuSansMono.ttf",
}


@cache
def font(look: Look, size: int) -> Font:
    """A font in a size in pixels."""
    path = _FOLDER / _FILES[look]
    if path.exists():
        return ImageFont.truetype(str(path), size)
    return ImageFont.load_default(size)


def prose(size: int, *, is_bold: bool, is_italic: bool) -> Font:
    """The font of a text that is no code."""
    if is_bold:
        return font("both" if is_italic else "bold", size)
    return font("italic" if is_italic else "plain", size)
