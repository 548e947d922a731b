"""The API of a site by HTTP: patient with a busy site, and clear about what it refuses."""

import json
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Any, Self

import httpx

from benchsite_cli import __version__
from benchsite_cli.config import Login, current
from benchsite_cli.errors import Fault, Refused, Unreachable

ATTEMPTS = 6
LONGEST_WAIT = 120.0  # of one pause, whatever Retry-After says
BUSY = frozenset({429, 502, 503, 504})

Json = dict[str, Any]
Parameters = Sequence[tuple[str, str]]
Build = Callable[[], Mapping[str, Any]]  # what to send; made anew for each attempt


class Site:
    """`sleep` and `transport` are for tests."""

    def __init__(
        self,
        login: Login,
        *,
        sleep: Callable[[float], None] = time.sleep,
        transport: httpx.BaseTransport | None = None,
    ):
        headers = {"User-Agent": f"benchsite-cli/{__version__}", "Accept": "application/json, */*;q=0.5"}
        if login.token:
            headers["Authorization"] = f"Bearer {login.token}"
        self.url = login.url
        self._sleep = sleep
        self._client = httpx.Client(
            base_url=f"{login.url}/api/v1/",
            headers=headers,
            timeout=httpx.Timeout(120, connect=15),
            transport=transport,
        )

    @classmethod
    def configured(cls, *, needs_token: bool = True) -> Self:
        return cls(current(needs_token=needs_token))

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._client.close()

    def get(self, path: str, params: Parameters = ()) -> Json:
        return self._json("GET", path, lambda: {"params": list(params)})

    def post(self, path: str, body: Any = None, *, is_repeatable: bool) -> Json:
        """What is not repeatable is sent again only where the site says that it has not begun."""
        return self._json("POST", path, lambda: {"json": body}, is_repeatable=is_repeatable)

    def post_files(self, path: str, build: Build, params: Parameters = ()) -> tuple[int, Json]:
        """The status and the answer. The same content again is answered with the first submission: repeatable."""
        response = self._attempts("POST", path, lambda: {"params": list(params), **build()}, is_repeatable=True)
        return response.status_code, self._content(response)

    def pages(self, path: str, params: Parameters = ()) -> Iterator[Json]:
        """All rows of a list, page after page."""
        page = self.get(path, params)
        while True:
            yield from page["results"]
            if not page["next"]:
                return
            page = self.get(page["next"])

    @contextmanager
    def stream(self, path: str, params: Parameters = ()) -> Iterator[httpx.Response]:
        response = self._attempts("GET", path, lambda: {"params": list(params)}, is_repeatable=True, stream=True)
        try:
            yield response
        except httpx.TransportError as error:
            raise Unreachable(f"the answer of {self.url} broke off: {error}") from error
        finally:
            response.close()

    def _json(self, method: str, path: str, build: Build, *, is_repeatable: bool = True) -> Json:
        return self._content(self._attempts(method, path, build, is_repeatable=is_repeatable))

    def _content(self, response: httpx.Response) -> Json:
        try:
            content = response.json()
        except ValueError as error:
            raise Unreachable(f"{self.url} did not answer as a Benchsite does: is the address right?") from error
        if not isinstance(content, dict):
            raise Unreachable(f"{self.url} did not answer as a Benchsite does: is the address right?")
        return content

    def _attempts(
        self, method: str, path: str, build: Build, *, is_repeatable: bool, stream: bool = False
    ) -> httpx.Response:
        for attempt in range(1, ATTEMPTS + 1):
            try:
                response = self._client.send(self._client.build_request(method, path, **build()), stream=stream)
            except httpx.TransportError as error:
                if attempt == ATTEMPTS or not (is_repeatable or isinstance(error, httpx.ConnectError)):
                    raise Unreachable(f"{self.url} cannot be reached: {error or type(error).__name__}") from error
                self._sleep(2.0 ** (attempt - 1))
                continue
            if response.is_success:
                return response
            response.read()
            if attempt == ATTEMPTS or not _may_repeat(response, is_repeatable=is_repeatable):
                raise _refused(response)
            self._sleep(_wait(response, attempt))
        raise AssertionError("unreachable")


def _may_repeat(response: httpx.Response, *, is_repeatable: bool) -> bool:
    if is_repeatable:
        return response.status_code in BUSY
    return response.status_code == 429 or (response.status_code == 503 and "retry-after" in response.headers)


def _wait(response: httpx.Response, attempt: int) -> float:
    """Seconds: as the site says, else twice as long each time."""
    text = response.headers.get("retry-after", "")
    seconds = 2.0 ** (attempt - 1)
    if text.isdigit():
        seconds = float(text)
    elif text:
        with suppress(ValueError, TypeError):
            seconds = (parsedate_to_datetime(text) - datetime.now(UTC)).total_seconds()
    return min(max(seconds, 0.1), LONGEST_WAIT)


def _refused(response: httpx.Response) -> Refused:
    """From application/problem+json; from anything else as far as it goes."""
    try:
        content = json.loads(response.text)
        faults = tuple(Fault(str(fault["pointer"]), str(fault["detail"])) for fault in content["errors"])
        return Refused(response.status_code, faults, str(content.get("request_id", "")))
    except (ValueError, KeyError, TypeError):
        return Refused(response.status_code, (Fault("#", f"the site answered {response.status_code}"),))
