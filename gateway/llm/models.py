"""The models of a gateway: which one a chat has, and a call of it with all that belongs to it.

A call is checked against the budgets, goes to the chat's model and on to the fallbacks, and each
model that was asked gets a row in the ledger. How one model is asked is its provider's business.
"""

import asyncio
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import datetime

import structlog

from config.models import ModelSettings
from config.settings import Settings
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
    summariser: Link | None


@dataclass(slots=True)
class _Lineup:
    """The models that the settings name at one time, and how many calls go by them."""

    primary: Link
    fallbacks: Sequence[Link]
    by_label: Mapping[str, Link]
    summariser: Link | None
    calls: int = 0

    def links(self) -> list[Link]:
        """All of them."""
        named = [self.primary, *self.fallbacks, *self.by_label.values()]
        return named if self.summariser is None else [*named, self.summariser]


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
        self._make = make
        self._lineup = self._lined_up(settings, [])
        self._former: list[_Lineup] = []

    async def apply(self, settings: Settings) -> None:
        """Go by other settings from now on; calls under way end by the old ones."""
        self._former.append(self._lineup)
        self._lineup = self._lined_up(settings, self._lineup.links())
        self._budgets.apply(settings.budgets)
        await self._close_unused()

    def labels(self) -> list[str]:
        """What a chat can choose, in the order of the settings; the first is what it has if not."""
        return list(self._lineup.by_label)

    async def of_chat(self, chat: str) -> ModelSettings:
        """The model that a chat has. Raises `StoreError`."""
        return (await self._link_of(chat, self._lineup)).settings

    async def choose(self, chat: str, label: str | None) -> None:
        """Give a chat the model of that label; None the first one. Raises `StoreError`."""
        first = self._lineup.primary.settings.label
        await self._choices.choose(chat, None if label == first else label)

    async def complete(
        self, caller: Caller, request: ChatRequest, on_text: TextSink
    ) -> ChatCompletion:
        """Ask the chat's model, or whoever stands in for it.

        Text that was shown before a model failed is taken back with `on_text(None)`. Raises
        `ModelError` and `StoreError`.
        """
        async with self._used_lineup() as lineup:
            asked = await self._link_of(caller.chat, lineup)
            links = [asked, *(link for link in lineup.fallbacks if link is not asked)]
            if caller.purpose == COMPRESS and lineup.summariser is not None:
                links.insert(0, lineup.summariser)
            async with self._reserved(caller, request, links[0].settings) as reservation:
                call = _Call(caller, asked.settings, request, reservation, lineup.summariser)
                return await self._ask_in_turn(call, links, on_text)

    async def close(self) -> None:
        """Close all providers."""
        for link in _distinct([self._lineup, *self._former]):
            await link.provider.close()

    def _lined_up(self, settings: Settings, known: Sequence[Link]) -> _Lineup:
        """The models of some settings. One that is known keeps its connections, and its rest."""
        left = {id(link): link for link in known}

        def link_to(model: ModelSettings) -> Link:
            same = next((link for link in left.values() if link.settings == model), None)
            if same is None:
                return Link(model, self._make(model))
            return left.pop(id(same))

        primary = link_to(settings.model)
        fallbacks = [link_to(model) for model in settings.fallbacks]
        others = [link_to(model) for model in settings.models]
        by_label = {link.settings.label: link for link in (primary, *fallbacks, *others)}
        summariser = None
        if settings.compress_model is not None:
            summariser = link_to(settings.compress_model)
        return _Lineup(primary, fallbacks, by_label, summariser)

    @asynccontextmanager
    async def _used_lineup(self) -> AsyncIterator[_Lineup]:
        """What holds at this moment, kept open for as long as it is used."""
        lineup = self._lineup
        lineup.calls += 1
        try:
            yield lineup
        finally:
            lineup.calls -= 1
            if lineup is not self._lineup:
                await self._close_unused()

    async def _close_unused(self) -> None:
        unused = [lineup for lineup in self._former if not lineup.calls]
        self._former = [lineup for lineup in self._former if lineup.calls]
        kept = {id(link) for link in _distinct([self._lineup, *self._former])}
        for link in _distinct(unused):
            if id(link) not in kept:
                await link.provider.close()

    async def _link_of(self, chat: str, lineup: _Lineup) -> Link:
        label = await self._choices.chosen(chat) if len(lineup.by_label) > 1 else None
        # A choice that the settings no longer know is none.
        return lineup.by_label.get(label or "", lineup.primary)

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
                is_summariser = link is call.summariser
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


def _distinct(lineups: Sequence[_Lineup]) -> list[Link]:
    """All links of some lineups, each once."""
    return list({id(link): link for lineup in lineups for link in lineup.links()}.values())
