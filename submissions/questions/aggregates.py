"""The kinds of figures that every site counts: the one list of them."""

from typing import Any

from submissions.aggregates import store
from submissions.aggregates.boards import BOARDS
from submissions.aggregates.groups import GROUPS
from submissions.aggregates.kinds import Kind
from submissions.aggregates.noise import NOISE

KINDS: tuple[Kind, ...] = (BOARDS, GROUPS, NOISE)


def queue_outdated_code(apps: Any, **_: Any) -> None:
    """After a migration: what another version of the code has counted is counted again."""
    try:
        apps.get_model("submissions", "WorkloadFigures")
    except LookupError:
        return  # a migration to a state before the table
    store.queue_outdated_code()
