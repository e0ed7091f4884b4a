"""What lasts as long as the process, and is kept out of the garbage collector's way."""

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def lasting() -> Iterator[None]:
    """Have no collection look at what is alive by now; it can be garbage again afterwards.

    A full collection looks at every object there is, every few hundred turns, and all chats wait
    for it. The modules of a gateway alone are 150,000 objects, a tenth of a second. To be opened
    when all is made and nothing has been served.
    """
    gc.freeze()
    try:
        yield
    finally:
        gc.unfreeze()
