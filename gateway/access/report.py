"""Who may talk and why, in words: for the banner and for `hermes-gateway check`. Pure."""

from collections.abc import Iterator

from gateway.access.snapshot import GROUP, NOBODY, Access, reason_of

_STRANGERS = {"ignore": "strangers are ignored", "pair": "strangers may ask with a code"}


def summary(access: Access, platform: str) -> str:
    """One line, e.g. `1 owner and 2 members may talk; strangers are ignored`."""
    named = access.named.get(platform, NOBODY)
    if named.is_local:
        return "whoever uses this terminal may talk"
    by_role = {role: set[str]() for role in ("owner", "member", "blocked")}
    for (there, person_id), grant in access.grants.items():
        if there == platform:
            by_role[grant.role].add(person_id)
    groups = {one for one in by_role["member"] if one.startswith(GROUP)}
    by_role["member"] -= groups
    owners = by_role["owner"] | named.owners
    members = (by_role["member"] | named.users | named.bots) - owners - by_role["blocked"]
    counts = (
        (len(owners), "owner"),
        (len(members), "member"),
        (len(named.roles), "role"),
        (len(named.groups | {one.removeprefix(GROUP) for one in groups}), "group"),
    )
    words = [f"{n} {word}{'s' * (n != 1)}" for n, word in counts if n]
    who = " and ".join(filter(None, [", ".join(words[:-1]), *words[-1:]])) or "nobody yet"
    return f"{who} may talk; {_STRANGERS[access.strangers]}"


def people(access: Access, platform: str) -> Iterator[tuple[str, str]]:
    """Everybody who is named or was granted something: who, and as what and why."""
    named = access.named.get(platform, NOBODY)
    grants = {
        person: grant for (there, person), grant in access.grants.items() if there == platform
    }
    for person_id in sorted(named.owners):
        yield f"{platform}:{person_id}", f"owner ({platform}.owners)"
    for person_id, grant in grants.items():
        if person_id not in named.owners:
            yield f"{platform}:{person_id}", f"{grant.role} ({reason_of(grant)})"
    others = (
        (named.users, "member", "allowed_users"),
        (named.bots, "member, a bot", "allowed_bots"),
        (named.roles, "everybody with this role", "allowed_roles"),
        (named.groups, "everybody in this group", "allowed_chats"),
    )
    for ids, word, setting in others:
        for one in sorted(ids):
            is_said = one in named.owners or (one in grants and grants[one].role != "member")
            if not is_said:
                yield f"{platform}:{one}", f"{word} ({platform}.{setting})"


def claim_text(code: str) -> str:
    """What is shown on the terminal, and nowhere else, of an ownership code."""
    return (
        "To own this gateway, send the bot this code in a direct chat. It works once, within a "
        f"day; `hermes-gateway owner` shows a new one.\n\n    {code}\n"
    )
