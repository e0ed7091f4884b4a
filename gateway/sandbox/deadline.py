"""Asks somebody at each tick of an engine's clock whether a program may go on.

wasmtime has this in its C API, wasmtime-py binds it and has no Python for it yet; all use of its
private parts is in this file. A plain deadline would not do: it can't be moved while the program
runs, and what a program waits for a tool is not its own time.
"""

import ctypes
from collections.abc import Callable
from typing import Any

import wasmtime
from wasmtime import _bindings as c

_CALLBACK = c._wasmtime_store_epoch_deadline_callback.argtypes[1]
_FINALIZER = c._wasmtime_store_epoch_deadline_callback.argtypes[3]
_Number = Any  # a pointer to an integer, whose type ctypes has at run time only
_CONTINUE = 0  # WASMTIME_UPDATE_DEADLINE_CONTINUE
_ENDED = b"the program may not go on"


class TickCallback:
    """One function for all stores, which has to know by itself whose turn it is.

    It stays for as long as any store that it was set for: the engine holds no reference.
    """

    def __init__(self, may_go_on: Callable[[], bool]) -> None:
        def tick(_context: object, _data: object, delta: _Number, kind: _Number) -> int:
            if not may_go_on():
                error = c.wasmtime_error_new(_ENDED)
                return ctypes.cast(error, ctypes.c_void_p).value or 0
            delta[0] = 1
            kind[0] = _CONTINUE
            return 0

        self._tick = _CALLBACK(tick)
        self._nothing = _FINALIZER(0)

    def set_for(self, store: wasmtime.Store) -> None:
        """From here on `store` asks at each tick; the next one is the first."""
        c.wasmtime_store_epoch_deadline_callback(store.ptr(), self._tick, None, self._nothing)
        store.set_epoch_deadline(1)
