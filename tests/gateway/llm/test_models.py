"""A gateway's models over real HTTP and a real store: fallback, choice, budgets, the ledger."""

import asyncio
from collections.abc import AsyncIterator, Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import aiosqlite
import pytest

from config.models import ModelSettings
from config.settings import Settings
from gateway.llm.budgets import Caller
from gateway.llm.errors import ModelError
from gateway.llm.models import COMPRESS, Models
from gateway.llm.provider import ChatCompletion, ChatRequest, TextSink
from gateway.llm.providers import make_provider
from gateway.store.sqlite import FILE_NAME, SqliteStore
from gateway.store.usage import Usage
from tests.fakes import messages
from tests.fakes.messages import MessagesServer
from tests.fakes.model_server import KEY, ModelServer

Json = dict[str, Any]
Make = Callable[..., Models]

NOON = datetime(2031, 5, 6, 12, tzinfo=UTC)
ADA = Caller("telegram:dm:1", "telegram:1")
REQUEST: Json = {"model": "first", "messages": [{"role": "user", "content": "Hi"}]}


@pytest.fixture
async def spare() -> AsyncIterator[MessagesServer]:
    fake = MessagesServer()
    await fake.start()
    yield fake
    await fake.stop()


@pytest.fixture
async def store(tmp_path: Path) -> AsyncIterator[SqliteStore]:
    async with await SqliteStore.open(tmp_path / FILE_NAME, now=lambda: NOON) as opened:
        yield opened


@pytest.fixture
async def make(
    server: ModelServer, spare: MessagesServer, store: SqliteStore
) -> AsyncIterator[Make]:
    """Make the models of a gateway: `first` at one server, `spare` at the other."""
    made: list[Models] = []
    first = {
        "provider": "openai",
        "name": "first",
        "base_url": server.base_url,
        "api_key": KEY,
        "tries": 1,
        "price": {"input": 1_000, "output": 10_000},
    }
    second = {
        "provider": "anthropic",
        "name": "spare",
        "base_url": spare.base_url,
        "api_key": messages.KEY,
        "tries": 1,
        "temperature": 0.5,
    }

    def build(**changes: Any) -> Models:
        values: Json = {"model": first, "fallbacks": [second], **changes}
        settings = Settings.model_validate(values)
        made.append(
            Models(settings, usage=store.usage, choices=store.model_choices, clock=lambda: NOON)
        )
        return made[-1]

    yield build
    for models in made:
        await models.close()


@pytest.fixture
def rows(tmp_path: Path) -> Callable[[], Any]:
    """What stands in the ledger."""

    async def read() -> list[tuple[Any, ...]]:
        async with aiosqlite.connect(tmp_path / FILE_NAME) as connection:
            found = await connection.execute_fetchall(
                "SELECT provider, model, purpose, prompt_tokens, completion_tokens, outcome "
                "FROM model_calls ORDER BY id"
            )
            return [tuple(row) for row in found]

    return read


async def ask(models: Models, caller: Caller = ADA, **changes: Any) -> tuple[str, list[Any]]:
    shown: list[Any] = []
    completion = await models.complete(caller, REQUEST | changes, shown.append)
    return completion["choices"][0]["message"]["content"], shown


async def failure(models: Models, caller: Caller = ADA) -> ModelError:
    with pytest.raises(ModelError) as caught:
        await ask(models, caller)
    return caught.value


async def test_the_first_model_answers_and_is_noted(
    make: Make, server: ModelServer, rows: Callable[[], Any], store: SqliteStore
) -> None:
    server.enqueue("Hello")
    assert (await ask(make()))[0] == "Hello"
    assert await rows() == [("openai", "first", "turn", 12, 5, "ok")]
    used = await store.usage.usage("person", "telegram:1", "2031-05-06", "2031-05-06")
    assert used == Usage(1, 12, 0, 5, 0, used.cost)
    assert used.cost == pytest.approx(0.062)


@pytest.mark.parametrize("status", [401, 403, 404, 500, 429])
async def test_the_next_model_answers_when_one_can_not(
    status: int,
    make: Make,
    server: ModelServer,
    spare: MessagesServer,
    rows: Callable[[], Any],
) -> None:
    server.enqueue(status=status, body={"error": {"message": "no"}})
    spare.enqueue("Hello from here")
    assert (await ask(make()))[0] == "Hello from here"
    assert (spare.requests[0]["model"], spare.requests[0]["temperature"]) == ("spare", 0.5)
    outcomes = [(row[1], row[-1]) for row in await rows()]
    code = {429: "rate_limited", 500: "unavailable", 404: "not_found"}.get(status, "auth")
    assert outcomes == [("first", code), ("spare", "ok")]


async def test_another_key_of_the_same_model_stands_in_for_one_that_is_refused(
    make: Make, server: ModelServer
) -> None:
    same = {"provider": "openai", "name": "first", "base_url": server.base_url, "tries": 1}
    models = make(
        model={**same, "api_key": "sk-withdrawn"},
        fallbacks=[{**same, "api_key": KEY, "alias": "another key"}],
    )
    server.enqueue("Hello")
    assert (await ask(models))[0] == "Hello"
    keys = [one.headers["authorization"] for one in server.requests]
    assert keys == ["Bearer sk-withdrawn", f"Bearer {KEY}"]


@pytest.mark.parametrize(
    ("message", "code"),
    [("maximum context length is 10 tokens", "context_overflow"), ("No!", "bad_request")],
)
async def test_what_would_fail_everywhere_is_not_tried_elsewhere(
    message: str, code: str, make: Make, server: ModelServer, spare: MessagesServer
) -> None:
    server.enqueue(status=400, body={"error": {"message": message}})
    assert (await failure(make())).code == code
    assert spare.requests == []


async def test_half_an_answer_is_taken_back_before_the_next_model_speaks(
    make: Make, server: ModelServer, spare: MessagesServer
) -> None:
    server.enqueue("This will never be finished", cut_after=3)
    spare.enqueue("A whole answer")
    text, shown = await ask(make())
    cut = shown.index(None)
    assert "This will never be finished".startswith("".join(shown[:cut]))
    assert cut > 0
    assert "".join(shown[cut + 1 :]) == text == "A whole answer"


async def test_the_last_models_failure_is_the_calls(
    make: Make, server: ModelServer, spare: MessagesServer
) -> None:
    server.enqueue(status=500, body={})
    spare.refuse(529, "Overloaded")
    assert (await failure(make())).status == 529


async def test_a_model_that_was_rate_limited_is_left_alone(
    make: Make, server: ModelServer, spare: MessagesServer
) -> None:
    models = make()
    server.enqueue(status=429, body={"error": {"message": "slow down"}})
    for text in ("one", "two"):
        spare.enqueue(text)
        assert (await ask(models))[0] == text
    assert len(server.requests) == 1


async def test_a_chat_has_the_model_that_it_chose(
    make: Make, server: ModelServer, spare: MessagesServer
) -> None:
    models = make()
    assert models.labels() == ["first", "spare"]
    await models.choose(ADA.chat, "spare")
    assert (await models.of_chat(ADA.chat)).name == "spare"
    assert (await models.of_chat("telegram:dm:2")).name == "first"
    spare.enqueue("Here")
    assert (await ask(models))[0] == "Here"
    await models.choose(ADA.chat, "first")
    server.enqueue("There")
    assert (await ask(models))[0] == "There"


async def test_a_choice_that_is_no_longer_configured_is_none(
    make: Make, store: SqliteStore
) -> None:
    await store.model_choices.choose(ADA.chat, "gone")
    assert (await make().of_chat(ADA.chat)).name == "first"


async def test_a_summary_goes_to_the_cheaper_model_and_back_if_that_is_too_small(
    make: Make, server: ModelServer, spare: MessagesServer, rows: Callable[[], Any]
) -> None:
    cheap = {
        "provider": "anthropic",
        "name": "cheap",
        "base_url": spare.base_url,
        "api_key": messages.KEY,
        "tries": 1,
    }
    models = make(compress_model=cheap, fallbacks=[])
    caller = Caller(ADA.chat, ADA.person, COMPRESS)
    spare.enqueue("In short.")
    assert (await ask(models, caller))[0] == "In short."
    spare.refuse(400, "prompt is too long: 9 tokens > 8 maximum")
    server.enqueue("In short, again.")
    assert (await ask(models, caller))[0] == "In short, again."
    server.enqueue("A turn.")
    assert (await ask(models))[0] == "A turn."
    assert [(row[1], row[2]) for row in await rows()] == [
        ("cheap", "compress"),
        ("cheap", "compress"),
        ("first", "compress"),
        ("first", "turn"),
    ]


async def test_over_budget_no_call_is_made(
    make: Make, server: ModelServer, spare: MessagesServer, rows: Callable[[], Any]
) -> None:
    models = make(budgets={"tokens_per_user": 1_010})
    server.enqueue("Hello")
    await ask(models)
    error = await failure(models)
    assert (error.code, error.message) == (
        "budget",
        "Your budget for today is used up. There is more at midnight, in 12 h.",
    )
    assert (len(server.requests), spare.requests, len(await rows())) == (1, [], 1)
    server.enqueue("Hello, Bob")
    assert (await ask(models, Caller("telegram:dm:2", "telegram:2")))[0] == "Hello, Bob"


async def test_the_ledger_of_the_day_is_remembered_by_the_next_process(
    make: Make, server: ModelServer
) -> None:
    server.enqueue("Hello")
    await ask(make(budgets={"cost_per_chat": 11}))
    assert (await failure(make(budgets={"cost_per_chat": 10.06}))).code == "budget"


async def test_two_calls_can_not_both_have_the_last_of_a_budget(
    make: Make, server: ModelServer
) -> None:
    models = make(budgets={"tokens_per_chat": 1_500})
    server.enqueue("Hello")
    answers = await asyncio.gather(ask(models), ask(models), return_exceptions=True)
    assert [type(answer) for answer in answers] == [tuple, ModelError]
    assert len(server.requests) == 1


async def test_a_call_that_is_cut_off_is_noted_with_what_was_read(
    make: Make, server: ModelServer, rows: Callable[[], Any]
) -> None:
    script = server.enqueue("Hello", gated=True)
    call = asyncio.ensure_future(ask(make()))
    await script.started.wait()
    call.cancel()
    with pytest.raises(asyncio.CancelledError):
        await call
    assert await rows() == [("openai", "first", "turn", 5, 0, "cancelled")]


async def test_an_answer_is_not_lost_because_it_can_not_be_noted(
    make: Make, server: ModelServer, store: SqliteStore
) -> None:
    models = make(fallbacks=[])
    await store.close()
    server.enqueue("Hello")
    assert (await ask(models))[0] == "Hello"


async def test_other_settings_hold_for_new_calls_and_those_under_way_end_by_the_old(
    make: Make, server: ModelServer
) -> None:
    models = make()
    new = "renamed"
    settings = Settings.model_validate(
        {
            "model": {
                "provider": "openai",
                "name": new,
                "base_url": server.base_url,
                "api_key": KEY,
            },
            "budgets": {"tokens_per_user": 1_000_000},
        }
    )
    slow = server.enqueue("the old one", gated=True)
    asking = asyncio.create_task(ask(models))
    await slow.started.wait()
    await models.apply(settings)
    assert models.labels() == [new]
    server.enqueue("the new one")
    assert (await ask(models))[0] == "the new one"
    assert server.requests[-1].body["model"] == new
    slow.release(20)
    assert (await asking)[0] == "the old one"


async def test_a_budget_that_is_set_later_holds_for_what_was_used_before(
    make: Make, server: ModelServer
) -> None:
    models = make(fallbacks=())
    server.enqueue("Hello")
    await ask(models)
    at_server = {"provider": "openai", "name": "first", "base_url": server.base_url, "api_key": KEY}
    await models.apply(
        Settings.model_validate({"model": at_server, "budgets": {"tokens_per_user": 1}})
    )
    assert (await failure(models)).code == "budget"


class Closing:
    """A real provider that tells when it is closed."""

    def __init__(self, model: ModelSettings, closed: list[str]) -> None:
        self.name = model.name
        self._provider = make_provider(model)
        self._closed = closed

    async def complete(self, request: ChatRequest, on_text: TextSink) -> ChatCompletion:
        return await self._provider.complete(request, on_text)

    async def close(self) -> None:
        self._closed.append(self.name)
        await self._provider.close()


async def test_a_provider_is_closed_once_nothing_goes_by_it_any_more(
    server: ModelServer, store: SqliteStore
) -> None:
    closed: list[str] = []
    at_server = {"provider": "openai", "base_url": server.base_url, "api_key": KEY}

    def settings(first: str) -> Settings:
        names = {"model": {**at_server, "name": first}, "models": [{**at_server, "name": "both"}]}
        return Settings.model_validate(names)

    models = Models(
        settings("old"),
        usage=store.usage,
        choices=store.model_choices,
        clock=lambda: NOON,
        make=lambda model: Closing(model, closed),
    )
    slow = server.enqueue("the old one", gated=True)
    asking = asyncio.create_task(ask(models))
    await slow.started.wait()
    await models.apply(settings("new"))
    assert closed == []
    slow.release(20)
    await asking
    assert closed == ["old"]
    await models.close()
    assert sorted(closed) == ["both", "new", "old"]
