"""The time of a storm: one number that every process of it shares, and that moves only when the storm moves it.

Hours of holds, deadlines and graces pass in seconds, and the same seed gives the same storm.
"""

import importlib
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from datetime import UTC, datetime, tzinfo
from multiprocessing.sharedctypes import RawValue
from typing import Any
from unittest.mock import patch

_LAB = ("ec2", "ec2_instances", "gce", "gce_operations", "gce_project")


class Clock:
    """Stands where a module of the lab has `time`: sleeping moves it."""

    def __init__(self, start: datetime) -> None:
        self._seconds = RawValue("d", start.timestamp())

    def time(self) -> float:
        return self._seconds.value

    monotonic = perf_counter = time

    def sleep(self, seconds: float) -> None:
        self._seconds.value += seconds

    def now(self, skew: float = 0) -> datetime:
        return datetime.fromtimestamp(self._seconds.value + skew, UTC)

    def datetime_class(self, skew: float = 0) -> type[datetime]:
        """For modules that ask the class `datetime` for the time."""
        clock = self

        class Moved(datetime):
            @classmethod
            def now(cls, tz: tzinfo | None = None) -> datetime:  # type: ignore[override]
                return clock.now(skew).astimezone(tz)

        return Moved


@contextmanager
def of_the_lab(clock: Clock) -> Iterator[None]:
    """Within: the clouds of the lab, in this process, and what a test writes to the database have the storm's time."""
    moved: dict[str, Any] = {f"tests.lab.{name}.time": clock for name in _LAB}
    moved["tests.lab.gce_operations.datetime"] = clock.datetime_class()
    moved["tests.lab.ec2_spot.datetime"] = clock.datetime_class()
    moved["moto.ec2.models.instances.utcnow"] = lambda: clock.now().replace(tzinfo=None)
    moved["django.utils.timezone.now"] = clock.now
    moved["runners.clock.now"] = clock.now
    with ExitStack() as stack:
        for name, value in moved.items():
            importlib.import_module(name.rpartition(".")[0])
            stack.enter_context(patch(name, value))
        yield
