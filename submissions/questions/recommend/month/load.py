"""What a workload does at a rate, as a month needs it: rows written and read, their bytes, their copies."""

from collections.abc import Mapping
from decimal import Decimal
from typing import Any

from submissions.analysis.data_rules import RULES
from submissions.pricing.cost import exact
from submissions.pricing.month.traffic import Rows
from submissions.questions.recommend.work import rows_per_operation

Canonical = Mapping[str, Any]  # of a workload


def rows_of(canonical: Canonical, *, ops_s: float, copies: int | None, value_bytes: int | None) -> Rows:
    """In a second. `value_bytes` of a column, where the question states it; else as the workload states it."""
    per_operation = rows_per_operation(canonical.get("operations"))
    rate = exact(ops_s)
    return Rows(
        written=None if per_operation is None else rate * exact(per_operation[0]),
        read=None if per_operation is None else rate * exact(per_operation[1]),
        row_bytes=row_bytes(canonical, value_bytes),
        replication_factor=copies,
        service=canonical.get("service", ""),
        consistency_level=canonical.get("consistency_level"),
    )


def row_bytes(canonical: Canonical, value_bytes: int | None = None) -> Decimal | None:
    """Columns by their size, where both are stated; else by the rule of the load tool. None: unknown."""
    columns, size = canonical.get("columns"), value_bytes or canonical.get("value_bytes")
    if columns and size:
        return Decimal(columns * size)
    rule = RULES.get(canonical.get("tool") or "")
    # how many there are makes no difference to one
    rows = rule({**canonical, "value_bytes": size, "key_count": canonical.get("key_count") or 1}, {}) if rule else None
    return exact(rows.row_bytes) if rows else None
