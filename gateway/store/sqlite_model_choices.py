"""Which chat chose which model, in SQLite: a `ModelChoices` over the shared database."""

from gateway.store.connection import Database
from gateway.store.rows import storable


class SqliteModelChoices:
    """A `ModelChoices`."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def chosen(self, chat: str) -> str | None:
        """The label of the model that a chat has chosen; None if it has not."""
        rows = await self._database.rows(
            "SELECT label FROM chat_models WHERE chat = ?", (storable(chat),)
        )
        return next((str(label) for (label,) in rows), None)

    async def choose(self, chat: str, label: str | None) -> None:
        """Note a chat's choice; None takes it back."""
        async with self._database.writing() as connection:
            if label is None:
                await connection.execute(
                    "DELETE FROM chat_models WHERE chat = ?", (storable(chat),)
                )
                return
            await connection.execute(
                "INSERT INTO chat_models (chat, label) VALUES (?, ?) "
                "ON CONFLICT (chat) DO UPDATE SET label = excluded.label",
                (storable(chat), storable(label)),
            )
