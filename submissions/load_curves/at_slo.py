"""What a system does, and costs, at a limit of its latency."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from submissions.analysis.curves.load_curve import DEFAULT_LIMIT, AtLimit, CurvePoint, LatencyLimit, at_limit
from submissions.formatting.numbers import decimal_text
from submissions.pricing.cost import HOURS_PER_MONTH, usd_per_million_ops

_PLACES = Decimal("1e-10")  # of the finest money column


@dataclass(frozen=True, slots=True)
class AtSlo:
    """USD are None where no measured rate keeps the limit, or the cost of the cluster is unknown."""

    limit: LatencyLimit
    found: AtLimit
    usd_per_month: Decimal | None  # 730 hours of the system under test
    usd_per_million_ops: Decimal | None

    def as_json(self) -> dict[str, Any]:
        """As the API and the column of a submission have it; money is text."""
        return {
            "percentile": str(self.limit.percentile),
            "max_ms": self.limit.max_ms,
            "max_error_share": self.limit.max_error_share,
            "ops_s": self.found.ops_s,
            "bracket": list(self.found.bracket),
            "confidence": [str(each) for each in self.found.confidence],
            "usd_per_month": decimal_text(self.usd_per_month),
            "usd_per_million_ops": decimal_text(self.usd_per_million_ops),
        }


def at_slo(points: Sequence[CurvePoint], limit: LatencyLimit, *, hourly_usd: Decimal | None) -> AtSlo | None:
    """None without a curve. `points` are in order of load."""
    if not points:
        return None
    found = at_limit(points, limit)
    if found.ops_s is None or hourly_usd is None:
        return AtSlo(limit, found, None, None)
    per_million = usd_per_million_ops(hourly_usd=hourly_usd, throughput_ops_s=found.ops_s)
    return AtSlo(limit, found, hourly_usd * HOURS_PER_MONTH, per_million.quantize(_PLACES))


def limit_of(slo: Mapping[str, Any] | None) -> LatencyLimit:
    """The limit that a document states, or a submission's `at_slo` has; else the default."""
    if not slo:
        return DEFAULT_LIMIT
    return LatencyLimit(slo["percentile"], slo["max_ms"], slo["max_error_share"])
