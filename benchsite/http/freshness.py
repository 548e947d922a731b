"""Whether the answer that is being made is of the data as it is now: an older one has no ETag and is soon made anew."""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, replace


@dataclass(slots=True)
class Making:
    """An answer, or a part of one, while it is made."""

    has_reader: bool = False  # who waits for it; false of what tasks and commands make
    may_be_old: bool = False  # a page for readers, who do not wait for what another is counting
    is_old: bool = False
    has_older_figures: bool = False  # whatever is made of them from then on is old, too


_making: ContextVar[Making | None] = ContextVar("making", default=None)


@contextmanager
def making(*, may_be_old: bool) -> Iterator[Making]:
    own = Making(has_reader=True, may_be_old=may_be_old)
    outer = _making.set(own)
    try:
        yield own
    finally:
        _making.reset(outer)


@contextmanager
def making_part() -> Iterator[Making]:
    """What is made of an old part is old."""
    whole = _making.get() or Making()
    part = replace(whole, is_old=whole.has_older_figures)
    outer = _making.set(part)
    try:
        yield part
    finally:
        _making.reset(outer)
        whole.is_old |= part.is_old
        whole.has_older_figures |= part.has_older_figures


def has_reader() -> bool:
    """False outside of an answer that the response cache may keep, as `may_be_old` is."""
    return (_making.get() or Making()).has_reader


def may_be_old() -> bool:
    return (_making.get() or Making()).may_be_old


def has_older_figures() -> bool:
    return (_making.get() or Making()).has_older_figures


def note_old_part() -> None:
    if own := _making.get():
        own.is_old = True


def note_older_figures() -> None:
    """Those of before are shown, since another is counting."""
    if own := _making.get():
        own.is_old = own.has_older_figures = True
