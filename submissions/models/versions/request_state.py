"""What the answer to a request is of: the state of the data, and the figures that were brought up to date for it."""

from contextvars import ContextVar
from typing import Any

from django.core.signals import request_finished, request_started
from django.db import router

from submissions.models.versions.data_version import DataState, DataVersion, Subject, data_state

_state: ContextVar[DataState | None] = ContextVar("state of submissions", default=None)
_refreshed: ContextVar[set[tuple[int | None, bool]] | None] = ContextVar("refreshed workloads", default=None)


def versions_of_request() -> dict[str, str]:
    """By subject, of which the answer to this request is then, or newer: nothing asks a second time."""
    state = data_state()
    _state.set(state)
    return {
        str(Subject.DATA): repr((state.source, state.data)),
        str(Subject.FIGURES): "",  # `data` has it where it matters: on a replica
        str(Subject.PRICES): state.prices,
        str(Subject.PAGES): state.pages,
    }


def known_state() -> DataState:
    """The one that this request has read, if it has; else one query."""
    # who has written since reads the primary from then on
    known = _state.get()
    return known if known and known.source == router.db_for_read(DataVersion) else data_state()


def refreshed_workloads() -> set[tuple[int | None, bool]] | None:
    """Those whose figures this request has brought up to date; None outside of a request that only reads."""
    return _refreshed.get()


def _begin(environ: dict[str, Any] | None = None, **_: Any) -> None:
    _state.set(None)
    _refreshed.set(set() if environ and environ.get("REQUEST_METHOD") in ("GET", "HEAD") else None)


def _end(**_: Any) -> None:
    _state.set(None)
    _refreshed.set(None)


request_started.connect(_begin, dispatch_uid="begin_request_state")
request_finished.connect(_end, dispatch_uid="end_request_state")
