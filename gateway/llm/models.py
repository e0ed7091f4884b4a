"""The models of a gateway: which one a chat has, and a call of it with all that belongs to it.

A call is checked against the budgets, goes to the chat's model and on to the fallbacks, and each
model that was asked gets a row in the ledger. How one model is asked is its provider's business.
"""

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import datetime

import structlog

from config.settings import ModelSettings, Settings
from gateway.llm.budgets import Budgets, Caller, Reservation, Spent
from gateway.llm.errors import ModelError
from gateway.llm.fallback import Link, falls_through, fitted, note_failure, order
from gateway.llm.provider import ChatCompletion, ChatRequest, Provider, TextSink
from gateway.llm.providers import make_provider
from gateway.llm.usage import Tokens, cost, estimate_prompt, expected, tokens_of
from gateway.store.errors import StoreError
from gateway.store.model_choices import ModelChoices
from gateway.store.usage import ModelCall, UsageStore

COMPRESS = "compress"
"""The purpose of calls that may go to a cheaper model."""

_log = structlog.get_logger()


@dataclass(frozen=True, slots=True)
class _Call:
    """A call under way."""

    caller: Caller
    asked: ModelSettings  # whom the request was made for
    request: ChatRequest
    reservation: Reservation


class Models:
    """All models that are configured. Safe for any number of calls at once."""

    def __init__(
        self,
        settings: Settings,
        *,
        usage: UsageStore,
        choices: ModelChoices,
        clock: Callable[[], datetime],
        make: Callable[[ModelSettings], Provider] = make_provider,
    ) -> None:
        self._usage = usage
        self._choices = choices
        self._clock = clock
        self._budgets = Budgets(settings.budgets, usage, clock)
        self._primary = Link(settings.model, make(settings.model))
        self._fallbacks = [Link(model, make(model)) for model in settings.fallbacks]
        others = [Link(model, make(model)) for model in settings.models]
        self._by_label = {
            link.settings.label: link for link in (self._primary, *self._fallbacks, *others)
        }
        self._summariser: Link | None = None
        if settings.compress_model is not None:
            self._summariser = Link(settings.compress_model, make(settings.compress_model))

    def labels(self) -> list[str]:
        """What a chat can choose, in the order of the settings; the first is what it has if not."""
        return list(self._by_label)

    async def of_chat(self, chat: str) -> ModelSettings:
        """The model that a chat has. Raises `StoreError`."""
        return (await self._link_of(chat)).settings

    async def choose(self, chat: str, label: str | None) -> None:
        """Give a chat the model of that label; None the first one. Raises `StoreError`."""
        await self._choices.choose(chat, None if label == self._primary.settings.label else label)

    async def complete(
        self, caller: Caller, request: ChatRequest, on_text: TextSink
    ) -> ChatCompletion:
        """Ask the chat's model, or whoever stands in for it.

        Text that was shown before a model failed is taken back with `on_text(None)`. Raises
        `ModelError` and `StoreError`.
        """
        asked = await self._link_of(caller.chat)
        links = [asked, *(link for link in self._fallbacks if link is not asked)]
        if caller.purpose == COMPRESS and self._summariser is not None:
            links.insert(0, self._summariser)
        async with self._reserved(caller, request, links[0].settings) as reservation:
            call = _Call(caller, asked.settings, request, reservation)
            return await self._ask_in_turn(call, links, on_text)

    async def close(self) -> None:
        """Close all providers."""
        for link in self._by_label.values():
            await link.provider.close()
        if self._summariser is not None:
            await self._summariser.provider.close()

    async def _link_of(self, chat: str) -> Link:
        label = await self._choices.chosen(chat) if len(self._by_label) > 1 else None
        # A choice that the settings no longer know is none.
        return self._by_label.get(label or "", self._primary)

    @asynccontextmanager
    async def _reserved(
        self, caller: Caller, request: ChatRequest, model: ModelSettings
    ) -> AsyncIterator[Reservation]:
        amount = Spent()
        if self._budgets.are_set:
            tokens = expected(request)
            amount = Spent(tokens.total, cost(tokens, model.price))
        reservation = await self._budgets.reserve(caller, amount)
        try:
            yield reservation
        finally:
            reservation.settle()

    async def _ask_in_turn(
        self, call: _Call, links: Sequence[Link], on_text: TextSink
    ) -> ChatCompletion:
        now = asyncio.get_running_loop().time
        has_shown = False

        def show(text: str | None) -> None:
            nonlocal has_shown
            has_shown = text is not None
            on_text(text)

        links = order(links, now())
        for link in links:
            if has_shown:
                show(None)
            try:
                return await self._ask(call, link, show)
            except ModelError as error:
                note_failure(link, error, now())
                is_summariser = link is self._summariser
                if link is links[-1] or not falls_through(error, is_summariser=is_summariser):
                    raise
                _log.warning("asking the next model", failed=link.settings.label, code=error.code)
        raise AssertionError("there is always a last link, and it returns or raises")

    async def _ask(self, call: _Call, link: Link, show: TextSink) -> ChatCompletion:
        """Ask one model, and note what came of it."""
        request = fitted(call.request, call.asked, link.settings)
        outcome, tokens = "ok", Tokens()
        try:
            completion = await link.provider.complete(request, show)
            tokens = tokens_of(completion, request)
        except ModelError as error:
            outcome = error.code
            raise
        except asyncio.CancelledError:
            # What was read has to be paid for; what was written by then, nobody knows.
            outcome, tokens = "cancelled", Tokens(prompt=estimate_prompt(request))
            raise
        finally:
            await self._note(call, link.settings, tokens, outcome)
        return completion

    async def _note(self, call: _Call, model: ModelSettings, tokens: Tokens, outcome: str) -> None:
        price = cost(tokens, model.price)
        call.reservation.spend(Spent(tokens.total, price))
        row = ModelCall(
            day=self._clock().date().isoformat(),
            chat=call.caller.chat,
            person=call.caller.person,
            provider=model.provider,
            model=model.name,
            purpose=call.caller.purpose,
            prompt_tokens=tokens.prompt,
            cached_tokens=tokens.cached,
            completion_tokens=tokens.completion,
            reasoning_tokens=tokens.reasoning,
            cost=price,
            outcome=outcome,
        )
        try:
            await self._usage.record(row)
        except StoreError as error:
            # The answer is there and paid for: that it can't be noted is no reason to lose it.
            _log.error("model call not in the ledger", error=str(error))
