"""Waiting for real machines: the one place of the tests where real time passes."""

import time
from collections.abc import Callable
from typing import TypeVar

T = TypeVar("T")


def wait_for(look: Callable[[], T], what: str, *, seconds: float = 300, every: float = 0.1) -> T:
    """The first true value that `look` gives; TimeoutError naming `what` after `seconds`."""
    deadline = time.monotonic() + seconds
    while not (found := look()):
        if time.monotonic() > deadline:
            raise TimeoutError(f"not after {seconds} s: {what}")
        time.sleep(every)
    return found
