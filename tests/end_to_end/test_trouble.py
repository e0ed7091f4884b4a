"""When the model's server is in trouble: one honest message, and nobody else notices."""

import json

import pytest

from config.settings import Settings
from tests.end_to_end.serving import MakeSettings, Serve
from tests.fakes.model_server import ModelServer
from tests.fakes.telegram import FakeTelegram, Person

Two = tuple[Person, Person, Settings]


@pytest.fixture
def two(telegram: FakeTelegram, ada: Person, make_settings: MakeSettings) -> Two:
    """Two people, and settings in which both may talk."""
    bob = telegram.people.person("Bob")
    users = {"allowed_users": (ada.id, bob.id)}
    return ada, bob, make_settings(model={"idle_timeout_s": 1}, telegram=users)


@pytest.mark.parametrize(
    "trouble",
    [
        {"raw": [], "then": "hang"},
        {"text": "half of an answer, and then", "cut_after": 3},
        {"body": "<html><body>Bad Gateway</body></html>", "status": 502},
        {"body": {"error": {"message": "The engine is overloaded", "type": "server_error"}}},
    ],
    ids=["hangs", "half a stream", "HTML", "an error object"],
)
async def test_one_chat_is_told_and_the_other_is_answered(
    telegram: FakeTelegram, model: ModelServer, serve: Serve, two: Two, trouble: dict[str, object]
) -> None:
    ada, bob, settings = two
    async with serve(settings):
        failing = model.enqueue(**trouble)  # type: ignore[arg-type]
        telegram.people.say(ada, "hello?")
        await failing.started.wait()
        model.enqueue(text="hello Bob")
        telegram.people.say(bob, "hello")
        await telegram.wait_for(lambda: [m.text for m in telegram.replies(bob)] == ["hello Bob"])
        await telegram.wait_for(
            lambda: [m.labels for m in telegram.replies(ada)] == [["Try again"]]
        )
        (told,) = telegram.replies(ada)
        assert "<" not in told.text
        model.enqueue(text="all is well again")
        telegram.people.say(ada, "and now?")
        await telegram.wait_for(lambda: telegram.replies(ada)[-1].text == "all is well again")
    assert len(telegram.replies(ada)) == 2


def huge_call() -> dict[str, object]:
    """A tool call whose arguments take long to read, in one event of a stream."""
    todos = [{"id": str(n), "content": "x" * 100, "status": "pending"} for n in range(30_000)]
    function = {"name": "todo", "arguments": json.dumps({"todos": todos})}
    delta = {"tool_calls": [{"index": 0, "id": "c1", "function": function}]}
    return {"choices": [{"index": 0, "delta": delta, "finish_reason": "tool_calls"}]}


async def test_an_agent_without_time_is_replaced_and_the_chat_goes_on(
    telegram: FakeTelegram,
    model: ModelServer,
    ada: Person,
    make_settings: MakeSettings,
    serve: Serve,
) -> None:
    """Real Wasm, really out of time: a step that has to read too much for the time it gets."""
    settings = make_settings(runtime={"step_timeout_s": 0.05})
    async with serve(settings):
        model.enqueue(text="hello Ada")
        telegram.people.say(ada, "hello")
        await telegram.wait_for(lambda: [m.text for m in telegram.replies(ada)] == ["hello Ada"])
        model.enqueue(raw=[huge_call()])
        telegram.people.say(ada, "say a lot")
        await telegram.wait_for(
            lambda: any("lost my thread" in m.text for m in telegram.replies(ada)), timeout_s=40
        )
        model.enqueue(text="here again")
        telegram.people.say(ada, "still there?")
        await telegram.wait_for(
            lambda: telegram.replies(ada)[-1].text == "here again", timeout_s=40
        )
