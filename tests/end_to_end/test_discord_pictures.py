"""Conversations on Discord with a whole gateway, drawn as people see them.

`HERMES_PICTURES=1 pytest tests/end_to_end/test_discord_pictures.py` puts the pictures into
docs/pictures/; without it they are drawn all the same, and thrown away.
"""

import asyncio
import os
from pathlib import Path

from tests.end_to_end.discord_gateway import Running, with_button
from tests.fakes.discord import Channel, FakeDiscord, Guild, Person
from tests.fakes.model_server import ModelServer
from tests.pictures.discord_drawing import WIDTH, draw_channel

_DOCS = Path(__file__).parents[2] / "docs" / "pictures"
ANSWER = """\
## Why it never ends

`n` is **never changed** in the loop:

```python
while n > 0:
    print(n)
    n -= 1   # this was missing
```

1. The condition is checked *before* each round.
2. Without line 3 it stays true.

| round | n |
|------:|--:|
| 1 | 3 |
| 2 | 2 |

> A `for` loop would not have had this problem.
"""
QUESTION = {"question": "Which city do you want to go to?", "choices": ["Berlin", "Paris"]}


async def save(fake: FakeDiscord, channel: Channel, name: str, folder: Path) -> None:
    """Draw a channel into the file of that name."""

    def draw(path: Path) -> None:
        picture = draw_channel(fake, channel)
        assert picture.width == WIDTH
        colours = picture.getcolors(1 << 24)
        assert colours is not None
        assert len(colours) > 20  # there is something on it
        path.parent.mkdir(exist_ok=True)
        picture.quantize(64).save(path, optimize=True)

    folder = _DOCS if os.environ.get("HERMES_PICTURES") else folder
    await asyncio.to_thread(draw, folder / f"discord_{name}.png")


async def test_an_answer_that_grows_and_one_that_is_complete(
    running: Running, fake: FakeDiscord, model: ModelServer, eva: Person, tmp_path: Path
) -> None:
    guild: Guild = fake.guild("Garden", "general")
    (general,) = guild.channels
    async with running(eva):
        drip = model.enqueue(text=ANSWER, gated=True)
        await fake.say(eva, f"<@{fake.bot.id}> why does my loop never end?", general)
        drip.release(30)
        (reply,) = await fake.wait_for(lambda: fake.replies(general))
        await fake.wait_for(lambda: "while" in reply.text)
        await save(fake, general, "growing", tmp_path)
        drip.release(500)
        await fake.wait_for(lambda: not reply.labels and "problem" in reply.text)
        await save(fake, general, "answer", tmp_path)


async def test_a_question_on_a_card(
    running: Running, fake: FakeDiscord, model: ModelServer, eva: Person, tmp_path: Path
) -> None:
    async with running(eva):
        model.enqueue(tool_calls=[("clarify", QUESTION)])
        model.enqueue(text="Paris is booked.")
        await fake.say(eva, "book me a trip")
        (asked,) = await fake.wait_for(lambda: with_button(fake, eva, "Paris"))
        assert eva.direct is not None
        await save(fake, eva.direct, "question", tmp_path)
        await fake.press(eva, asked, "Paris")
        await fake.wait_for(lambda: fake.replies(eva)[-1].text == "Paris is booked.")
