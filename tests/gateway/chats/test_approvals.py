"""Leave that is asked for before a tool runs: who may give it, for how long, and what is no."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from adapters.base import ChatGone, Sender
from config.telegram import TelegramSettings
from config.tools import ToolSettings
from gateway.tools.tool import Approval, Arguments, Risk, ToolContext, tool, tools_of
from gateway.tools.toolbox import Toolbox
from tests.fakes.platform import ALICE, Screen
from tests.gateway.chats.small_gateway import SmallGateway, Start

BOB = Sender("2", "Bob")
ALICE_OWNS = TelegramSettings(owners=(1,), allowed_users=(2,), allowed_chats=(-100,))
ASK: dict[str, Any] = {"risks": {"execute": "ask"}}


class Machine:
    """Tools that do what has to be asked about."""

    def __init__(self) -> None:
        self.runs: list[str] = []

    async def _why(self, context: ToolContext, arguments: Arguments) -> Approval | None:
        what = arguments["what"]
        if what == "nothing":
            return None
        return Approval("blow", what.split()[0], f"`blow {what}`", always=what == "all up")

    @tool(risk=Risk.READ, approve=_why)
    async def blow(self, context: ToolContext, what: str) -> str:
        """Blows up."""
        self.runs.append(what)
        return f"{what} blew up"

    @tool(risk=Risk.EXECUTE)
    async def press(self, context: ToolContext, button: str) -> str:
        """Presses a button."""
        self.runs.append(button)
        return f"pressed {button}"

    @property
    def box(self) -> Toolbox:
        return Toolbox(tools_of(self, "own"))


@pytest.fixture
def machine() -> Machine:
    return Machine()


def results(gateway: SmallGateway) -> list[str]:
    messages = gateway.request()["messages"]
    return [message["content"] for message in messages if message["role"] == "tool"]


def is_asked(screen: Screen) -> bool:
    return bool(screen.buttons) and screen.last.startswith("**May I")


async def ask(
    gateway: SmallGateway,
    *calls: tuple[str, dict[str, Any]],
    sender: Sender = ALICE,
    chat: str | None = None,
    questions: int = 1,
) -> Screen:
    """A turn in which the model makes these calls, up to their questions."""
    gateway.model.enqueue(tool_calls=list(calls))
    gateway.model.enqueue(text="done")
    await gateway.platform.say("please", sender=sender, chat=chat)
    return await gateway.platform.until(
        lambda s: is_asked(s) and sum("May I" in text for text in s.texts) >= questions,
        chat or sender.id,
    )


def button(name: str = "red") -> tuple[str, dict[str, Any]]:
    return ("press", {"button": name})


async def done(gateway: SmallGateway, chat: str = "1") -> str:
    """The result of the latest call, once the turn is over."""
    await gateway.platform.until(lambda s: s.last == "done" and not s.buttons, chat)
    return results(gateway)[-1]


async def test_a_tool_runs_only_after_somebody_said_yes(start: Start, machine: Machine) -> None:
    async with start(toolbox=machine.box, tools=ASK, telegram=ALICE_OWNS) as gateway:
        screen = await ask(gateway, button())
        assert machine.runs == []
        assert [one.label for one in screen.buttons] == ["Once", "This session", "Always", "Deny"]
        assert '"button": "red"' in screen.last
        await gateway.platform.press("Once")
        assert await done(gateway) == "pressed red"
        await gateway.platform.until(lambda s: s.texts[0].endswith("→ Once"))


async def test_no_means_no_and_the_model_is_told(start: Start, machine: Machine) -> None:
    async with start(toolbox=machine.box, tools=ASK, telegram=ALICE_OWNS) as gateway:
        await ask(gateway, button())
        await gateway.platform.press("Deny")
        assert "somebody said no" in await done(gateway)
    assert machine.runs == []


async def test_silence_is_no(start: Start, machine: Machine) -> None:
    silent = {**ASK, "approvals": {"timeout_s": 0.05}}
    async with start(toolbox=machine.box, tools=silent, telegram=ALICE_OWNS) as gateway:
        gateway.model.enqueue(tool_calls=[button()])
        gateway.model.enqueue(text="done")
        await gateway.platform.say("please")
        assert "nobody answered in time" in await done(gateway)
        await gateway.platform.until(lambda s: "*Nobody answered in time.*" in s.texts[0])
    assert machine.runs == []


async def test_rules_that_are_read_again_while_a_question_is_open_hold_for_its_call(
    start: Start, machine: Machine
) -> None:
    async with start(toolbox=machine.box, tools=ASK, telegram=ALICE_OWNS) as gateway:
        await ask(gateway, button())
        strict = ToolSettings.model_validate({"rules": [{"deny": ["press"]}]})
        gateway.host.settings = gateway.host.settings.model_copy(update={"tools": strict})
        await gateway.platform.press("Once")
        assert "is not for the person who asks" in await done(gateway)
    assert machine.runs == []


async def test_what_can_not_be_shown_is_no(start: Start, machine: Machine) -> None:
    """Case 42."""
    async with start(toolbox=machine.box, tools=ASK, telegram=ALICE_OWNS) as gateway:
        gateway.model.enqueue(tool_calls=[button()])
        gateway.model.enqueue(text="done")
        gateway.platform.fail("send", ChatGone("for the moment"))
        await gateway.platform.say("please")
        assert "could not be shown" in await done(gateway)
    assert machine.runs == []


@pytest.mark.parametrize("text", ["yes", "Once", "1", "always", "approve"])
async def test_words_are_never_a_yes(start: Start, machine: Machine, text: str) -> None:
    async with start(toolbox=machine.box, tools=ASK, telegram=ALICE_OWNS) as gateway:
        await ask(gateway, button())
        await gateway.platform.say(text)
        gateway.model.enqueue(text="that was a message")
        await gateway.platform.press("Deny")
        await gateway.platform.until_shown("done", "that was a message")
    assert machine.runs == []


async def test_of_two_that_are_open_a_button_answers_its_own(
    start: Start, machine: Machine
) -> None:
    """Case 41."""
    async with start(toolbox=machine.box, tools=ASK, telegram=ALICE_OWNS) as gateway:
        screen = await ask(gateway, button("red"), button("green"), questions=2)
        red, green = (
            next(part for part in screen.messages.values() if f'"{name}"' in part.text)
            for name in ("red", "green")
        )
        deny = next(b for row in green.buttons for b in row if b.label == "Deny")
        once = next(b for row in red.buttons for b in row if b.label == "Once")
        await gateway.platform.press_data(deny.data)
        await gateway.platform.press_data(once.data)
        await done(gateway)
        first, second = results(gateway)
    assert first == "pressed red"
    assert "somebody said no" in second
    assert machine.runs == ["red"]


async def test_a_yes_for_the_session_ends_with_it(start: Start, machine: Machine) -> None:
    async with start(toolbox=machine.box, tools=ASK, telegram=ALICE_OWNS) as gateway:
        await ask(gateway, button("red"))
        await gateway.platform.press("This session")
        await done(gateway)
        gateway.model.enqueue(tool_calls=[button("green")])
        gateway.model.enqueue(text="not asked again")
        await gateway.platform.say("once more")
        await gateway.platform.until_shown("not asked again")
        await gateway.platform.say("/new")
        await gateway.platform.until(lambda s: "new conversation" in s.last)
        await ask(gateway, button("blue"))
        await gateway.platform.press("Deny")
        await done(gateway)
    assert machine.runs == ["red", "green"]


async def test_a_yes_for_good_holds_for_its_person_chat_and_pattern_alone(
    start: Start, machine: Machine
) -> None:
    async with start(toolbox=machine.box, telegram=ALICE_OWNS) as gateway:
        await ask(gateway, ("blow", {"what": "balloons red"}))
        await gateway.platform.press("Always")
        await done(gateway)
        await gateway.platform.say("/new")
        await gateway.platform.until(lambda s: "new conversation" in s.last)
        gateway.model.enqueue(tool_calls=[("blow", {"what": "balloons green"})])
        gateway.model.enqueue(text="not asked again")
        await gateway.platform.say("once more")
        await gateway.platform.until_shown("not asked again")
        await ask(gateway, ("blow", {"what": "whistles"}))
        await gateway.platform.press("Deny")
        await done(gateway)
        await ask(gateway, ("blow", {"what": "balloons"}), chat="-100")
        await gateway.platform.press("Deny", chat="-100")
        await done(gateway, "-100")
    assert machine.runs == ["balloons red", "balloons green"]


async def test_what_is_always_asked_can_not_be_approved_for_longer(
    start: Start, machine: Machine
) -> None:
    async with start(toolbox=machine.box, telegram=ALICE_OWNS) as gateway:
        screen = await ask(gateway, ("blow", {"what": "all up"}))
        assert [one.label for one in screen.buttons] == ["Once", "Deny"]
        assert "only once" in await command(gateway, "/approve always")
        await gateway.platform.press("Once")
        await done(gateway)


async def test_a_tool_may_find_that_nothing_has_to_be_asked(start: Start, machine: Machine) -> None:
    async with start(toolbox=machine.box, telegram=ALICE_OWNS) as gateway:
        gateway.model.enqueue(tool_calls=[("blow", {"what": "nothing"})])
        gateway.model.enqueue(text="done")
        await gateway.platform.say("please")
        assert await done(gateway) == "nothing blew up"


async def command(gateway: SmallGateway, text: str, sender: Sender = ALICE) -> str:
    """What a command in a direct chat is answered."""
    before = len(gateway.platform.screens[sender.id].texts)
    await gateway.platform.say(text, sender=sender)
    screen = await gateway.platform.until(lambda s: len(s.texts) > before, sender.id)
    return screen.last


async def test_a_member_can_not_approve_and_an_owner_can_from_anywhere(
    start: Start, machine: Machine
) -> None:
    async with start(toolbox=machine.box, tools=ASK, telegram=ALICE_OWNS) as gateway:
        screen = await ask(gateway, button(), sender=BOB)
        once = next(one for one in screen.buttons if one.label == "Once")
        code = screen.last.rpartition("/approve ")[2].partition("`")[0]
        notice = await gateway.platform.press_data(once.data, sender=BOB)
        assert notice == "Only an owner of this bot can say that."
        assert "Only an owner" in await command(gateway, "/approve", BOB)
        assert machine.runs == []
        assert code in await command(gateway, "/approvals")
        assert await command(gateway, f"/approve {code}") == "Approved."
        assert await done(gateway, "2") == "pressed red"
        await gateway.platform.until(lambda s: s.texts[0].endswith("→ Once (Alice)"), "2")


async def test_a_yes_without_an_id_is_none_for_what_came_up_in_the_place_of_another(
    start: Start, machine: Machine
) -> None:
    now = datetime(2031, 5, 6, 12, 0, tzinfo=UTC)
    given: dict[str, Any] = {"toolbox": machine.box, "tools": ASK, "telegram": ALICE_OWNS}
    async with start(**given, clock=lambda: now) as gateway:
        await ask(gateway, button("red"))
        await gateway.platform.press("Deny")
        await done(gateway)
        await ask(gateway, button("green"), questions=2)
        said = await command(gateway, "/approve")
        assert ("Another has just ended here" in said, machine.runs) == (True, [])
        assert await command(gateway, said.split("`")[1]) == "Approved."
        await gateway.platform.until(lambda s: s.texts.count("done") == 2)
        await ask(gateway, button("blue"), questions=3)
        now += timedelta(seconds=31)
        assert await command(gateway, "/approve") == "Approved."
        await gateway.platform.until(lambda s: s.texts.count("done") == 3)
    assert machine.runs == ["green", "blue"]


async def test_a_member_may_approve_in_their_own_chat_if_that_is_set(
    start: Start, machine: Machine
) -> None:
    lenient = {**ASK, "approvals": {"asker_may_approve": True}}
    async with start(toolbox=machine.box, tools=lenient, telegram=ALICE_OWNS) as gateway:
        await ask(gateway, button(), sender=BOB)
        await gateway.platform.press("Once", sender=BOB)
        assert await done(gateway, "2") == "pressed red"
        await ask(gateway, button("green"), sender=BOB, chat="-100")
        notice = await gateway.platform.press("Once", sender=BOB, chat="-100")
        assert notice == "Only an owner of this bot can say that."
        await gateway.platform.press("Deny", chat="-100")
        await done(gateway, "-100")
    assert machine.runs == ["red"]


async def test_an_approval_outlives_a_restart_and_so_does_its_answer(
    start: Start, machine: Machine
) -> None:
    async with start(toolbox=machine.box, tools=ASK, telegram=ALICE_OWNS) as first:
        screen = await ask(first, button())
        once = next(one for one in screen.buttons if one.label == "Once")
    assert machine.runs == []
    async with start(toolbox=machine.box, tools=ASK, telegram=ALICE_OWNS) as second:
        await second.platform.until(is_asked)
        second.model.enqueue(text="done")
        await second.platform.press_data(once.data)
        await second.platform.until(lambda s: s.last == "done")
        assert results(second)[-1] == "pressed red"
    assert machine.runs == ["red"]


async def test_an_approval_that_has_expired_while_the_gateway_was_down_is_no(
    start: Start, machine: Machine
) -> None:
    noon = datetime(2031, 5, 6, 12, 0, tzinfo=UTC)
    async with start(
        toolbox=machine.box, tools=ASK, telegram=ALICE_OWNS, clock=lambda: noon
    ) as first:
        await ask(first, button())
    later = noon + timedelta(hours=2)
    async with start(
        toolbox=machine.box, tools=ASK, telegram=ALICE_OWNS, clock=lambda: later
    ) as second:
        second.model.enqueue(text="done")
        await second.platform.until(lambda s: s.last == "done")
        assert "nobody answered in time" in results(second)[-1]
    assert machine.runs == []


async def test_stop_takes_the_question_back_and_nothing_runs(
    start: Start, machine: Machine
) -> None:
    async with start(toolbox=machine.box, tools=ASK, telegram=ALICE_OWNS) as gateway:
        screen = await ask(gateway, button())
        once = next(one for one in screen.buttons if one.label == "Once")
        await gateway.platform.say("/stop")
        await gateway.platform.until(lambda s: not s.buttons and len(s.texts) >= 2)
        notice = await gateway.platform.press_data(once.data)
        assert notice == "This question is no longer open."
    assert machine.runs == []


async def test_what_holds_for_longer_is_listed_and_can_be_revoked(
    start: Start, machine: Machine
) -> None:
    async with start(toolbox=machine.box, tools=ASK, telegram=ALICE_OWNS) as gateway:
        await ask(gateway, button())
        await command(gateway, "/approve always")
        await gateway.platform.until(lambda s: "done" in s.texts)
        listed = await command(gateway, "/approvals")
        assert "1. press: `press` for telegram:1 in telegram:dm:1" in listed
        assert "again from now on" in await command(gateway, "/approvals revoke 1")
        assert "There is no such" in await command(gateway, "/approvals revoke 1")
        await ask(gateway, button("green"))
        assert await command(gateway, "/deny") == "Denied."
        await gateway.platform.until(lambda s: s.texts.count("done") == 2)
    assert machine.runs == ["red"]


async def test_a_question_that_nobody_would_read_to_its_end_is_not_asked(
    start: Start, machine: Machine
) -> None:
    async with start(toolbox=machine.box, tools=ASK, telegram=ALICE_OWNS) as gateway:
        gateway.model.enqueue(tool_calls=[button("x" * 20_000)])
        gateway.model.enqueue(text="done")
        await gateway.platform.say("please")
        assert "too long to be read" in await done(gateway)
    assert machine.runs == []


async def test_owners_hear_of_what_only_they_can_approve(start: Start, machine: Machine) -> None:
    async with start(toolbox=machine.box, tools=ASK, telegram=ALICE_OWNS) as gateway:
        gateway.model.enqueue(text="hello")
        await gateway.platform.say("hi")
        await gateway.platform.until_shown("hello")
        await ask(gateway, button("green"), chat="-100")  # she sees that where she is
        await gateway.platform.press("Deny", chat="-100")
        await done(gateway, "-100")
        await ask(gateway, button(), sender=BOB)
        screen = await gateway.platform.until(lambda s: "May I use press" in s.last)
        assert "Bob asked me" in screen.last
        assert screen.last.endswith("(In telegram:dm:2.)")
        assert not screen.buttons
        assert sum("May I" in text for text in screen.texts) == 1
        await gateway.platform.say("/stop", sender=BOB)
        await gateway.chats.idle("telegram:dm:2")
    assert machine.runs == []


async def test_a_group_does_not_hear_what_other_chats_ask_leave_for(
    start: Start, machine: Machine
) -> None:
    async with start(toolbox=machine.box, tools=ASK, telegram=ALICE_OWNS) as gateway:
        await ask(gateway, button("secret"))
        await gateway.platform.say("/approvals", chat="-100")
        await gateway.platform.until_shown("Nothing waits for a yes here.", chat="-100")
        await gateway.platform.say("/approvals all", chat="-100")
        await gateway.platform.until(lambda s: "nobody reads along" in s.last, "-100")
        assert not any("secret" in text for text in gateway.platform.screens["-100"].texts)
        assert "secret" in await command(gateway, "/approvals")
