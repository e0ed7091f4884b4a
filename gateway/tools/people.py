"""The family `people`: say something in another chat, for the person who asks.

Only where that person has written themselves and may write now. What is posted says for whom, and
becomes part of that chat's history, so that the bot knows of it when somebody answers.
"""

from dataclasses import replace
from typing import Annotated

from pydantic import Field

from adapters.base import Address, Inbound
from gateway.chats.directory import Chats
from gateway.chats.host import Host
from gateway.chats.questions import plain_label
from gateway.delivery.reply import say
from gateway.sessions import address_of, is_direct, person_key, session_key
from gateway.tools.approvals import fenced
from gateway.tools.tool import Approval, Arguments, Risk, ToolContext, ToolFailed, tool
from gateway.tools.untrusted import marked

MAX_CHARS = 4_000
_MAX_LISTED = 50
_MAX_NAMES = 5

Target = Annotated[str, Field(description="A chat as list_chats names it.")]
Text = Annotated[str, Field(min_length=1, max_length=MAX_CHARS, description="Markdown.")]


class PeopleTools:
    """Over all chats of this gateway."""

    def __init__(self, host: Host, chats: Chats) -> None:
        self._host = host
        self._chats = chats

    async def _ask_send(self, context: ToolContext, arguments: Arguments) -> Approval | None:
        target = arguments["target"]
        await self._address(context.call.message, target)
        if not context.must_ask:
            return None
        names = ", ".join(plain_label(name) for name in await self._names(target))
        text = f"To `{target}` ({names}):\n\n{fenced(arguments['text'])}"
        return Approval("send_message", target, text)

    @tool(is_repeatable=True)
    async def list_chats(self, context: ToolContext) -> str:
        """List the other chats in which the person who asks has written, for send_message."""
        message = context.call.message
        theirs = await self._theirs(message)
        rows = []
        for chat in theirs[:_MAX_LISTED]:
            kind = "alone with them" if is_direct(chat) else "a group"
            names = ", ".join(plain_label(name) for name in await self._names(chat))
            rows.append(f"{chat} ({kind}; {names})")
        return marked("\n".join(rows), "names of chats") if rows else "There are no other chats."

    @tool(risk=Risk.MESSAGE, is_parallel=False, timeout_s=120, approve=_ask_send)
    async def send_message(self, context: ToolContext, target: Target, text: Text) -> str:
        """Post a message in another chat of the person who asks, in their name. In this chat you
        just answer.
        """
        message = context.call.message
        address = await self._address(message, target)
        posted = text if is_direct(target) else f"{text}\n\n*({_for(message)})*"
        is_wanted, outcome = True, "The message could not be shown there."

        async def post() -> None:
            nonlocal outcome
            if not is_wanted:
                return
            adapter = self._host.adapters[address.platform]
            shown = await say(adapter, address, self._host.delivery, posted)
            if shown.may_be_seen:
                outcome = f"Posted in {target}."
                await self._remember(target, message, posted)

        try:
            refusal = await self._chats.between(address, post)
        finally:
            is_wanted = False  # its place in that chat may come after we have given up
        if refusal is not None:
            raise ToolFailed(refusal)
        if not outcome.startswith("Posted"):
            raise ToolFailed(outcome)
        return outcome

    async def _remember(self, chat: str, message: Inbound, posted: str) -> None:
        session = await self._host.store.current_session(chat)
        asked = f"[{_for(message)} They are in another chat: don't answer them here.]"
        pair = [{"role": "user", "content": asked}, {"role": "assistant", "content": posted}]
        await self._host.store.append_messages(session.id, pair)
        self._host.pool.drop(chat)  # its agent has to be told

    async def _theirs(self, message: Inbound) -> list[str]:
        person = person_key(message.address, message.sender)
        here = session_key(message.address)
        return [one for one in await self._host.sessions.chats_of(person) if one != here]

    async def _address(self, message: Inbound, target: str) -> Address:
        """Where that is, if the person may write there. Raises `ToolFailed`."""
        if target == session_key(message.address):
            raise ToolFailed("That is this chat: just answer.")
        address = address_of(target)
        is_theirs = target in await self._theirs(message)
        if address is None or not is_theirs or address.platform not in self._host.adapters:
            raise ToolFailed("There is no such chat of this person. list_chats shows them.")
        there = await self._host.standing(replace(message, address=address))
        if not there.may_talk:
            raise ToolFailed("This person may not write there any more.")
        return address

    async def _names(self, chat: str) -> list[str]:
        return list(await self._host.sessions.names_in(chat, _MAX_NAMES))


def _for(message: Inbound) -> str:
    return f"{plain_label(message.sender.name)} asked me to post this."
