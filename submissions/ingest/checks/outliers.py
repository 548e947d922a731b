"""Rates and stated prices that nothing known comes near: flagged, and off the boards until a moderator looks."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from decimal import Decimal

from django.contrib.auth.models import User

from submissions.choices import Flag, Trust
from submissions.ingest.checks.comparable_results import Best, StoredWorkload, stored_workloads
from submissions.ingest.pipeline import Prepared
from submissions.pricing.cost import ops_per_usd

MOST_TIMES = 10  # of the best of the workload
MOST_OPS_S_PER_NODE = 100_000_000  # no database node does that
LEAST_HOURLY_USD = Decimal("0.001")  # of a node: no machine costs less

_EXEMPT = (Trust.HISTORICAL, Trust.RUN_BY_US)


def with_outliers_flagged(prepared: Prepared, submitted_by: User | None) -> Prepared:
    """As it would be stored now. One query."""
    account = submitted_by.pk if submitted_by else None
    return flagged([prepared], stored_workloads([prepared.fingerprint], account))[0]


def flagged(batch: Sequence[Prepared], workloads: Mapping[str, StoredWorkload]) -> list[Prepared]:
    """The batch in its order; `workloads` has those that exist, by fingerprint."""
    best = {fingerprint: stored.best for fingerprint, stored in workloads.items()}
    return [_flagged(prepared, best.get(prepared.fingerprint, Best())) for prepared in batch]


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
    if prepared.trust in _EXEMPT:
        return prepared
    flags = set(prepared.flags)
    if has_implausible_rate(prepared, best):
        flags.add(Flag.RATE_IMPLAUSIBLE)
    if has_implausible_price(prepared, best):
        flags.add(Flag.STATED_PRICE_OFF)
    in_order = tuple(flag for flag in Flag if flag in flags)
    return prepared if in_order == prepared.flags else replace(prepared, flags=in_order)
