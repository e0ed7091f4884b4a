"""Conversations with a whole gateway, drawn as people see them.

`HERMES_PICTURES=1 pytest tests/end_to_end/test_pictures.py` puts the pictures into docs/pictures/;
without it they are drawn all the same, and thrown away.
"""

import asyncio
import os
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest

from tests.end_to_end.serving import MakeSettings, Serve
from tests.end_to_end.test_albums import fill
from tests.fakes.model_server import ModelServer
from tests.fakes.telegram import Chat, FakeTelegram, Person
from tests.pictures.drawing import WIDTH, draw_chat

_DOCS = Path(__file__).parents[2] / "docs" / "pictures"
ANSWER = """\
**Lentil soup** for four, in 35 minutes:

1. Fry an onion with *1 tsp cumin*.
2. Add 250 g red lentils and 1.2 l stock.
3. Simmer for 25 minutes.

| Per person | |
|---|--:|
| Energy | 310 kcal |
| Protein | 18 g |

> A squeeze of lemon at the end makes all the difference.

More of this: [red lentils](https://example.org/lentils). The secret is ||vinegar||.
"""
CODE = """\
It never ends, because `n` never changes:

```python
while n > 0:
    print(n)
    n -= 1   # this was missing
```
"""

ALBUM = """\
Three times the same view, and how to get there:

![In the morning, at 6:40](morning.png)
![Just after sunset](evening.png)
![Under the moon](night.png)

MEDIA:route.txt
"""

Save = Callable[[Chat | Person, str], Awaitable[None]]


@pytest.fixture
def save(telegram: FakeTelegram, tmp_path: Path) -> Save:
    """Draws a chat into the file of that name."""

    def draw(chat: Chat, path: Path) -> None:
        picture = draw_chat(telegram, chat)
        assert picture.width == WIDTH
        colours = picture.getcolors(1 << 24)
        assert colours is not None
        assert len(colours) > 20  # there is something on it
        path.parent.mkdir(exist_ok=True)
        picture.quantize(64).save(path, optimize=True)

    async def saved(place: Chat | Person, name: str) -> None:
        folder = _DOCS if os.environ.get("HERMES_PICTURES") else tmp_path
        await asyncio.to_thread(draw, telegram.world.chats[place.id], folder / f"{name}.png")

    return saved


@pytest.mark.usefixtures("gateway")
async def test_an_answer_with_all_that_markdown_has(
    telegram: FakeTelegram, model: ModelServer, ada: Person, save: Save
) -> None:
    model.enqueue(text=ANSWER)
    telegram.people.say(ada, "something warm for four people, please")
    await telegram.wait_for(lambda: any("vinegar" in one.text for one in telegram.replies(ada)))
    await telegram.wait_for(lambda: telegram.replies(ada)[-1].labels == [])
    assert telegram.replies(ada)[-1].styled("spoiler") == ["vinegar"]
    await save(ada, "answer")


@pytest.mark.usefixtures("gateway")
async def test_an_answer_that_grows(
    telegram: FakeTelegram, model: ModelServer, ada: Person, save: Save
) -> None:
    drip = model.enqueue(text=CODE, gated=True)
    telegram.people.say(ada, "why does my loop never end?")
    drip.release(6)
    await telegram.wait_for(lambda: telegram.world.drafts)
    await save(ada, "growing")
    drip.release(500)
    (message,) = await telegram.wait_for(lambda: telegram.replies(ada))
    assert message.styled("pre")
    await save(ada, "grown")


@pytest.mark.usefixtures("gateway")
async def test_a_question_with_buttons(
    telegram: FakeTelegram, model: ModelServer, ada: Person, save: Save
) -> None:
    question = {"question": "Which way shall we go?", "choices": ["By train", "By night bus"]}
    model.enqueue(tool_calls=[("clarify", question)])
    telegram.people.say(ada, "plan our trip to Paris")
    await telegram.wait_for(lambda: any(one.labels for one in telegram.replies(ada)))
    await save(ada, "question")


async def test_an_answer_with_an_album(
    telegram: FakeTelegram,
    model: ModelServer,
    ada: Person,
    save: Save,
    *,
    serve: Serve,
    make_settings: MakeSettings,
) -> None:
    settings = make_settings(chats={"streaming": False})
    await asyncio.to_thread(fill, settings.data_dir / "workspaces", ada)
    async with serve(settings):
        model.enqueue(text=ALBUM)
        telegram.people.say(ada, "what did the valley look like?")
        await telegram.wait_for(lambda: len(telegram.replies(ada)) == 5)
    await save(ada, "album")


async def test_an_answer_in_a_group(
    telegram: FakeTelegram,
    model: ModelServer,
    ada: Person,
    save: Save,
    *,
    serve: Serve,
    make_settings: MakeSettings,
) -> None:
    group = telegram.people.group("Film club")
    bea = telegram.people.person("Bea")
    async with serve(make_settings(telegram={"allowed_chats": (group.id,)})):
        model.enqueue(
            text="**Friday, 20:00** suits all three of you.\n\n- Ada: from 19:00\n- Bea: any time"
        )
        telegram.people.say(bea, "I can do any evening", chat=group)
        telegram.people.say(ada, "Friday after seven for me", chat=group)
        telegram.people.say(ada, "@hermes_test_bot when shall we meet?", chat=group)
        await telegram.wait_for(
            lambda: any("Friday, 20" in m.text for m in telegram.replies(group))
        )
        await telegram.wait_for(lambda: telegram.replies(group)[-1].labels == [])
    await save(group, "group")
