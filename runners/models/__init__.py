"""The tables of runs: the truth about each run and each machine ever ordered."""

from runners.models.cloud_access import CloudAccess
from runners.models.node import RunNode
from runners.models.output import RunOutput
from runners.models.run import Run, RunEvent, RunQuerySet
from runners.models.schedule import Schedule, ScheduleTurn
from runners.models.series import Series, SeriesCell, SeriesQuerySet
from runners.models.sweep import Sweep

__all__ = [
    "CloudAccess",
    "Run",
    "RunEvent",
    "RunNode",
    "RunOutput",
    "RunQuerySet",
    "Schedule",
    "ScheduleTurn",
    "Series",
    "SeriesCell",
    "SeriesQuerySet",
    "Sweep",
]
