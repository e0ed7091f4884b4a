"""The menus of commands beside the text field: for everybody, for groups, and for each owner.

A client shows the narrowest menu that there is, in its person's language or else in none
("Determining list of commands", Bot API, BotCommandScope). Telegram keeps menus, so each is asked
for first and sent only if it is another. A menu that can't be set is a line in the log.
"""

import asyncio
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import structlog
from telegram import (
    Bot,
    BotCommand,
    BotCommandScope,
    BotCommandScopeAllGroupChats,
    BotCommandScopeAllPrivateChats,
    BotCommandScopeChat,
    BotCommandScopeDefault,
)
from telegram.error import BadRequest, TelegramError

from adapters.base import Menus
from adapters.telegram.errors import scrub
from adapters.telegram.menu_languages import LANGUAGES

_LONGEST_PURPOSE = 256  # Bot API, BotCommand.description
_MOST_OWNERS = 20  # with a menu of their own; each is some calls at the start

_log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class Menu:
    """What one scope shows in one language; that without a language is for all others."""

    scope: BotCommandScope
    language: str | None
    commands: tuple[BotCommand, ...]


def menus_of(menus: Menus) -> Iterator[Menu]:
    """All menus that there should be."""
    scopes: list[tuple[BotCommandScope, Sequence[tuple[str, str]]]] = [
        (BotCommandScopeDefault(), menus.members),
        (BotCommandScopeAllPrivateChats(), menus.members),
        (BotCommandScopeAllGroupChats(), menus.groups),
        *((BotCommandScopeChat(int(one)), menus.owners) for one in menus.owner_ids[:_MOST_OWNERS]),
    ]
    for scope, commands in scopes:
        for language in (None, *LANGUAGES):
            texts = LANGUAGES.get(language or "", {})
            described = tuple(
                BotCommand(name, texts.get(name, purpose)[:_LONGEST_PURPOSE])
                for name, purpose in commands
            )
            yield Menu(scope, language, described)


class MenuKeeper:
    """Keeps the menus as they should be, which changes as owners come and go."""

    def __init__(self, bot: Bot, wanted: Callable[[], Menus]) -> None:
        self._bot = bot
        self._wanted = wanted
        self._shown = Menus()
        self._may_differ = asyncio.Event()

    async def keep(self) -> None:
        """Until cancelled: set what is not as it should be, now and after each `look_again`."""
        while True:
            await self._refresh()
            await self._may_differ.wait()
            self._may_differ.clear()

    def look_again(self) -> None:
        """Something has happened that may have changed who is an owner."""
        self._may_differ.set()

    async def _refresh(self) -> None:
        wanted, before = self._wanted(), self._shown
        if wanted == before:
            return
        self._shown = wanted
        try:
            for menu in menus_of(wanted):
                await self._set(menu)
            for gone in set(before.owner_ids) - set(wanted.owner_ids):
                await self._remove(BotCommandScopeChat(int(gone)))
        except TelegramError as error:
            _log.warning("the menus of commands could not be set", reason=self._reason(error))

    async def _set(self, menu: Menu) -> None:
        try:
            there = await self._bot.get_my_commands(menu.scope, menu.language)
            if there != menu.commands:
                await self._bot.set_my_commands(menu.commands, menu.scope, menu.language)
        except BadRequest as error:  # an owner who never wrote to the bot has no chat with it
            _log.info("a menu was refused", scope=menu.scope.type, reason=self._reason(error))

    async def _remove(self, scope: BotCommandScope) -> None:
        for language in (None, *LANGUAGES):
            try:
                await self._bot.delete_my_commands(scope, language)
            except BadRequest as error:
                _log.info("a menu was not removed", scope=scope.type, reason=self._reason(error))

    def _reason(self, error: TelegramError) -> str:
        return scrub(error.message, self._bot.token)
