"""A chat that nothing can be said in any more: its jobs rest, and whoever made them is told."""

from adapters.base import Inbound
from gateway.access.snapshot import Access
from gateway.chats.directory import Chats
from gateway.schedule.book import Book
from gateway.schedule.wording import resting_text
from gateway.sessions import session_key


async def chat_gone(book: Book, chats: Chats, access: Access, message: Inbound) -> None:
    """Let the jobs of a message's chat rest. Raises `StoreError`.

    Whoever made one is told in their direct chat; if that is what is gone, the owners are.
    """
    gone, platform = session_key(message.address), message.address.platform
    for job in await book.chat_gone(message):
        told = resting_text(job)
        if not await chats.tell_person(platform, job.made.owner_id, told, but_not_in=gone):
            await chats.tell_owners(access, told, platform)
