"""Groups of a workload's submissions: how many, and the best of each, for one or several levels of trust."""

from collections.abc import Mapping

# What submissions are grouped by, in migrations/sql/totals.sql too.
COLUMNS: Mapping[str, tuple[str, ...]] = {
    "provider": ("provider",),
    "instance_type": ("provider", "instance_type"),
    "jdk": ("jdk_vendor", "jdk_version"),
    "disk": ("disk_kind",),
}
_BETWEEN, _NULL = "\x1f", "\x1e"


def key_of(values: tuple[str | None, ...]) -> str:
    """`GroupTotals.key` of values of the columns."""
    return _BETWEEN.join(_NULL if value is None else value for value in values)
