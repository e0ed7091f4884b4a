"""Which pictures a model is shown in a call."""

import asyncio
import base64
from pathlib import Path
from typing import Any

import pytest

from gateway.media.showing import MAX_PICTURES, path_of, picture_part, recent, with_pictures
from gateway.workspace.workspace import Workspace

Message = dict[str, Any]


def said(*paths: str, text: str = "look", role: str = "user") -> Message:
    return {"role": role, "content": [{"type": "text", "text": text}, *map(picture_part, paths)]}


ANSWER: Message = {"role": "assistant", "content": "I see"}


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    workspace = Workspace(tmp_path / "chat")
    for name in ("a.jpg", "b.jpg"):
        workspace.save_new("inbox", name, [name.encode()])
    return workspace


async def shown(workspace: Workspace, *messages: Message, turns: int = 3) -> list[Any]:
    request = await with_pictures({"messages": list(messages)}, workspace, turns)
    parts = [part for m in request["messages"] for part in m["content"] if isinstance(part, dict)]
    return [
        base64.b64decode(part["image_url"]["url"].removeprefix("data:image/jpeg;base64,"))
        if part["type"] == "image_url"
        else part["text"]
        for part in parts
    ]


async def test_a_picture_is_put_into_the_call_and_not_into_the_conversation(
    workspace: Workspace,
) -> None:
    message = said("inbox/a.jpg")
    assert await shown(workspace, message) == ["look", b"a.jpg"]
    assert len(str(message)) < 200


async def test_pictures_of_older_messages_are_named_instead(workspace: Workspace) -> None:
    first, second = said("inbox/a.jpg"), said("inbox/b.jpg")
    found = await shown(workspace, first, ANSWER, second, ANSWER, turns=1)
    assert found == [
        "look",
        "[A picture stood here, inbox/a.jpg. It is not shown any more.]",
        "look",
        b"b.jpg",
    ]


async def test_a_picture_that_is_gone_does_not_break_the_call(workspace: Workspace) -> None:
    await asyncio.to_thread(workspace.remove, "inbox/a.jpg")
    found = await shown(workspace, said("inbox/a.jpg", "inbox/b.jpg"))
    assert found[1:] == ["[A picture stood here, inbox/a.jpg. It is not shown any more.]", b"b.jpg"]


@pytest.mark.parametrize("path", ["../../secret", "/etc/passwd", "inbox/../../x", ""])
async def test_a_name_that_leads_out_shows_nothing(workspace: Workspace, path: str) -> None:
    (note,) = (await shown(workspace, said(path)))[1:]
    assert "not shown" in note


async def test_a_request_without_pictures_is_left_alone(workspace: Workspace) -> None:
    request = {"messages": [{"role": "user", "content": "hello"}, ANSWER]}
    assert await with_pictures(request, workspace, 3) is request


def test_there_is_a_most_of_pictures_and_the_last_ones_win() -> None:
    paths = [f"inbox/{number}.jpg" for number in range(MAX_PICTURES + 5)]
    assert recent([said(*paths)], 3) == paths[: -MAX_PICTURES - 1 : -1]


@pytest.mark.parametrize(
    "part",
    [
        "text",
        {"type": "text", "text": "workspace:a"},
        {"type": "image_url"},
        {"type": "image_url", "image_url": "workspace:a"},
        {"type": "image_url", "image_url": {"url": None}},
        {"type": "image_url", "image_url": {"url": "https://example.org/a.jpg"}},
    ],
)
def test_other_parts_are_no_pictures_of_the_workspace(part: object) -> None:
    assert path_of(part) is None
