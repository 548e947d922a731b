"""The kinds of figures that every site counts: the one list of them."""

from typing import Any

from submissions.aggregates import store
from submissions.aggregates.boards import BOARDS
from submissions.aggregates.groups import GROUPS
from submissions.aggregates.kinds import Kind
from submissions.aggregates.noise import NOISE

KINDS: tuple[Kind, ...] = (BOARDS, GROUPS, NOISE)


def queue_outdated_code(apps: Any = None, **_: Any) -> None:
    """After a migration: what another version of the code has counted is counted again.

    `apps` as they are after it; none where nothing was migrated.
    """
    if apps is None or "workloadfigures" in apps.all_models["submissions"]:
        store.queue_outdated_code()
