"""Commands about the chat's session: what it is, and how full."""

from agent_core.tokens import estimate_messages
from gateway.chats.directory import Chats
from gateway.chats.host import Host
from gateway.commands.command import Call, Command
from gateway.sessions import session_key


def session_commands(chats: Chats, host: Host) -> list[Command]:
    """/status."""

    async def status(call: Call) -> str:
        key = session_key(call.message.address)
        session = await host.store.current_session(key)
        history = await host.store.history(session.id)
        model = await host.models.of_chat(key)
        is_answering, waiting = chats.activity(key)
        tokens = estimate_messages(history)
        rows = [
            ("session", f"{session.id[:8]}, since {session.started_at[:16].replace('T', ' ')}"),
            ("model", f"{model.name} ({model.provider})"),
            ("history", f"{len(history):,} messages"),
            ("context", f"about {tokens:,} of {model.context_length:,} tokens"),
            ("now", now_text(is_answering, waiting)),
        ]
        return "\n".join(f"- {name}: {text}" for name, text in rows)

    return [Command("status", "show what this conversation is and what I am doing", status)]


def now_text(is_answering: bool, waiting: int) -> str:
    """What a chat is doing, in words."""
    doing = "I am writing an answer" if is_answering else "nothing runs"
    messages = "message waits" if waiting == 1 else "messages wait"
    return f"{doing}; {waiting} {messages}" if waiting else doing
