"""Small landscapes to be sent: a sky, a sun and hills, each in its own colours."""

import io

from PIL import Image, ImageDraw

SIZE = (480, 360)
SCENES = {  # sky above, sky below, sun, hills from the far to the near ones
    "morning": ("#8fc7e8", "#fbe3c0", "#fff3c4", ("#a9c3b0", "#6f9f86", "#3f6f5a")),
    "evening": ("#5a3d7a", "#f2936b", "#ffd27a", ("#9a5b73", "#6b3f5f", "#3d2844")),
    "night": ("#0c1738", "#2c4478", "#e8ecf5", ("#24365f", "#182649", "#0e1730")),
}


def scene(name: str) -> bytes:
    """A PNG."""
    above, below, sun, hills = SCENES[name]
    image = Image.new("RGB", SIZE)
    draw = ImageDraw.Draw(image)
    width, height = SIZE
    for y in range(height):
        share = y / height
        pairs = zip(_rgb(above), _rgb(below), strict=True)
        draw.line((0, y, width, y), fill=tuple(round(a + (b - a) * share) for a, b in pairs))
    draw.ellipse((330, 60, 400, 130), fill=sun)
    for number, colour in enumerate(hills):
        top = 190 + 50 * number
        for left in range(-200, width, 260 - 40 * number):
            draw.ellipse((left, top, left + 420, top + 400), fill=colour)
    written = io.BytesIO()
    image.save(written, "PNG")
    return written.getvalue()


def _rgb(colour: str) -> tuple[int, ...]:
    return tuple(int(colour[at : at + 2], 16) for at in (1, 3, 5))
