"""How often a caller may ask: all limits of a request are counted in one round trip to Redis."""

import math
import time
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from django.core.cache import cache
from django.http import HttpRequest
from rest_framework.request import Request
from rest_framework.throttling import SimpleRateThrottle

from submissions.api.permissions import SAFE_METHODS
from submissions.models import ApiToken

if TYPE_CHECKING:  # REST framework's views load this module by their settings
    from rest_framework.views import APIView

# A list for each limit: the times of the requests within its duration, the newest first. A request is counted by every
# limit that allows it, as by REST framework's own throttles. Of a limit that does not: how many there are, and the
# oldest.
_COUNT = """
local answers = {}
for i, key in ipairs(KEYS) do
  local limit, seconds = tonumber(ARGV[2 * i]), tonumber(ARGV[2 * i + 1])
  local oldest = redis.call('LINDEX', key, -1)
  while oldest and tonumber(oldest) <= tonumber(ARGV[1]) - seconds do
    redis.call('RPOP', key)
    oldest = redis.call('LINDEX', key, -1)
  end
  local used = redis.call('LLEN', key)
  if used < limit then
    redis.call('LPUSH', key, ARGV[1])
    redis.call('EXPIRE', key, seconds)
    answers[i] = ''
  else
    answers[i] = used .. ' ' .. (oldest or '')
  end
end
return answers
"""


class CallerThrottle(SimpleRateThrottle):
    """Every limit that counts for a request: of its caller, and of uploads, which cost more than reading."""

    cache_format = "throttled_%(scope)s_%(ident)s"
    timer = staticmethod(time.time)

    def __init__(self) -> None:
        self.waits: list[float | None] = []  # of the limits that refuse the request

    def allow_request(self, request: Request, view: "APIView") -> bool:
        limits = [self._limit(scope, caller) for scope, caller in self.callers(request, view)]
        now = self.timer()
        arguments = [repr(now), *(number for _, most, seconds in limits for number in (most, seconds))]
        evaluate: Any = cache.evaluate  # type: ignore[attr-defined] # of our own cache
        answers: list[bytes] = evaluate(_COUNT, [key for key, _, _ in limits], arguments) or []
        self.waits = [
            _wait(now, most, seconds, answer)
            for answer, (_, most, seconds) in zip(answers, limits, strict=False)
            if answer
        ]
        return not self.waits

    def wait(self) -> float | None:
        return max((seconds for seconds in self.waits if seconds is not None), default=None)

    def _limit(self, scope: str, caller: str) -> tuple[str, int, int]:
        """Its key, how many requests, in how many seconds."""
        most, seconds = self.parse_rate(self.THROTTLE_RATES[scope])
        return self.cache_format % {"scope": scope, "ident": caller}, most or 0, seconds or 0

    def callers(self, request: Request, view: "APIView") -> Iterator[tuple[str, str]]:
        """(scope, caller): who is unknown by address, where X-Forwarded-For counts only behind PROXIES of ours."""
        caller = _caller(request)
        yield ("user", caller) if caller else ("anon", self.get_ident(request))
        scope = getattr(view, "write_scope", None)
        if scope is not None and request.method not in SAFE_METHODS:
            yield scope, caller or self.get_ident(request)


class UploadThrottle(CallerThrottle):
    """Of uploads alone: an upload by a form is no request to the API."""

    def callers(self, request: Request, view: "APIView") -> Iterator[tuple[str, str]]:
        yield "upload", _caller(request) or self.get_ident(request)


def seconds_to_wait(request: HttpRequest) -> int:
    """Counts an upload by a form; how long its account must wait before the next one, 0 if it may go on."""
    asked: Any = request
    throttle = UploadThrottle()
    view: Any = None
    return 0 if throttle.allow_request(asked, view) else max(1, math.ceil(throttle.wait() or 1))


def _caller(request: Request) -> str | None:
    """The token, or the account of a session; None for an unknown caller."""
    token = getattr(request, "auth", None)  # a request of a page has none
    if isinstance(token, ApiToken):
        return f"token-{token.digest[:32]}"
    if request.user and request.user.is_authenticated:
        return f"user-{request.user.pk}"
    return None


def _wait(now: float, most: int, seconds: int, refusal: bytes) -> float | None:
    """Seconds until the next request is allowed; None where the limit has become lower than what was used."""
    used, *oldest = refusal.split()
    free = most - int(used) + 1
    if free <= 0:
        return None
    return (seconds - (now - float(oldest[0])) if oldest else seconds) / free
