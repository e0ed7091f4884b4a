"""A growing text shown as a draft, where the platform has such a thing: no message, so nothing of
it is left behind whatever happens. Parts that are full go out as messages, which is `screen`'s.
"""

import secrets
from collections.abc import Sequence

from adapters.base import Adapter, Address, Part, ShowsDrafts
from gateway.delivery.gate import Gate

RENEWED_AFTER_S = 20.0
"""Telegram shows a draft for 30 seconds (Bot API, sendMessageDraft); tools and models may pause for
longer."""


class Draft:
    """The draft of one reply. A draft that failed half-way does no harm: the next one replaces it.

    `is_possible` turns false for good by `give_up`.
    """

    def __init__(self, adapter: Adapter, address: Address, gate: Gate) -> None:
        self._adapter = adapter if isinstance(adapter, ShowsDrafts) else None
        self._address = address
        self._gate = gate
        self._id = secrets.randbelow(2**31 - 1) + 1
        self._shown: Part | None = None
        self._is_fading = False
        self.is_possible = self._adapter is not None and self._adapter.can_draft(address)

    @property
    def is_shown(self) -> bool:
        """Whether there has been anything to see of it."""
        return self._shown is not None

    async def show(self, last: Sequence[Part]) -> float:
        """Show the part that grows, if there is one; see `Screen.preview` for what is returned.

        Raises `AdapterError`; `Rejected` means that it should be given up.
        """
        for part in last:
            if self._adapter is None or (part == self._shown and not self._is_fading):
                continue
            if wait_s := self._gate.try_enter(self._address):
                return wait_s
            await self._adapter.draft(self._address, self._id, part)
            self._shown, self._is_fading = part, False
        return 0

    def renew(self) -> None:
        """It is about to go: what is shown next is shown even if it is the same."""
        self._is_fading = True

    def give_up(self) -> None:
        """The text is shown by edits from now on."""
        self.is_possible = False
        self._shown = None
