"""The state of the data that the answer to a request is of: read once for it."""

from django.db import router

from benchsite.unchanged import request_memory
from submissions.models.data_version import DataState, DataVersion, data_state

_STATE = "state of submissions"  # in the memory of a request


def state_of_request() -> DataState:
    """`data_state()`, of which the answer to this request is then, or newer: nothing asks a second time."""
    state = data_state()
    request_memory()[_STATE] = state
    return state


def known_state() -> DataState:
    """The one that this request has read, if it has; else one query."""
    # who has written since reads the primary from then on
    known: DataState | None = request_memory().get(_STATE)
    return known if known and known.source == router.db_for_read(DataVersion) else data_state()
