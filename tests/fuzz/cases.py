"""A request that nobody should send, and which of them a run of the tests tries."""

import os
import random
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

SEED = 9
EXAMPLES = int(os.environ.get("FUZZ") or 0)  # of each operation, by `make fuzz`; 0: the suite's sample
JSON = "application/json"
BOUNDARY = "a-boundary-of-no-log"
MULTIPART = f"multipart/form-data; boundary={BOUNDARY}"

Body = bytes | Callable[[], bytes]  # what is large or slow to make is made when it is sent


@dataclass(frozen=True, slots=True)
class Case:
    """A request; `path`, with its query, is sent as it is."""

    name: str  # what is odd about it
    path: str
    method: str = "GET"
    body: Body = b""
    content_type: str = ""
    headers: Mapping[str, str] = field(default_factory=dict)
    who: str = "token"  # "token", "user", "moderator" (both by session), "" for nobody

    def content(self) -> bytes:
        return self.body if isinstance(self.body, bytes) else self.body()


def sample(cases: Sequence[Case], count: int) -> Sequence[Case]:
    """All of them in a full run, else the same few every time."""
    if EXAMPLES or len(cases) <= count:
        return cases
    return random.Random(SEED).sample(cases, count)


@dataclass(frozen=True, slots=True)
class Part:
    """Of a multipart body. `name` and `filename` are sent unescaped; a `filename` of None is a plain field."""

    name: str
    content: bytes
    filename: str | None = None
    content_type: str = ""
    headers: bytes = b""


def multipart(parts: Iterable[Part]) -> bytes:
    return b"".join(_encoded(parts))


def _encoded(parts: Iterable[Part]) -> Iterator[bytes]:
    for part in parts:
        named = f'Content-Disposition: form-data; name="{part.name}"'
        if part.filename is not None:
            named += f'; filename="{part.filename}"'
        yield f"--{BOUNDARY}\r\n{named}\r\n".encode("utf-8", "surrogatepass")
        if part.content_type:
            yield f"Content-Type: {part.content_type}\r\n".encode("utf-8", "surrogatepass")
        yield part.headers + b"\r\n" + part.content + b"\r\n"
    yield f"--{BOUNDARY}--\r\n".encode()
