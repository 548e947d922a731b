"""Which runs of a series may use the same machines, one after another.

Those of one round, so that the repetitions of a cell are launches of their own, as every verdict takes them to be.
"""

import json
from collections.abc import Mapping
from datetime import timedelta
from typing import Any

from runners.choices import Clusters
from runners.models import Series, SeriesCell
from runners.providers.registry import traits_of

# Of a plan, what other machines would be needed for
_MACHINES = ("provider", "region", "zones", "database", "client", "pricing_model", "allow_equivalent_type")
# Two results that differ in nothing but these are runs of one configuration: each needs a launch of its own
_NO_DIFFERENCE = ("trials", "diagnosis", "cpu_profile")
_NO_DIFFERENCE_OF_LOAD = ("pause_seconds", "prefill", "disk_test")

# An idle cluster costs as much in this time as another launch, with the deletion and the installation
OFFER_LIMIT = timedelta(minutes=5)
# How much longer than expected the runs of a round may take, for their machines to exist until the last has ended
SLACK = 1.5


def machines_key(plan: Mapping[str, Any]) -> str:
    """Equal for plans whose runs can use the same machines; of a validated plan, as JSON."""
    load = plan["workload"]
    parts = [plan.get(name) for name in (*_MACHINES, *_NO_DIFFERENCE)]
    parts += [plan["service"]["name"], *(load.get(name) for name in _NO_DIFFERENCE_OF_LOAD)]
    return json.dumps(parts, sort_keys=True)


def can_share(provider: str) -> bool:
    """Whether machines there are launched at all."""
    return not traits_of(provider).is_this_machine


def shares(series: Series, cell: SeriesCell) -> bool:
    """Whether the run of the cell may use the machines of another one of its round."""
    return series.clusters == Clusters.SHARED and cell.round is not None and can_share(cell.provider)


def beside(series: Series, cell: SeriesCell) -> list[SeriesCell]:
    """The other current cells whose runs may use the same machines, in the order of their starts."""
    if not shares(series, cell):
        return []
    others = series.cells.filter(is_current=True, round=cell.round).exclude(pk=cell.pk).select_related("run")
    key = machines_key(cell.plan)
    return [other for other in others.order_by("place") if machines_key(other.plan) == key]
