"""A Discord in a terminal: `python -m tests.fakes.discord`.

It prints what to put into `hermes.yaml`; then what is typed is said to the bot, directly, and what
the bot says is shown. `/press LABEL` presses a button of its last message.
"""

import asyncio
import sys

from tests.fakes.discord import FakeDiscord, Message

PRESS = "/press "


async def serve() -> None:
    """Run until the input ends."""
    async with FakeDiscord() as fake:
        you = fake.person("You")
        _print(
            f"discord:\n  token: {fake.token}\n  base_url: {fake.base_url}\n  owners: [{you.id}]"
        )
        watching = asyncio.create_task(_watch(fake, you.direct.messages if you.direct else []))
        while line := await asyncio.to_thread(sys.stdin.readline):
            text = line.strip()
            if text.startswith(PRESS):
                await fake.press(you, fake.replies(you)[-1], text.removeprefix(PRESS))
            elif text:
                await fake.say(you, text)
        watching.cancel()


async def _watch(fake: FakeDiscord, messages: list[Message]) -> None:
    """Show each message of the bot as it changes."""
    shown: dict[int, tuple[str, list[str]]] = {}
    while True:
        changed = await fake.wait_for(
            lambda: [one for one in messages if one.author is fake.bot and _is_new(one, shown)],
            patience_s=None,
        )
        for one in changed:
            shown[one.id] = (one.text, one.labels)
            buttons = f"  [{'] ['.join(one.labels)}]" if one.labels else ""
            cards = [card["description"] for card in one.fields.get("embeds") or ()]
            _print(f"Hermes: {one.text}{' '.join(cards)}{buttons}")


def _is_new(message: Message, shown: dict[int, tuple[str, list[str]]]) -> bool:
    return shown.get(message.id) != (message.text, message.labels)


def _print(text: str) -> None:
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()


asyncio.run(serve())
