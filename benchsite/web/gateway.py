"""The ASGI application in front of Django's WSGI one: a request thread works on complete requests only.

The event loop reads each body with a deadline, hands the request to a thread, and sends the answer at the client's
pace. So a slow client costs a connection. Reading and writing have threads of their own: a flood of one does not
stop the other. The probes need none of them.
"""

import asyncio
import logging
import time
from collections.abc import Callable, Iterable, Mapping
from io import BytesIO
from typing import Any

from django.db import close_old_connections
from django.http import HttpResponse

from benchsite.http import outages, problems
from benchsite.http.limits.body_size import announced_bytes
from benchsite.http.response_cache import FROM_MEMORY
from benchsite.ops import health
from benchsite.web import admission
from benchsite.web.bodies import Body, BodyLimits, BodyRefused, Disconnected, Receive, read_body
from benchsite.web.environ import Environ, Scope, environ_of
from benchsite.web.lanes import Crowded, Lanes
from benchsite.web.probes import ReadyProbe
from benchsite.web.replies import Abandoned, FileToSend, Headers, Reply, Send

CROWDED_SECONDS = 2
WATCHED_AFTER_SECONDS = 0.05
# Answers that the event loop sends itself in one turn: of a crowd the rest go to threads, so that a probe waits for few
MOST_A_TURN = 8

WSGIApplication = Callable[[Environ, Callable[..., Any]], Iterable[bytes]]
AnswerFromMemory = Callable[[Environ], HttpResponse | None]

log = logging.getLogger(__name__)


class Gateway:
    def __init__(
        self,
        application: WSGIApplication,
        *,
        threads: int,
        most_bytes: int,
        large_bodies: Mapping[str, int],
        limits: BodyLimits | None = None,
        answer_from_memory: AnswerFromMemory = lambda _: None,
        is_costly: Callable[[Environ], bool] = lambda _: False,
    ):
        """`large_bodies`: the addresses that take more than `most_bytes`.

        Reading has `threads`, writing as many; costly reading requests have two. What `answer_from_memory` answers
        without waiting for anything needs none: the application gets it as `environ[FROM_MEMORY]`.
        """
        self._application = application
        self._lanes = Lanes(threads)
        self._most_bytes = most_bytes
        self._large_bodies = large_bodies
        self._limits = limits or BodyLimits()
        self._answer_from_memory = answer_from_memory
        self._is_costly = is_costly
        self._sent_in_turn = 0
        self._ready = ReadyProbe()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            return
        if scope["path"] == health.HEALTHZ:
            await _send_response(send, health.healthz())
        elif scope["path"] == health.READYZ:
            await _send_response(send, await self._ready.answer())
        else:
            environ = environ_of(scope)
            if "\x00" in environ["PATH_INFO"]:  # which PostgreSQL takes in no text
                await _send_response(send, problems.refused_early(environ["PATH_INFO"], 404, "no such address"))
            elif known := self._known_at_once(environ):
                await self._send_known(environ, known, send)
            else:
                await self._serve(environ, receive, send)

    def _known_at_once(self, environ: Environ) -> HttpResponse | None:
        if self._sent_in_turn >= MOST_A_TURN:
            return None
        known = self._answer_from_memory(environ)
        if known is not None:
            if not self._sent_in_turn:
                asyncio.get_running_loop().call_soon(self._begin_turn)
            self._sent_in_turn += 1
        return known

    def _begin_turn(self) -> None:
        self._sent_in_turn = 0

    async def _send_known(self, environ: Environ, known: HttpResponse, send: Send) -> None:
        """Through the application, so that the answer is what a thread would have made of it."""
        reply = Reply(asyncio.get_running_loop())
        self._run({**environ, "wsgi.input": BytesIO(), FROM_MEMORY: known}, reply)
        await reply.send_to(send)

    async def _serve(self, environ: Environ, receive: Receive, send: Send) -> None:
        body = Body()
        try:
            try:
                await self._read(environ, receive, body)
            except _Answered as answered:
                await _send_response(send, answered.response)
            except BodyRefused as refused:
                await _send_response(send, problems.refused_early(environ["PATH_INFO"], refused.status, refused.detail))
            except OSError as error:  # of the body's temporary file
                await _send_response(send, _failure(environ["PATH_INFO"], error))
            except Disconnected:
                return
            else:
                await self._work(environ, receive, send)
        finally:
            body.close()

    async def _read(self, environ: Environ, receive: Receive, body: Body) -> None:
        async def admit() -> None:
            refusal = await asyncio.wrap_future(self._lanes.submit("POST", _refusal, environ))
            if refusal is not None:
                raise _Answered(refusal)

        most_bytes = self._large_bodies.get(environ["PATH_INFO"], self._most_bytes)
        announced = announced_bytes(environ)
        await read_body(receive, body, announced=announced, most_bytes=most_bytes, limits=self._limits, admit=admit)
        environ["wsgi.input"] = await body.stream()
        if body.size_bytes:
            environ["CONTENT_LENGTH"] = str(body.size_bytes)  # a chunked one announces none

    async def _work(self, environ: Environ, receive: Receive, send: Send) -> None:
        """Hand the request to a thread, and send what it answers. What nobody waits for any more is not begun."""
        reply = Reply(asyncio.get_running_loop())
        environ["benchsite.handed_over_at"] = time.monotonic()
        try:
            is_costly = self._is_costly(environ)
            work = self._lanes.submit(environ["REQUEST_METHOD"], self._run, environ, reply, is_costly=is_costly)
        except Crowded:
            reply.close()
            await _send_response(send, _crowded(environ["PATH_INFO"]))
            return
        watch = _Watch(receive, reply)
        try:
            await reply.send_to(send)
        except (Abandoned, TimeoutError):
            if reply.has_failed and not reply.is_started:
                await _send_response(send, _failure(environ["PATH_INFO"], None))
            # else the web server closes the connection of an answer without end
        finally:
            watch.end()
            if not work.cancel() and not work.done():
                await asyncio.wrap_future(work)  # it reads the body, which is closed after this

    def _run(self, environ: Environ, reply: Reply) -> None:
        """In a request thread, but for what needs no waiting."""
        environ["wsgi.file_wrapper"] = FileToSend
        now = time.monotonic()
        environ["benchsite.waited_seconds"] = now - environ.get("benchsite.handed_over_at", now)
        file = None
        try:
            result = self._application(environ, lambda status, headers, *_: reply.start(*_head(status, headers)))
            if isinstance(result, FileToSend) and environ["REQUEST_METHOD"] != "HEAD":
                file = result
            else:
                _write(result, reply, is_head=environ["REQUEST_METHOD"] == "HEAD")
            reply.end(file)
        except Abandoned:
            return
        except Exception:
            log.exception("no answer to %s", environ["PATH_INFO"])
            reply.fail()


class _Watch:
    """Abandons the reply when the client has gone; most are sent before it begins to look."""

    def __init__(self, receive: Receive, reply: Reply):
        self._receive, self._reply = receive, reply
        self._message: asyncio.Future[Any] | None = None
        self._timer = asyncio.get_running_loop().call_later(WATCHED_AFTER_SECONDS, self._begin)

    def _begin(self) -> None:
        self._message = asyncio.ensure_future(self._receive())  # after the body the next says that the client has gone
        self._message.add_done_callback(lambda _: self._reply.abandon())

    def end(self) -> None:
        """The web server's future holds what it calls, unseen by the collector: it must not be held in turn."""
        self._timer.cancel()
        message, self._message = self._message, None
        if message is not None:
            message.cancel()


def _refusal(environ: Environ) -> HttpResponse | None:
    close_old_connections()  # as Django does at the start of a request
    return admission.refusal(environ)


class _Answered(Exception):
    def __init__(self, response: HttpResponse):
        self.response = response


def _head(status: str, headers: Iterable[tuple[str, str]]) -> tuple[int, Headers]:
    return int(status.split(" ", 1)[0]), [
        (name.lower().encode("latin-1"), value.strip().encode("latin-1")) for name, value in headers
    ]


def _write(result: Any, reply: Reply, *, is_head: bool) -> None:
    """All that a response yields; a streamed one is sent while it is made."""
    is_streamed = getattr(result, "streaming", True)
    try:
        for chunk in () if is_head else result:
            reply.write(chunk, flush=is_streamed)
    finally:
        if hasattr(result, "close"):
            result.close()


def _crowded(path: str) -> HttpResponse:
    response = problems.refused_early(path, 503, "too many readers at once: try again in a few seconds")
    response["Retry-After"] = str(CROWDED_SECONDS)
    return response


def _failure(path: str, error: OSError | None) -> HttpResponse:
    outage = outages.outage_of(error)
    if outage is None:
        return problems.refused_early(path, 500, "an error on our side: it was logged and will be investigated")
    return problems.refused_early(path, outage.status, outage.detail)


async def _send_response(send: Send, response: HttpResponse) -> None:
    headers = [*response.items(), ("Content-Length", str(len(response.content)))]
    start = {"type": "http.response.start", "status": response.status_code, "headers": _head("0", headers)[1]}
    await send(start)
    await send({"type": "http.response.body", "body": response.content})
