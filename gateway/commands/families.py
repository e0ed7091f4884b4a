"""Every command there is, family by family: a new family is one more line here."""

from gateway.access.administration import Administration
from gateway.access.gate import Gate
from gateway.chats.directory import Chats
from gateway.chats.host import Host
from gateway.commands.access import access_commands
from gateway.commands.approvals import approval_commands
from gateway.commands.busy import busy_commands
from gateway.commands.chat import chat_commands
from gateway.commands.command import Command
from gateway.commands.data import data_commands
from gateway.commands.history import history_commands
from gateway.commands.models import model_commands
from gateway.commands.notes import note_commands
from gateway.commands.owner import Reasons, owner_commands
from gateway.commands.reload import reload_commands
from gateway.commands.schedule import schedule_commands
from gateway.commands.search import search_commands
from gateway.commands.sessions import session_commands
from gateway.reload import Reload
from gateway.schedule.book import Book
from gateway.store.sqlite import SqliteStore


def all_commands(
    host: Host,
    chats: Chats,
    store: SqliteStore,
    gate: Gate,
    administration: Administration,
    *,
    reasons: Reasons,
    book: Book | None,
    reload: Reload,
) -> list[Command]:
    """The commands of a gateway; those of the schedule only with a `book`."""
    return [
        *chat_commands(chats),
        *busy_commands(),
        *history_commands(),
        *session_commands(chats, host),
        *search_commands(host),
        *note_commands(chats, host),
        *data_commands(chats, host, store.people),
        *model_commands(host, store.usage),
        *access_commands(gate, administration, chats),
        *owner_commands(chats, host, store.people, gate, reasons),
        *approval_commands(host.questions, store.journal, store, store.approvals),
        *(schedule_commands(book) if book is not None else []),
        *reload_commands(reload),
    ]
