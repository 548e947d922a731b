"""Whether the answer that is being made is of the data as it is now: an older one has no ETag and is soon made anew."""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar


class Answering:
    """One answer while its view makes it."""

    def __init__(self, *, may_be_old: bool):
        self.may_be_old = may_be_old  # a page for readers, who do not wait for what another is counting
        self.is_old = False


_answering: ContextVar[Answering | None] = ContextVar("answering", default=None)


@contextmanager
def answering(*, may_be_old: bool) -> Iterator[Answering]:
    own = Answering(may_be_old=may_be_old)
    outer = _answering.set(own)
    try:
        yield own
    finally:
        _answering.reset(outer)


def may_be_old() -> bool:
    """False outside of an answer that the response cache may keep."""
    own = _answering.get()
    return own is not None and own.may_be_old


def note_old() -> None:
    """A part of the answer is of the data as it was some seconds ago."""
    if own := _answering.get():
        own.is_old = True


def is_old() -> bool:
    own = _answering.get()
    return own is not None and own.is_old
