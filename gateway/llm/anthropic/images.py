"""An `image_url` part → an image block of the Messages API, or words for what can't be sent. Pure.

Limits: https://docs.claude.com/en/docs/build-with-claude/vision
"""

import re
from typing import Any

MEDIA_TYPES = frozenset({"image/jpeg", "image/png", "image/gif", "image/webp"})
MAX_IMAGE_BYTES = 5 * 1024 * 1024
_DATA = re.compile(r"data:([\w.+-]+/[\w.+-]+)(?:;[\w=.-]+)*;base64,", re.ASCII)
_BASE64 = re.compile(r"[A-Za-z0-9+/]+={0,2}", re.ASCII)


def image_block(part: dict[str, Any]) -> dict[str, Any]:
    """The block for a part of OpenAI's type `image_url`."""
    url = part.get("image_url")
    url = url.get("url") if isinstance(url, dict) else url
    if not isinstance(url, str):
        return _instead("no address")
    if url.startswith(("https://", "http://")):
        return {"type": "image", "source": {"type": "url", "url": url}}
    head = _DATA.match(url)
    if head is None:
        return _instead("in a form that the model does not take")
    media_type, data = head[1].lower(), url[head.end() :]
    if problem := _problem(media_type, data):
        return _instead(problem)
    source = {"type": "base64", "media_type": media_type, "data": data}
    return {"type": "image", "source": source}


def _problem(media_type: str, data: str) -> str | None:
    """Why an image can't be sent: it would fail this call and every later one."""
    size = len(data) * 3 // 4
    if media_type not in MEDIA_TYPES:
        return f"of type {media_type}"
    if size > MAX_IMAGE_BYTES:
        return f"of {size / 1024**2:.0f} MB, too large for the model"
    return None if _BASE64.fullmatch(data) else "damaged"


def _instead(what: str) -> dict[str, Any]:
    return {"type": "text", "text": f"[An image was left out: {what}.]"}
