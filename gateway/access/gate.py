"""The gate: what every event passes before anything else is done with it.

Keeps the snapshot of who may talk up to date, meets those who may not (silence, an ownership code,
a pairing code), and counts what those who may send. Nothing that a stranger writes is kept.
"""

import time
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import datetime
from functools import partial

import structlog

from adapters.base import Address, ChatKind, Inbound, PersonalEvent, Sender
from config.settings import Settings
from gateway.access import pairing
from gateway.access.claiming import Tries, Try, attempt, is_open
from gateway.access.codes import digest_of, has_claim_shape, new_pairing_code
from gateway.access.limiter import Limiter
from gateway.access.rates import Verdict
from gateway.access.roles import Role, Standing
from gateway.access.snapshot import Access, access_from, standing_of
from gateway.metrics import Metrics
from gateway.store.access import AccessStore, Grant, PairingRequest
from gateway.store.errors import StoreError

MAX_STRANGERS = 1_000
"""So many strangers are remembered as having been logged; the log is not theirs to fill."""

MAX_NAME_CHARS = 40

WELCOME_OWNER = "You are an owner of this gateway now. /help lists what you may do."
WRONG_CODE = "That is not the code. `hermes-gateway owner` shows a new one."
WELCOME = "You may talk to me now. /help lists what I can do."

_log = structlog.get_logger()


@dataclass(frozen=True, slots=True)
class Entry:
    """What the gate says to an event."""

    standing: Standing
    is_open: bool
    text: str | None = None  # what to say to whoever finds it shut
    asked: PairingRequest | None = None  # they have asked to be let in, this very moment


class Gate:
    """Who comes in. `load` it before the first event."""

    def __init__(
        self,
        store: AccessStore,
        settings: Settings,
        clock: Callable[[], datetime],
        now_s: Callable[[], float] = time.monotonic,
        metrics: Metrics | None = None,
    ) -> None:
        self.access: Access = access_from(settings)
        self._store = store
        self._clock = clock
        self._now_s = now_s
        self._metrics = metrics or Metrics()
        self._limiter = Limiter(settings.access, now_s)
        self._revision: int | None = None
        self._tries = Tries()
        self._strangers: OrderedDict[tuple[str, str], None] = OrderedDict()

    def reconfigure(self, settings: Settings) -> None:
        """Go by other settings from now on. Who was counted before is counted afresh."""
        before = self.access
        self.access = replace(
            access_from(settings), grants=before.grants, claim=before.claim, former=before.former
        )
        self._limiter = Limiter(settings.access, self._now_s)

    async def load(self) -> None:
        """Take over what is stored, if it has changed. Raises `StoreError`."""
        if await self._store.revision() != self._revision:
            stored = await self._store.load()
            if self._revision is None or stored.revision > self._revision:  # else: overtaken
                self.access = self.access.with_stored(stored)
                self._revision = stored.revision

    async def meet(self, event: PersonalEvent) -> Entry:
        """Say whether an event comes in, by what is stored at this moment."""
        standing = await self.standing(event)
        outcome = "taken" if standing.may_talk else str(standing.role)
        self._metrics.event_met(event.address.platform, outcome)
        if isinstance(event, Inbound) and self._is_claim(event, standing):
            return Entry(standing, False, await self._try_claim(event))
        if standing.may_talk:
            return Entry(standing, True)
        return await self._turn_away(event, standing)

    def may_talk(self, address: Address, sender: Sender) -> bool:
        """Whether somebody may talk somewhere, by what was last known."""
        return standing_of(self.access, address, sender).may_talk

    def is_welcome(self, address: Address, sender: Sender) -> bool:
        """Whether nobody has thrown somebody out who once could talk, by what was last known.

        Of those no roles need be known, in which they may have come in.
        """
        return standing_of(self.access, address, sender).role is not Role.BLOCKED

    async def standing(self, event: PersonalEvent) -> Standing:
        """What the sender of an event may do where they sent it."""
        return await self.standing_at(event.address, event.sender)

    async def standing_at(self, address: Address, sender: Sender) -> Standing:
        """What somebody may do somewhere."""
        try:
            await self.load()
        except StoreError as error:  # what was known a moment ago is the best that is known
            _log.error("who may talk could not be read anew", exc_info=error)
        return standing_of(self.access, address, sender)

    async def may_answer(self, message: Inbound) -> bool:
        """Whether a message that has waited may still be answered."""
        return (await self.standing(message)).may_talk

    def admit(self, event: PersonalEvent, standing: Standing) -> Verdict:
        """Whether somebody who may talk has not sent too much."""
        verdict = self._limiter.admit(event, standing)
        if verdict is not Verdict.TAKEN:
            self._metrics.event_met(event.address.platform, "too_much")
        if verdict is Verdict.REFUSED:
            _log.warning(
                "too many messages", platform=event.address.platform, user_id=event.sender.id
            )
        return verdict

    def _is_claim(self, message: Inbound, standing: Standing) -> bool:
        """Members may become owners, too; a group reads along, so nothing is claimed there."""
        return (
            message.address.kind is ChatKind.DIRECT
            and not message.sender.is_bot
            and standing.role in {Role.STRANGER, Role.MEMBER}
            and is_open(self.access.claim, self._clock())
            and has_claim_shape(message.text)
        )

    async def _try_claim(self, message: Inbound) -> str | None:
        claim = self.access.claim
        if claim is None:
            return None
        platform, person_id = message.address.platform, message.sender.id
        self._tries, result = attempt(
            self._tries, claim, (platform, person_id), message.text.strip()
        )
        who = {"platform": platform, "user_id": person_id}
        if result is Try.RIGHT:
            grant = Grant(platform, person_id, "owner", "claim", "the code", self._clock())
            is_owner = await self._store.spend_claim(claim, grant)
            await self.load()
            _log.warning("ownership claimed" if is_owner else "a spent code was tried", **who)
            return WELCOME_OWNER if is_owner else WRONG_CODE
        _log.warning("a wrong ownership code", **who)
        if result is Try.LAST:
            await self._store.put_claim(None)
            _log.error("too many wrong codes; `hermes-gateway owner` prints a new one")
        return WRONG_CODE if result is Try.WRONG else None

    async def _turn_away(self, event: PersonalEvent, standing: Standing) -> Entry:
        """What somebody hears who may not talk: mostly nothing, as if nobody were there."""
        shut = Entry(standing, False)
        if standing.role is Role.BLOCKED or event.sender.is_bot:
            return shut
        self._note_stranger(event)
        is_direct = event.address.kind is ChatKind.DIRECT
        if not isinstance(event, Inbound) or not is_direct or self.access.strangers != "pair":
            return shut
        code = new_pairing_code()
        asked = PairingRequest(
            platform=event.address.platform,
            person_id=event.sender.id,
            chat_id=event.address.chat_id,
            name=plain_name(event.sender.name),
            code=digest_of(code),
            requested_at=self._clock(),
        )
        if event.address.platform not in self.access.named:
            return shut
        is_asked = await self._store.change_pairing(partial(pairing.request, asked=asked))
        if not is_asked:
            return shut
        return replace(shut, text=pairing_text(code, event.sender.id), asked=asked)

    def _note_stranger(self, event: PersonalEvent) -> None:
        """One line for each stranger, with the id that the administrator needs to let them in."""
        if isinstance(event, Inbound) and not event.is_addressed:
            return
        stranger = event.address.platform, event.sender.id
        if stranger in self._strangers:
            return
        self._strangers[stranger] = None
        if len(self._strangers) > MAX_STRANGERS:
            self._strangers.popitem(last=False)
        is_group = event.address.kind is ChatKind.GROUP
        _log.warning(
            "a stranger was turned away; to let them in, add the id to allowed_users",
            platform=event.address.platform,
            user_id=event.sender.id,
            name=plain_name(event.sender.name),
            **({"chat_id": event.address.chat_id} if is_group else {}),
        )


def plain_name(name: str) -> str:
    """What somebody calls themselves, fit to be shown to others: letters, digits and little else.

    A name may be anything, and an owner reads it in a text of ours: no marks, no second line.
    """
    kept = "".join(c if c.isalnum() or c in " .-'" else " " for c in name)
    return " ".join(kept.split())[:MAX_NAME_CHARS]


def request_text(asked: PairingRequest) -> str:
    """What owners are told: the code is for them to ask for, so that they know who it is."""
    name = asked.name or "Somebody"
    return (
        f"{name} ({asked.platform}:{asked.person_id}) asks to be let in, and was given a code. If "
        "you know them, let them tell you the code and send `/pair approve CODE`; `/pair list` "
        "shows who waits."
    )


def pairing_text(code: str, person_id: str) -> str:
    """What a stranger is told who may be let in."""
    return (
        f"I don't know you yet. Give this code to whoever runs this bot: `{code}` (your id is "
        f"{person_id}). It is valid for one hour. I keep nothing of what you write until then."
    )
