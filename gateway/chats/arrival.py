"""What happens when a message's turn comes, before anything of the chat is used.

The person is noted as one of the chat, and a session that has come of age ends.
"""

from datetime import datetime

import structlog

from adapters.base import Inbound
from gateway.chats.host import Host
from gateway.delivery.reply import say
from gateway.reset import decide_reset
from gateway.sessions import person_key, session_key
from gateway.store.sessions import Member
from gateway.titles import escaped, title_of

_log = structlog.get_logger()


async def arrive(host: Host, message: Inbound) -> None:
    """Note who is here; begin a new session if the policy says so, and say so.

    Raises `StoreError`.
    """
    chat, address = session_key(message.address), message.address
    person = person_key(address, message.sender)
    await host.sessions.note_member(Member(chat, person, message.sender.name))
    if (told := await _renew(host, chat)) is not None:
        await say(host.adapters[address.platform], address, host.delivery, told)


async def _renew(host: Host, chat: str) -> str | None:
    policy = host.reset_policy
    if policy is None:
        return None
    session = await host.sessions.info((await host.store.current_session(chat)).id)
    last_used = datetime.fromisoformat(session.updated_at)
    reset = decide_reset(last_used, policy, host.clock()) if session.messages else None
    if reset is None:
        return None
    await host.store.begin_session(chat, reset.reason)
    host.pool.drop(chat)
    await host.end_programs(chat)
    _log.info("session ended", reason=reset.reason, session=session.id)
    title = escaped(title_of(session))
    return f"*{reset.why}, so this is a new conversation. /resume goes on with “{title}”.*"
