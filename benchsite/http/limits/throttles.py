"""How often somebody may ask: all limits of a request are counted in one round trip to Redis.

A request counts once, and once more for each quarter of a second that its answer takes: what such an answer took last
is counted before the view is called, so that what begins together is not free, and the difference afterwards.
"""

import time
from collections.abc import Iterator
from itertools import chain, repeat
from typing import Any, NamedTuple

from django.core.cache import cache
from django.http import HttpRequest
from rest_framework.throttling import SimpleRateThrottle

PREPAID = "benchsite.prepaid_units"  # in META: what such an answer took last
_CHARGES = "benchsite.charges"  # in META: to what the answer is charged

# A list for each limit: the times of what was counted within its duration, the newest first. A request is counted by
# every limit that allows it. Of a limit that does not: when the last of those was counted that must expire first.
_COUNT = """
local answers = {}
for i, key in ipairs(KEYS) do
  local limit, seconds, units = tonumber(ARGV[3 * i - 1]), tonumber(ARGV[3 * i]), tonumber(ARGV[3 * i + 1])
  local oldest = redis.call('LINDEX', key, -1)
  while oldest and tonumber(oldest) <= tonumber(ARGV[1]) - seconds do
    redis.call('RPOP', key)
    oldest = redis.call('LINDEX', key, -1)
  end
  local excess = redis.call('LLEN', key) + units - limit
  if excess <= 0 then
    for _ = 1, units do redis.call('LPUSH', key, ARGV[1]) end
    redis.call('EXPIRE', key, seconds)
    answers[i] = ''
  else
    answers[i] = redis.call('LINDEX', key, -excess) or ARGV[1]
  end
end
return answers
"""
_SETTLE = """
local more = tonumber(ARGV[3])
if more > 0 then
  for _ = 1, more do redis.call('LPUSH', KEYS[1], ARGV[1]) end
  redis.call('EXPIRE', KEYS[1], ARGV[2])
else
  redis.call('LREM', KEYS[1], -more, ARGV[1])
end
"""


class Limit(NamedTuple):
    """So many requests in so many seconds, of the caller in the key."""

    key: str
    requests: int
    seconds: int


class Charge(NamedTuple):
    """A request that was counted at this time, and `units` of its cost with it."""

    limit: Limit
    counted_at: str
    units: int


class Throttle(SimpleRateThrottle):
    """REST framework's interface, for requests of Django's too. A rate of 0 is no limit; none is without Redis."""

    counts_time = True  # by the first limit, that of the caller; uploads are limited by their number and their bytes
    cache_format = "throttled_%(scope)s_%(ident)s"
    timer = staticmethod(time.time)

    def __init__(self) -> None:
        self.waits: list[float] = []  # seconds, of the limits that refuse the request

    def callers(self, request: Any, view: Any) -> Iterator[tuple[str, str]]:
        """(scope, caller) of each limit."""
        raise NotImplementedError

    def allow_request(self, request: Any, view: Any) -> bool:
        limits = [limit for scope, caller in self.callers(request, view) if (limit := self._limit(scope, caller))]
        if not limits:
            return True
        now = repr(self.timer())
        prepaid = request.META.get(PREPAID, 0) if self.counts_time else 0
        prepaid = min(prepaid, limits[0].requests - 1)  # who has asked for nothing else may ask for what costs more
        arguments: list[Any] = [now]
        for limit, units in zip(limits, chain([1 + prepaid], repeat(1)), strict=False):
            arguments += [limit.requests, limit.seconds, units]
        evaluate: Any = cache.evaluate  # type: ignore[attr-defined] # of our own cache
        answers: list[bytes] = evaluate(_COUNT, [limit.key for limit in limits], arguments) or []
        self.waits = [
            limit.seconds - (float(now) - float(answer))
            for answer, limit in zip(answers, limits, strict=False)
            if answer
        ]
        if self.counts_time and answers and not answers[0]:
            request.META.setdefault(_CHARGES, []).append(Charge(limits[0], now, prepaid))
        return not self.waits

    def wait(self) -> float | None:
        """Seconds until the request is allowed."""
        return max(self.waits, default=None)

    def _limit(self, scope: str, caller: str) -> Limit | None:
        requests, seconds = self.parse_rate(self.THROTTLE_RATES[scope])
        key = self.cache_format % {"scope": scope, "ident": caller}
        return Limit(key, requests, seconds or 1) if requests else None


def settle(request: HttpRequest, units: int) -> None:
    """Count what the answer has cost, beyond what was counted for it before; what was too much is taken back."""
    for limit, counted_at, prepaid in request.META.pop(_CHARGES, ()):
        more = min(units, limit.requests) - prepaid
        if more:
            cache.evaluate(_SETTLE, [limit.key], [counted_at, limit.seconds, more])  # type: ignore[attr-defined]
