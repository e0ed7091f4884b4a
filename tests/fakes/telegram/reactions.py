"""The bot's reactions to messages: one emoji of the list in "ReactionTypeEmoji" at most."""

from typing import TYPE_CHECKING, Any

from tests.fakes.telegram.arguments import chat_of, message_id_of
from tests.fakes.telegram.errors import bad_request
from tests.fakes.telegram.world import Json

if TYPE_CHECKING:
    from tests.fakes.telegram.server import FakeTelegram

_EMOJI = """
❤ 👍 👎 🔥 🥰 👏 😁 🤔 🤯 😱 🤬 😢 🎉 🤩 🤮 💩 🙏 👌 🕊 🤡 🥱 🥴 😍 🐳 ❤‍🔥 🌚 🌭 💯 🤣 ⚡
🍌 🏆 💔 🤨 😐 🍓 🍾 💋 🖕 😈 😴 😭 🤓 👻 👨‍💻 👀 🎃 🙈 😇 😨 🤝 ✍ 🤗 🫡 🎅 🎄 ☃ 💅 🤪
🗿 🆒 💘 🙉 🦄 😘 💊 🙊 😎 👾 🤷‍♂ 🤷 🤷‍♀ 😡
"""
EMOJI = frozenset(_EMOJI.split())


async def set_message_reaction(server: "FakeTelegram", arguments: Json) -> Any:
    """Put a reaction under a message, in place of the one that was there."""
    message = chat_of(server, arguments).find(message_id_of(arguments))
    if message is None:
        raise bad_request("message to react not found")
    reactions = arguments.get("reaction") or []
    if len(reactions) > 1:
        raise bad_request("REACTIONS_TOO_MANY")
    for reaction in reactions:
        if reaction.get("type") != "emoji" or reaction.get("emoji") not in EMOJI:
            raise bad_request("REACTION_INVALID")
    message.reactions = [reaction["emoji"] for reaction in reactions]
    return True
