"""The state of the data that the answer to a request is of: read once for it."""

from contextvars import ContextVar
from typing import Any

from django.core.signals import request_finished, request_started
from django.db import router

from submissions.models.data_version import DataState, DataVersion, Subject, data_state

_state: ContextVar[DataState | None] = ContextVar("state of submissions", default=None)


def versions_of_request() -> dict[str, str]:
    """By subject, of which the answer to this request is then, or newer: nothing asks a second time.

    That of the data is missing where it cannot be known which rows are complete.
    """
    state = data_state()
    _state.set(state)
    versions = {str(Subject.PRICES): state.prices, str(Subject.PAGES): state.pages}
    if state.reached is not None:
        versions[str(Subject.DATA)] = repr((state.source, state.data, state.reached, state.reached_at, state.above))
    return versions


def known_state() -> DataState:
    """The one that this request has read, if it has; else one query."""
    # who has written since reads the primary from then on
    known = _state.get()
    return known if known and known.source == router.db_for_read(DataVersion) else data_state()


def _forget(**_: Any) -> None:
    _state.set(None)


request_started.connect(_forget, dispatch_uid="forget_state_at_start")
request_finished.connect(_forget, dispatch_uid="forget_state_at_end")
