"""Commands about the conversation as it runs: begin anew, stop."""

from gateway.chats.directory import Chats
from gateway.commands.command import Call, Command
from gateway.sessions import session_key


def chat_commands(chats: Chats) -> list[Command]:
    """/new and /stop."""

    async def new(call: Call) -> None:
        is_done = chats.reset(call.message.address)  # it says so itself, in its turn
        await is_done.wait()  # only then is the command noted as carried out

    async def stop(call: Call) -> str | None:
        # A stopped answer says so itself.
        is_stopped = chats.stop(session_key(call.message.address))
        return None if is_stopped else "There is nothing to stop."

    return [
        Command("new", "begin a new conversation; what I remember stays", new),
        Command("stop", "stop the answer that is being written", stop, is_counted=False),
    ]
