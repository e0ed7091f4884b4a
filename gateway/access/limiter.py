"""The buckets of all people and chats, in memory: after a restart everybody starts afresh."""

from collections import OrderedDict
from collections.abc import Callable
from itertools import islice

from adapters.base import PersonalEvent
from config.settings import AccessSettings
from gateway.access.rates import Bucket, Rate, Verdict, full, is_full, take
from gateway.access.roles import Role, Standing
from gateway.sessions import session_key

MAX_BUCKETS = 20_000
"""The oldest are forgotten first; most of them are full again by then."""

_Key = tuple[str, str, str]


class Limiter:
    """Rate limits for each person and each chat. `now_s` is a clock that only goes forward."""

    def __init__(self, settings: AccessSettings, now_s: Callable[[], float]) -> None:
        self._rates = (
            Rate(settings.user_messages_per_minute, settings.user_burst),
            Rate(settings.chat_messages_per_minute, settings.chat_burst),
        )
        self._limits_owners = settings.limit_owners
        self._now_s = now_s
        self._buckets: OrderedDict[_Key, Bucket] = OrderedDict()

    def admit(self, event: PersonalEvent, standing: Standing) -> Verdict:
        """Count an event, and say whether it is too many."""
        if standing.role is Role.OWNER and not self._limits_owners:
            return Verdict.TAKEN
        now_s = self._now_s()
        keys: tuple[_Key, _Key] = (
            ("user", event.address.platform, event.sender.id),
            ("chat", event.address.platform, session_key(event.address)),
        )
        before = tuple(
            self._buckets.pop(key) if key in self._buckets else full(rate, now_s)
            for key, rate in zip(keys, self._rates, strict=True)
        )
        after, verdict = take(before, self._rates, now_s)
        self._buckets.update(zip(keys, after, strict=True))
        self._forget(now_s)
        return verdict

    def _forget(self, now_s: float) -> None:
        """Drop the oldest buckets that are full again, and the oldest of all if there are too many.

        Each call adds two at most and looks at four, so what is full goes sooner than it comes.
        """
        for key in list(islice(self._buckets, 4)):
            rate = self._rates[0 if key[0] == "user" else 1]
            if is_full(self._buckets[key], rate, now_s):
                del self._buckets[key]
        while len(self._buckets) > MAX_BUCKETS:
            self._buckets.popitem(last=False)
