"""Answers that are written while they are sent: a few at a time in each process, since each occupies a thread."""

import threading
from collections.abc import Callable, Iterable, Iterator

from django.http import HttpRequest, HttpResponse, StreamingHttpResponse

from benchsite.http import problems
from benchsite.http.outages import Outage

AT_ONCE = 2
BUSY = Outage(503, "other exports are being written: try again in a few seconds", retry_seconds=5)

free_places = threading.BoundedSemaphore(AT_ONCE)


def in_a_place(
    request: HttpRequest, response: StreamingHttpResponse, when_written: Callable[[], None]
) -> HttpResponse | StreamingHttpResponse:
    """The response, which has a place until it is written or given up; 503 where others have them all.

    A refused one is dropped unread: to close it would end the request, and its connection to the database.
    """
    places = free_places
    if not places.acquire(blocking=False):
        return problems.unavailable(request, BUSY)
    response.streaming_content = _Written(response.streaming_content, when_written, places)  # type: ignore[arg-type]
    return response


class _Written:
    """The pieces of an answer, which has its place until the last one, or until it is closed before."""

    def __init__(self, pieces: Iterable[bytes], when_written: Callable[[], None], places: threading.Semaphore):
        self._pieces = iter(pieces)
        self._places = places
        self._when_written = when_written
        self._has_place = True

    def __iter__(self) -> Iterator[bytes]:
        return self

    def __next__(self) -> bytes:
        try:
            return next(self._pieces)
        except BaseException:  # the end, too
            self.close()
            raise

    def close(self) -> None:
        if self._has_place:
            self._leave()
            self._when_written()

    def __del__(self) -> None:
        """Of a response that an error has left on its way out."""
        if self._has_place:
            self._leave()

    def _leave(self) -> None:
        self._has_place = False
        self._places.release()
