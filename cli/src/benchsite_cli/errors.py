"""What ends a command, each with its exit code."""

from dataclasses import dataclass

REFUSED = 1  # files were refused, a result is worse, a run failed
USAGE = 2  # something is missing or cannot be read
INCONCLUSIVE = 3
NO_SITE = 4  # not reachable, or it refused the token


class Failure(Exception):
    """Shown as it is."""

    exit_code = USAGE


class Unreachable(Failure):
    exit_code = NO_SITE


@dataclass(frozen=True, slots=True)
class Fault:
    """A place in what was sent, and what is wrong there; from an answer of the site."""

    pointer: str
    detail: str

    def __str__(self) -> str:
        place = self.pointer.removeprefix("#").strip("/")
        return f"{place}: {self.detail}" if place and not place.startswith("log") else self.detail


class Refused(Failure):
    """The site answered with an error."""

    def __init__(self, status: int, faults: tuple[Fault, ...], request_id: str = ""):
        self.status, self.faults, self.request_id = status, faults, request_id
        super().__init__(self.reason)

    @property
    def exit_code(self) -> int:  # type: ignore[override] # of the answer
        return NO_SITE if self.status in (401, 403) or self.status >= 500 else REFUSED

    @property
    def reason(self) -> str:
        return "; ".join(map(str, self.faults)) or f"the site answered {self.status}"
