"""Commands about one's own data: have it, have it deleted. In direct chats only."""

import asyncio

from adapters.base import ChatKind
from gateway.chats.directory import Chats
from gateway.chats.host import Host
from gateway.commands.command import Call, Command
from gateway.exporting import as_markdown, files_of
from gateway.sessions import is_direct, person_key
from gateway.store.people import PeopleStore

MAX_SHOWN_CHARS = 12_000
"""What is more than a few messages on a phone is not for a chat."""

ONLY_ALONE = "Ask me that in our direct chat: here, others read along."
CONFIRM = (
    "This deletes our conversations with their files, my notes about you, and the texts of what "
    "you wrote in groups. It can't be undone; /export shows it first. If you mean it, write "
    "`/forget yes`."
)


def data_commands(chats: Chats, host: Host, people: PeopleStore) -> list[Command]:
    """/export and /forget."""

    async def export(call: Call) -> str:
        if call.message.address.kind is not ChatKind.DIRECT:
            return ONLY_ALONE
        person = person_key(call.message.address, call.message.sender)
        data = await people.data_of(person)
        text = as_markdown(data, await asyncio.to_thread(files_of, data, host.workspaces))
        if len(text) <= MAX_SHOWN_CHARS:
            return text
        return (
            f"That is {len(text):,} characters, too much for a chat. Whoever runs me can give you "
            f"all of it as a file: `hermes-gateway export {person}`."
        )

    async def forget(call: Call) -> str | None:
        address = call.message.address
        if address.kind is not ChatKind.DIRECT:
            return ONLY_ALONE
        if call.arguments.lower() != "yes":
            return CONFIRM

        async def carry_out() -> str:
            forgotten = await people.forget(person_key(address, call.message.sender))
            for chat in forgotten.chats:
                host.pool.drop(chat)
                await host.end_programs(chat)
                if is_direct(chat):  # a group's files are the group's
                    await asyncio.to_thread(host.workspaces.remove, chat)
            return (
                f"Forgotten: {forgotten.sessions:,} conversations and {forgotten.messages:,} "
                "messages, and my notes about you."
            )

        return await chats.between(address, carry_out, is_stopping=True)

    return [
        Command("export", "show all that I have stored about you", export, is_private=True),
        Command(
            "forget",
            "delete all that I have stored about you",
            forget,
            argument="confirmation",
            is_private=True,
        ),
    ]
