"""The HTTP API: a table of calls, each with its bucket and what it does to the world."""

import re
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from tests.fakes.discord.checks import Refused, check_commands, check_files, check_message
from tests.fakes.discord.world import Channel, Json, Message, new_id, now

if TYPE_CHECKING:
    from tests.fakes.discord.server import FakeDiscord

SUPPRESS_EMBEDS, EPHEMERAL = 1 << 2, 1 << 6


@dataclass(frozen=True, slots=True)
class Upload:
    """A file of a multipart request."""

    field: str  # `files[n]`
    name: str
    content: bytes


@dataclass(frozen=True)
class Call:
    """One request."""

    method: str
    path: str
    found: Mapping[str, str]
    query: Mapping[str, str]
    body: Any = None
    files: Sequence[Upload] = ()

    def number(self, name: str) -> int:
        """An id in the path."""
        return int(self.found[name])


Answer = tuple[int, Any]
Do = Callable[["FakeDiscord", Call], Awaitable[Answer]]


async def me(fake: "FakeDiscord", _: Call) -> Answer:
    return 200, fake.bot.payload()


async def application(fake: "FakeDiscord", _: Call) -> Answer:
    return 200, fake.application()


async def gateway_bot(fake: "FakeDiscord", _: Call) -> Answer:
    limit = {"total": 1000, "remaining": 999, "reset_after": 1, "max_concurrency": 1}
    return 200, {"url": fake.gateway_url, "shards": fake.shards, "session_start_limit": limit}


async def get_channel(fake: "FakeDiscord", call: Call) -> Answer:
    return 200, fake.channel(call.number("channel")).payload()


async def history(fake: "FakeDiscord", call: Call) -> Answer:
    before = int(call.query.get("before", 1 << 63))
    shown = [one for one in fake.channel(call.number("channel")).shown() if one.id < before]
    newest = sorted(shown, key=lambda one: -one.id)[: int(call.query.get("limit", 50))]
    return 200, [one.payload() for one in newest]


async def get_message(fake: "FakeDiscord", call: Call) -> Answer:
    return 200, _message(fake, call).payload()


async def create(fake: "FakeDiscord", call: Call) -> Answer:
    channel = fake.channel(call.number("channel"))
    check_message(call.body, has_files=bool(call.files))
    check_files(call.body, {one.field: len(one.content) for one in call.files})
    nonce = call.body.get("nonce")
    known = fake.nonces.get((channel.id, nonce)) if call.body.get("enforce_nonce") else None
    if known is not None:
        return 200, known.payload()
    message = await fake.post(channel, fake.bot, _fields(fake, call))
    if nonce is not None:
        fake.nonces[channel.id, nonce] = message
    return 200, message.payload()


async def edit(fake: "FakeDiscord", call: Call) -> Answer:
    message = _message(fake, call)
    if message.author is not fake.bot:
        raise Refused(403, 50005, "Cannot edit a message authored by another user")
    return 200, await change(fake, message, call)


async def change(fake: "FakeDiscord", message: Message, call: Call) -> Json:
    fields = {**message.fields, **_fields(fake, call)}
    check_message(fields, has_files=bool(fields.get("attachments")))
    message.fields = {**fields, "edited_timestamp": now()}
    message.versions.append(message.text)
    await fake.emit("MESSAGE_UPDATE", message.payload())
    return message.payload()


async def delete(fake: "FakeDiscord", call: Call) -> Answer:
    await fake.remove(_message(fake, call))
    return 204, None


async def typing(fake: "FakeDiscord", call: Call) -> Answer:
    fake.channel(call.number("channel"))
    fake.typings += 1
    return 204, None


async def react(fake: "FakeDiscord", call: Call) -> Answer:
    reaction = (call.found["emoji"], fake.bot.id)
    reactions = _message(fake, call).reactions
    if call.method == "PUT" and reaction not in reactions:
        reactions.append(reaction)
    elif call.method == "DELETE" and reaction in reactions:
        reactions.remove(reaction)
    return 204, None


async def begin_thread(fake: "FakeDiscord", call: Call) -> Answer:
    parent, message = fake.channel(call.number("channel")), _message(fake, call)
    thread = Channel(call.body["name"], parent.guild, parent, id=message.id)
    fake.channels[thread.id] = thread
    if parent.guild is not None:
        parent.guild.channels.append(thread)
    member = {
        "user_id": str(fake.bot.id),
        "id": str(thread.id),
        "join_timestamp": now(),
        "flags": 0,
    }
    await fake.emit("THREAD_CREATE", {**thread.payload(), "newly_created": True, "member": member})
    await fake.post(parent, fake.bot, {"content": thread.name, "type": 18})
    return 201, {**thread.payload(), "member": member}


async def commands(fake: "FakeDiscord", call: Call) -> Answer:
    place = call.found.get("guild", "")
    if call.method == "GET":
        return 200, fake.commands.get(place, [])
    check_commands(_as_list(call.body))
    made = [{**one, "id": str(new_id()), "version": "1"} for one in _as_list(call.body)]
    if call.method == "PUT":
        fake.commands[place] = made
        return 200, made
    names = {one["name"] for one in made}
    kept = [one for one in fake.commands.get(place, []) if one["name"] not in names]
    fake.commands[place] = [*kept, *made]
    return 200, made[0]


async def callback(fake: "FakeDiscord", call: Call) -> Answer:
    interaction = fake.interactions.answered(call.found["token"])
    if interaction.kind is not None:
        raise Refused(400, 40060, "Interaction has already been acknowledged.")
    if interaction.is_late():
        raise Refused(404, 10062, "Unknown interaction")
    interaction.kind = call.body["type"]
    interaction.data = call.body.get("data") or {}
    if interaction.kind == 4:
        is_private = bool(interaction.data.get("flags", 0) & EPHEMERAL)
        await fake.post(interaction.channel, fake.bot, interaction.data, is_private=is_private)
    return 200, {"interaction": {"id": str(new_id()), "type": interaction.kind}}


async def follow_up(fake: "FakeDiscord", call: Call) -> Answer:
    interaction = fake.interactions.answered(call.found["token"])
    if interaction.is_over():
        raise Refused(401, 50027, "Invalid Webhook Token")
    check_message(call.body, has_files=bool(call.files))
    check_files(call.body, {one.field: len(one.content) for one in call.files})
    flags = int((interaction.data or {}).get("flags", 0) | call.body.get("flags", 0))
    message = await fake.post(
        interaction.channel, fake.bot, _fields(fake, call), is_private=bool(flags & EPHEMERAL)
    )
    interaction.messages.append(message)
    return 200, message.payload()


async def change_follow_up(fake: "FakeDiscord", call: Call) -> Answer:
    interaction = fake.interactions.answered(call.found["token"])
    if interaction.is_over():
        raise Refused(401, 50027, "Invalid Webhook Token")
    if call.found["message"] == "@original":
        interaction.is_cleared = call.method == "DELETE"
        return 204, None
    message = interaction.channel.find(call.number("message"))
    if message is None:
        raise Refused(404, 10008, "Unknown Message")
    if call.method == "DELETE":
        await fake.remove(message)
        return 204, None
    return 200, await change(fake, message, call)


CHANNEL = r"/channels/(?P<channel>\d+)"
MESSAGE = rf"{CHANNEL}/messages/(?P<message>\d+)"
COMMANDS = r"/applications/\d+(?:/guilds/(?P<guild>\d+))?/commands"
WEBHOOK = r"/webhooks/\d+/(?P<token>[^/]+)"

CALLS: tuple[tuple[str, str, str, Do], ...] = (
    ("GET", r"/users/@me", "me", me),
    ("GET", r"/oauth2/applications/@me", "application", application),
    ("GET", r"/gateway/bot", "gateway", gateway_bot),
    ("GET", CHANNEL, "channel", get_channel),
    ("GET", rf"{CHANNEL}/messages", "history", history),
    ("POST", rf"{CHANNEL}/messages", "create", create),
    ("GET", MESSAGE, "message", get_message),
    ("PATCH", MESSAGE, "edit", edit),
    ("DELETE", MESSAGE, "delete", delete),
    ("POST", rf"{CHANNEL}/typing", "typing", typing),
    ("POST", rf"{MESSAGE}/threads", "thread", begin_thread),
    ("PUT|DELETE", rf"{MESSAGE}/reactions/(?P<emoji>[^/]+)/@me", "react", react),
    ("GET|PUT|POST", COMMANDS, "commands", commands),
    ("POST", r"/interactions/\d+/(?P<token>[^/]+)/callback", "callback", callback),
    ("POST", WEBHOOK, "follow-up", follow_up),
    ("PATCH|DELETE", rf"{WEBHOOK}/messages/(?P<message>[^/]+)", "follow-up-edit", change_follow_up),
)

FREE = frozenset({"callback", "follow-up", "follow-up-edit"})  # of the limit for all


def find(method: str, path: str) -> tuple[str, Do, Mapping[str, str]]:
    """The call of a path: its kind, what it does, and the ids in the path."""
    for methods, pattern, kind, do in CALLS:
        match = re.fullmatch(pattern, path)
        if match and method in methods.split("|"):
            return kind, do, {k: v for k, v in match.groupdict().items() if v is not None}
    raise Refused(404, 0, f"404: Not Found ({method} {path} is no part of this fake)")


def _message(fake: "FakeDiscord", call: Call) -> Message:
    message = fake.channel(call.number("channel")).find(call.number("message"))
    if message is None:
        raise Refused(404, 10008, "Unknown Message")
    return message


def _fields(fake: "FakeDiscord", call: Call) -> Json:
    names = ("content", "embeds", "components", "flags")
    fields: Json = {name: call.body[name] for name in names if name in call.body}
    if "attachments" in call.body or call.files:
        said = {f"files[{one['id']}]": one for one in call.body.get("attachments") or ()}
        fields["attachments"] = [
            fake.store_file(one.name, one.content, said.get(one.field, {}).get("description"))
            for one in call.files
        ]
    if call.body.get("message_reference"):
        fields["message_reference"] = call.body["message_reference"]
    return fields


def _as_list(body: Any) -> list[Json]:
    return body if isinstance(body, list) else [body]
