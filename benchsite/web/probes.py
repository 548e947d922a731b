"""/readyz without a request thread: one check at a time, shared by everybody who asks within a second."""

import asyncio
import time
from concurrent.futures import ThreadPoolExecutor

from django.db import close_old_connections
from django.http import HttpResponse

from benchsite.ops import health

SHARED_SECONDS = 1.0
TIMEOUT_SECONDS = 5.0


class ReadyProbe:
    def __init__(self) -> None:
        self._thread = ThreadPoolExecutor(1, "ready")  # with a database connection of its own
        self._answer: asyncio.Future[HttpResponse] | None = None
        self._asked_at = 0.0

    async def answer(self) -> HttpResponse:
        now = time.monotonic()
        if self._answer is None or (self._answer.done() and now - self._asked_at > SHARED_SECONDS):
            self._asked_at = now
            self._answer = asyncio.wrap_future(self._thread.submit(_readyz))
        try:
            return await asyncio.wait_for(asyncio.shield(self._answer), TIMEOUT_SECONDS)
        except TimeoutError:
            return health.timed_out()


def _readyz() -> HttpResponse:
    close_old_connections()  # as Django does at the start of a request
    return health.readyz()
