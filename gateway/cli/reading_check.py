"""What `hermes-gateway check` says of reading: a text is read, and how its reader is shut in."""

import platform

from config.settings import Settings
from gateway import seccomp
from gateway.errors import StartupError
from gateway.reading.errors import ReadingError
from gateway.reading.readers import Readers
from gateway.reading.shutting import landlock_version
from gateway.reading.source import Source


async def reading_works(_settings: Settings) -> str:
    """Whether a text can be read here. Raises `StartupError` if it can't."""
    readers = Readers(1)
    try:
        await readers.read(Source("", "text/plain", content=b"Cats purr."))
    except ReadingError as error:
        raise StartupError(f"Pages and documents can't be read: {error}") from error
    finally:
        await readers.close()
    missing = [name for name, is_here in _means() if not is_here]
    if not missing:
        return "pages and documents are read apart, without files and network"
    return f"pages and documents are read apart; not held there by {' and '.join(missing)}"


def _means() -> list[tuple[str, bool]]:
    return [
        ("Landlock (Linux 5.13)", landlock_version() > 0),
        ("a filter of system calls", seccomp.reading_program(platform.machine()) is not None),
    ]
