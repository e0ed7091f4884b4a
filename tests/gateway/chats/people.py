"""The people of these tests beside Ada (`ALICE`), and what somebody is answered."""

from adapters.base import Sender
from config.settings import AccessSettings
from config.telegram import TelegramSettings
from tests.gateway.chats.small_gateway import SmallGateway

BOSS = Sender("7", "Boss")
EVE = Sender("666", "Eve")  # whom nobody has let in

WITH_OWNER = TelegramSettings(owners=(7,), allowed_users=(1, 2), allowed_chats=(-100,))
UNLIMITED = {"user_burst": 10_000, "chat_burst": 10_000}
PAIRING = AccessSettings.model_validate({"strangers": "pair", **UNLIMITED})


async def answered(
    gateway: SmallGateway, text: str, sender: Sender = BOSS, chat: str | None = None
) -> str:
    """Say something, in a direct chat unless one is named; returns what is answered."""
    place = chat or sender.id
    before = len(gateway.platform.screens[place].texts)
    await gateway.platform.say(text, sender=sender, chat=place)
    return (await gateway.platform.until(lambda s: len(s.texts) > before, chat=place)).last
