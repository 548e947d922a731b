"""All kinds of figures that the store counts for every workload."""

from typing import Any

from submissions.aggregates.kinds import register
from submissions.aggregates.store import queue_outdated_code
from submissions.questions.value.aggregate import CLUSTERS
from submissions.records.aggregate import FACETS


def register_all() -> None:
    """Once, at the start."""
    register([FACETS, CLUSTERS])


def queue_outdated(**signal: Any) -> None:
    """After migrations: the code may be another one."""
    queue_outdated_code()
