"""Rates and stated prices that nothing known comes near: flagged, and off the boards until a moderator looks."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import Any

from django.contrib.auth.models import User
from django.db.models import Count, Max, Q

from submissions.choices import Flag, Trust
from submissions.ingest.pipeline import Prepared
from submissions.models import IS_PRICE_OFF, Submission
from submissions.pricing.cost import ops_per_usd

MOST_TIMES = 10  # of the best of the workload
FEWEST_KNOWN = 3  # results of others: with fewer the best is no measure
MOST_OPS_S_PER_NODE = 100_000_000  # no database node does that
LEAST_HOURLY_USD = Decimal("0.001")  # of a node: no machine costs less

_EXEMPT = (Trust.HISTORICAL, Trust.RUN_BY_US)


@dataclass(frozen=True, slots=True)
class Best:
    """Of what others have submitted of a workload; None with too few results."""

    ops_s: float | None = None
    ops_per_usd: Decimal | None = None


def with_outliers_flagged(batch: Sequence[Prepared], submitted_by: User | None) -> list[Prepared]:
    """The batch in its order. One query, none where nothing can be an outlier."""
    suspects = [prepared for prepared in batch if prepared.trust not in _EXEMPT and prepared.throughput]
    best = _best_of({prepared.fingerprint for prepared in suspects}, submitted_by) if suspects else {}
    return [
        prepared if prepared.trust in _EXEMPT else _flagged(prepared, best.get(prepared.fingerprint, Best()))
        for prepared in batch
    ]


def has_implausible_rate(prepared: Prepared, best: Best) -> bool:
    if prepared.throughput is None:
        return False
    rate = prepared.throughput.mean
    nodes = sum(group.count for group in prepared.document.nodes if group.role in group.role.SYSTEM_UNDER_TEST)
    return rate > nodes * MOST_OPS_S_PER_NODE or (best.ops_s is not None and rate > MOST_TIMES * best.ops_s)


def has_implausible_price(prepared: Prepared, best: Best) -> bool:
    """Of a price that the submitter stated; stated_prices.py compares it with the price book."""
    cost = prepared.priced.cost
    if not cost.is_stated or cost.hourly_usd is None or prepared.throughput is None:
        return False
    stated = (group.hourly_usd for group in prepared.document.nodes if group.role in group.role.SYSTEM_UNDER_TEST)
    if any(usd is not None and usd < LEAST_HOURLY_USD for usd in stated):
        return True
    value = ops_per_usd(hourly_usd=cost.hourly_usd, throughput_ops_s=prepared.throughput.mean)
    return best.ops_per_usd is not None and value > MOST_TIMES * best.ops_per_usd


def _flagged(prepared: Prepared, best: Best) -> Prepared:
    found = set(prepared.flags)
    if has_implausible_rate(prepared, best):
        found.add(Flag.RATE_IMPLAUSIBLE)
    if has_implausible_price(prepared, best):
        found.add(Flag.STATED_PRICE_OFF)
    return replace(prepared, flags=tuple(flag for flag in Flag if flag in found))


def _best_of(fingerprints: set[str], submitted_by: User | None) -> dict[str, Best]:
    """By fingerprint. Uploads without a log count only where too few others are known."""
    others = Submission.objects.rankable().filter(workload__fingerprint__in=fingerprints)
    if submitted_by is not None:
        others = others.exclude(submitted_by=submitted_by)
    is_traced, is_priced = ~Q(trust=Trust.UPLOADED), ~IS_PRICE_OFF
    rows = others.order_by().values("workload__fingerprint")
    return {
        row["workload__fingerprint"]: _best(row)
        for row in rows.annotate(
            n=Count("pk"),
            ops_s=Max("throughput_ops_s"),
            value=Max("ops_per_usd", filter=is_priced),
            traced_n=Count("pk", filter=is_traced),
            traced_ops_s=Max("throughput_ops_s", filter=is_traced),
            traced_value=Max("ops_per_usd", filter=is_traced & is_priced),
        )
    }


def _best(row: Mapping[str, Any]) -> Best:
    for prefix in ("traced_", ""):
        if row[f"{prefix}n"] >= FEWEST_KNOWN:
            return Best(row[f"{prefix}ops_s"], row[f"{prefix}value"])
    return Best()
