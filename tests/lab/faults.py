"""What a test can make go wrong in a cloud of the lab; each cloud answers in its own words."""

import threading
import time
from collections import Counter
from collections.abc import Callable, Collection
from dataclasses import dataclass


@dataclass
class _Spell:
    """A fault that lasts for some seconds, for some calls, or until `Faults.clear`."""

    until: float | None = None
    calls: int | None = None
    only: Collection[str] | None = None
    value: float = 0
    text: str = ""

    def hits(self, now: float, what: str) -> bool:
        if self.until is not None and now >= self.until:
            return False
        if self.only is not None and what not in self.only:
            return False
        if self.calls is None:
            return True
        self.calls -= 1
        return self.calls >= 0


class Faults:
    """Switches, off at first. `action` is the cloud's own name of a call: RunInstances, instances.insert.

    `counts` says how often each fault struck, so that a test can prove that it did.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self.clock = clock
        self._lock = threading.Lock()
        self.clear()

    def clear(self) -> None:
        """All switches off."""
        with self._lock:
            self._spells: dict[str, _Spell] = {}
            self.counts: Counter[str] = Counter()
            self.free: dict[str, int] = {}  # machines that a zone still has; a zone not named has enough
            self.unknown_seconds = 0.0
            self.without_ssh = 0

    def throttle(
        self, *, seconds: float | None = None, calls: int | None = None, actions: Collection[str] | None = None
    ) -> None:
        """Too many requests: every call, or only `actions`, is refused."""
        self._set("throttle", seconds, calls, actions)

    def no_capacity(self, *zones: str, seconds: float | None = None) -> None:
        """The cloud has no machine left in `zones`; in none at all when none is named."""
        self._set("capacity", seconds, None, zones or None)

    def capacity(self, zone: str, machines: int) -> None:
        """The zone has so many machines left, and no more."""
        self.free[zone] = machines

    def quota(self, *, seconds: float | None = None) -> None:
        """The account may not have another machine."""
        self._set("quota", seconds, None, None)

    def unknown(self, seconds: float) -> None:
        """Eventual consistency: describe, list and terminate do not know a new machine for so long."""
        self.unknown_seconds = seconds

    def lose_answers(self, action: str, calls: int = 1) -> None:
        """The call goes through; then the connection breaks before an answer."""
        self._set(f"lost:{action}", None, calls, None)

    def slow(self, delay_seconds: float, *, calls: int | None = None, actions: Collection[str] | None = None) -> None:
        """The answer comes late."""
        self._set("slow", None, calls, actions, value=delay_seconds)

    def refuse_terminate(
        self, *, seconds: float | None = None, calls: int | None = None, code: str = "OperationNotPermitted"
    ) -> None:
        """Machines cannot be deleted for now; `code` is the cloud's own."""
        self._set("terminate", seconds, calls, None, text=code)

    def never_ssh(self, machines: int = 1) -> None:
        """The next machines boot, but their sshd does not start."""
        self.without_ssh = machines

    def storage_down(self, *, seconds: float | None = None) -> None:
        """The object storage answers 503."""
        self._set("storage", seconds, None, None)

    def end(self, name: str) -> None:
        """One switch off: throttle, capacity, quota, slow, terminate, storage, lost:<action>."""
        with self._lock:
            self._spells.pop(name, None)

    def end_all(self) -> None:
        """Each of them off; what else was set stays so."""
        with self._lock:
            self._spells.clear()

    def strikes(self, name: str, what: str = "") -> bool:
        """Whether the fault hits this call; counts it."""
        with self._lock:
            spell = self._spells.get(name)
            hit = spell is not None and spell.hits(self.clock(), what)
            self.counts[name] += hit
            return hit

    def delay_seconds(self, action: str) -> float:
        return self._spells["slow"].value if self.strikes("slow", action) else 0.0

    def text(self, name: str) -> str:
        return self._spells[name].text

    def take_capacity(self, zone: str, least: int, most: int) -> int:
        """How many machines of the wanted the zone gives; 0 when it has fewer than `least`."""
        if self.strikes("capacity", zone):
            return 0
        with self._lock:
            given = min(most, self.free.get(zone, most))
            if given < least:
                self.counts["capacity"] += 1
                return 0
            if zone in self.free:
                self.free[zone] -= given
            return given

    def takes_ssh(self) -> bool:
        """Whether the next machine that boots is one without sshd."""
        with self._lock:
            self.without_ssh -= 1
            return self.without_ssh >= 0

    def _set(
        self,
        name: str,
        seconds: float | None,
        calls: int | None,
        only: Collection[str] | None,
        *,
        value: float = 0,
        text: str = "",
    ) -> None:
        until = None if seconds is None else self.clock() + seconds
        with self._lock:
            self._spells[name] = _Spell(until, calls, only, value, text)
