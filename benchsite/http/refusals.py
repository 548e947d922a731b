"""What the uploader can fix: each error names where (an RFC 6901 pointer) and why."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Fault:
    pointer: str  # "#/trials/0/latency_ms/p99"; "#" is the whole upload
    detail: str


class Refusal(Exception):
    """A submission that was refused; `faults` is shown to the uploader as it is."""

    def __init__(self, faults: Sequence[Fault]):
        self.faults = tuple(faults)
        super().__init__("; ".join(f"{fault.pointer}: {fault.detail}" for fault in self.faults))

    @classmethod
    def at(cls, pointer: str, detail: str) -> "Refusal":
        return cls([Fault(pointer, detail)])


class UploadTooLarge(Refusal):
    """Over a limit of size, member count or compression ratio (HTTP 413)."""


class NotPermitted(Refusal):
    """Valid, but not for this user (HTTP 403)."""


class Conflict(Refusal):
    """Against what is stored already (HTTP 409)."""


class RateExceeded(Refusal):
    """More than an account may do in a time (HTTP 429): possible again later."""

    retry_seconds: int | None = None  # from now; None: it is not known when


def together(*judges: Callable[[], Any]) -> list[Any]:
    """What each of them returns. Raises Refusal with the faults of all that refuse: nobody corrects in rounds."""
    passed: list[Any] = []
    faults: list[Fault] = []
    for judge in judges:
        try:
            passed.append(judge())
        except Refusal as error:
            faults += error.faults
    if faults:
        raise Refusal(faults)
    return passed
