"""Changing who may talk: what owners do in a chat, and administrators on the command line.

Each method does one thing to the store and says what came of it in one sentence. A gateway that
runs learns of it from the store's revision (`gate`), whichever process made the change.
"""

from collections.abc import Callable
from datetime import datetime
from functools import partial

from gateway.access import pairing
from gateway.access.claiming import CLAIM_LASTS
from gateway.access.codes import digest_of, new_claim_code
from gateway.access.roles import Role
from gateway.access.snapshot import GROUP, NOBODY, Access, Person
from gateway.store.access import AccessStore, Claim, Grant, GrantedRole, PairingRequest

Clock = Callable[[], datetime]


class Administration:
    """What may be changed while a gateway runs. All methods raise `StoreError`."""

    def __init__(self, store: AccessStore, known: Callable[[], Access], clock: Clock) -> None:
        self._store = store
        self._known = known  # with the settings as they are now; what is stored is read anew
        self._clock = clock

    async def access(self) -> Access:
        """Who may talk now."""
        return self._known().with_stored(await self._store.load())

    async def forget_the_old(self) -> None:
        """Drop pairing requests that are of no use any more."""
        await self._store.change_pairing(partial(pairing.without_old, now=self._clock()))

    async def issue_claim(self) -> str:
        """A new ownership code; the former one is good for nothing from now on."""
        code = new_claim_code()
        await self._store.put_claim(Claim(digest_of(code), self._clock() + CLAIM_LASTS))
        return code

    async def requests(self) -> str:
        """Who asks to be let in."""
        now = self._clock()
        stored = await self._store.pairing()
        rows = [_row(one, now) for one in pairing.open_requests(stored, now)]
        until = pairing.locked_until(stored.guard, now)
        if until is not None:
            rows.append(_locked_text(until))
        return "\n".join(rows) or "Nobody waits to be let in."

    async def settle(
        self, code: str, *, is_approved: bool, by: str
    ) -> tuple[PairingRequest | None, str]:
        """Approve or deny a request by its code; the request, if there is one, and what to say."""
        outcome = await self._store.change_pairing(
            lambda stored: pairing.settle(
                stored, code, self._clock(), is_approved=is_approved, by=by
            )
        )
        if outcome is None:
            return None, "No open request has this code. Codes are valid for one hour."
        if isinstance(outcome, pairing.Locked):
            return None, _locked_text(outcome.until)
        verdict = "may talk from now on" if is_approved else "was turned down"
        return outcome, f"{_name(outcome)} {verdict}."

    async def allow(self, person: Person, by: str) -> tuple[bool, str]:
        """Let a person in, by id; whether it was done."""
        refusal = await self._granted(person, "member", "/allow", by)
        return refusal is None, refusal or f"{_whom(person)} may talk from now on."

    async def block(self, person: Person, by: str) -> tuple[bool, str]:
        """Shut a person out, by id, whatever else lets them in; whether it was done."""
        refusal = await self._granted(person, "blocked", "/block", by)
        undoing = f"`/allow {person[0]}:{person[1]}` undoes it."
        return refusal is None, refusal or f"{_whom(person)} is blocked. {undoing}"

    async def _granted(self, person: Person, role: GrantedRole, how: str, by: str) -> str | None:
        """Give a person that role; why not, if it can't be."""
        access = await self.access()
        if owner_text := _owner_text(access, person):
            return owner_text
        platform, person_id = person
        if platform not in access.named:
            return _unknown_platform(platform, access)
        await self._put(Grant(platform, person_id, role, how, by, self._clock()))
        return None

    async def remove_owner(self, person: Person) -> str:
        """Take back an ownership that was claimed."""
        platform, person_id = person
        access = await self.access()
        if person_id in access.named.get(platform, NOBODY).owners:
            return f"{platform}:{person_id} is named in {platform}.owners: take it out there."
        grant = access.grants.get(person)
        if grant is None or grant.role != "owner":
            return f"{platform}:{person_id} is no owner."
        await self._store.remove_grant(platform, person_id)
        return f"{platform}:{person_id} is no owner any more."

    async def _put(self, grant: Grant) -> None:
        """Store a grant; what the person may have asked for is settled by it."""
        await self._store.change_pairing(partial(pairing.settled_by, grant=grant))


def parse_person(text: str, platform: str | None = None) -> Person | None:
    """A person as somebody types them: `telegram:42`, or `42` where the platform is known.

    A group is `telegram:chat:-100`, or `chat:-100`.
    """
    *words, one = text.strip().split(":")
    is_group = [word.lower() for word in words[-1:]] == [GROUP.rstrip(":")]
    names = words[:-1] if is_group else words
    if len(names) > 1:
        return None
    parts = (names[0].lower() if names else platform or "", one)
    if not all(part and part.isprintable() and " " not in part for part in parts):
        return None
    return parts[0], GROUP + one if is_group else one


def role_of(access: Access, person: Person) -> Role | None:
    """The role that somebody has everywhere on a platform; None if none is said."""
    named = access.named.get(person[0], NOBODY)
    grant = access.grants.get(person)
    if person[1] in named.owners or (grant is not None and grant.role == "owner"):
        return Role.OWNER
    if grant is not None:
        return Role[grant.role.upper()]
    return Role.MEMBER if person[1] in named.users | named.bots else None


def _owner_text(access: Access, person: Person) -> str | None:
    if role_of(access, person) is not Role.OWNER:
        return None
    return f"{person[0]}:{person[1]} is an owner, and stays one."


def _whom(person: Person) -> str:
    platform, one = person
    return f"Everybody in {platform}:{one}" if one.startswith(GROUP) else f"{platform}:{one}"


def _unknown_platform(platform: str, access: Access) -> str:
    known = ", ".join(name for name, named in access.named.items() if not named.is_local)
    return f"There is no platform {platform[:40]}. Known here: {known}."


def _row(one: PairingRequest, now: datetime) -> str:
    minutes = int((now - one.requested_at).total_seconds() // 60)
    when = "just now" if minutes == 0 else f"{minutes} min ago"
    return f"- {_name(one)}, {when}"


def _name(one: PairingRequest) -> str:
    return f"{one.platform}:{one.person_id} ({one.name})" if one.name else one.person_id


def _locked_text(until: datetime) -> str:
    at = until.astimezone()
    return f"Too many wrong codes: nothing can be approved or denied before {at:%H:%M}."
