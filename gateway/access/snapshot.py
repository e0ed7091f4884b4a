"""Who may talk, as it stands at one moment, and the one decision over it. Pure.

Default deny. Ids are the platforms' own, as text; names never count. The rules stand in a table:
the first that has something to say decides, so its order is the precedence.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from adapters.base import Address, ChatKind, Sender
from config.platform import PlatformSettings
from config.section import StrangerPolicy
from config.settings import Settings
from gateway.access.roles import Role, Standing
from gateway.store.access import Claim, Grant, StoredAccess

Person = tuple[str, str]
"""A platform's name, and the id of a person there, or of a group with `GROUP` before it."""

GROUP = "chat:"


@dataclass(frozen=True, slots=True)
class Named:
    """Whom the settings of one platform name."""

    owners: frozenset[str] = frozenset()
    users: frozenset[str] = frozenset()  # may talk anywhere
    roles: frozenset[str] = frozenset()  # whoever has one may talk where it counts
    groups: frozenset[str] = frozenset()  # chats in which everybody may talk
    bots: frozenset[str] = frozenset()  # the only bots that are heard
    is_local: bool = False  # whoever sits at the machine already has all that it gives


NOBODY = Named()


@dataclass(frozen=True, slots=True)
class Access:
    """Everything that decides who may talk."""

    named: Mapping[str, Named]
    strangers: StrangerPolicy = "ignore"
    grants: Mapping[Person, Grant] = field(default_factory=dict)
    claim: Claim | None = None
    # What groups were called before they got their present ids: the settings may still say that.
    former: Mapping[Person, frozenset[str]] = field(default_factory=dict)

    def with_stored(self, stored: StoredAccess) -> "Access":
        """The same settings, with what is stored now."""
        grants = {(grant.platform, grant.person_id): grant for grant in stored.grants}
        former: dict[Person, frozenset[str]] = {}
        for platform, chat_id, before in stored.moves:
            known = former.get((platform, chat_id), frozenset())
            former[platform, chat_id] = known | {before}
        return replace(self, grants=grants, claim=stored.claim, former=former)

    def has_owner(self, platform: str) -> bool:
        """Whether somebody could approve anything there."""
        named = self.named.get(platform, NOBODY)
        return (
            named.is_local
            or bool(named.owners)
            or any(
                grant.role == "owner" and grant.platform == platform
                for grant in self.grants.values()
            )
        )

    def owners(self) -> list[Person]:
        """Everybody who may say who else may talk."""
        named = [(name, one) for name, these in self.named.items() for one in sorted(these.owners)]
        granted = [person for person, grant in self.grants.items() if grant.role == "owner"]
        return list(dict.fromkeys((*named, *granted)))


def access_from(settings: Settings) -> Access:
    """What the settings alone say. A platform that is not here lets nobody in."""
    named = {
        "console": Named(is_local=True),
        "telegram": _named(settings.telegram),
        "discord": _named(settings.discord, settings.discord.allowed_roles),
    }
    has_allowlist = any(one.users or one.roles or one.groups for one in named.values())
    chosen = settings.access.strangers
    return Access(named, chosen or ("ignore" if has_allowlist else "pair"))


def standing_of(access: Access, address: Address, sender: Sender) -> Standing:
    """What this sender may do in this chat."""
    for rule in _RULES:
        standing = rule(access, address, sender)
        if standing is not None:
            return standing
    return Standing(Role.STRANGER, "nothing that names you")


def _named(section: PlatformSettings, roles: Sequence[int] = ()) -> Named:
    def texts(ids: Sequence[int]) -> frozenset[str]:
        return frozenset(map(str, ids))

    return Named(
        owners=texts(section.owners),
        users=texts(section.allowed_users),
        roles=texts(roles),
        groups=texts(section.allowed_chats),
        bots=texts(section.allowed_bots),
    )


def _local(access: Access, address: Address, _: Sender) -> Standing | None:
    is_local = _here(access, address).is_local
    return Standing(Role.OWNER, "this terminal") if is_local else None


def _bot(access: Access, address: Address, sender: Sender) -> Standing | None:
    """Two bots can keep each other talking for ever, so a bot needs more than a group's leave."""
    if not sender.is_bot:
        return None
    if sender.id in _here(access, address).bots:
        return _blocked(access, address, sender) or Standing(
            Role.MEMBER, f"{address.platform}.allowed_bots"
        )
    return Standing(Role.STRANGER, "being a bot")


def _named_owner(access: Access, address: Address, sender: Sender) -> Standing | None:
    if sender.id in _here(access, address).owners:
        return Standing(Role.OWNER, f"{address.platform}.owners")
    return None


def _blocked(access: Access, address: Address, sender: Sender) -> Standing | None:
    return _granted(access, address, sender, Role.BLOCKED)


def _granted_owner(access: Access, address: Address, sender: Sender) -> Standing | None:
    return _granted(access, address, sender, Role.OWNER)


def _named_user(access: Access, address: Address, sender: Sender) -> Standing | None:
    if sender.id in _here(access, address).users:
        return Standing(Role.MEMBER, f"{address.platform}.allowed_users")
    return None


def _granted_member(access: Access, address: Address, sender: Sender) -> Standing | None:
    return _granted(access, address, sender, Role.MEMBER)


def _role(access: Access, address: Address, sender: Sender) -> Standing | None:
    if _here(access, address).roles.intersection(sender.roles):
        return Standing(Role.MEMBER, f"{address.platform}.allowed_roles")
    return None


def _blocked_group(access: Access, address: Address, _: Sender) -> Standing | None:
    return _granted_group(access, address, Role.BLOCKED)


def _open_group(access: Access, address: Address, _: Sender) -> Standing | None:
    groups = _here(access, address).groups
    former = access.former.get((address.platform, address.chat_id), frozenset())
    if address.kind is ChatKind.GROUP and groups & {address.chat_id, *former}:
        return Standing(Role.MEMBER, f"{address.platform}.allowed_chats")
    return _granted_group(access, address, Role.MEMBER)


_RULES: tuple[Callable[[Access, Address, Sender], Standing | None], ...] = (
    _local,
    _bot,
    _named_owner,
    _granted_owner,
    _blocked,  # beats everything but an owner, …
    _blocked_group,  # … and so does this
    _named_user,
    _granted_member,
    _role,
    _open_group,
)


def _here(access: Access, address: Address) -> Named:
    return access.named.get(address.platform, NOBODY)


def _granted(access: Access, address: Address, sender: Sender, role: Role) -> Standing | None:
    grant = access.grants.get((address.platform, sender.id))
    if grant is None or grant.role != str(role):
        return None
    return Standing(role, reason_of(grant))


def _granted_group(access: Access, address: Address, role: Role) -> Standing | None:
    if address.kind is not ChatKind.GROUP:
        return None
    grant = access.grants.get((address.platform, GROUP + address.chat_id))
    return Standing(role, reason_of(grant)) if grant and grant.role == str(role) else None


def reason_of(grant: Grant) -> str:
    """Where a grant comes from, in words."""
    words = {"claim": "the ownership code", "pairing": "a pairing code"}
    by = "" if grant.source == "claim" else f" by {grant.granted_by}"
    return f"{words.get(grant.source, grant.source)}{by}, {grant.granted_at:%Y-%m-%d}"
