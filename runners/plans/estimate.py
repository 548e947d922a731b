"""The expected and the worst-case cost of a run: pure arithmetic over a plan and its prices."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from decimal import Decimal
from typing import Any

from runners.load_search.search import USUAL_STEPS
from runners.load_tools.base import Member, Workload
from runners.plan_schema.run_plan import RunPlan
from runners.providers.registry import traits_of
from submissions.choices import Role
from submissions.formatting.numbers import decimal_text
from submissions.pricing.book.confirmation import PriceDates, confirmed_words
from submissions.pricing.book.dating import price_words
from submissions.pricing.cost import Group, LineItem, MachineUse, Rate, RunCost, exact, run_cost
from submissions.pricing.month.traffic import Rows, gb_between_zones

# Usual times of a cloud: from the launch until SSH answers, to copy the outputs, to delete.
LAUNCH_SECONDS = 120
COLLECT_SECONDS = 60
TEARDOWN_SECONDS = 90
# In the place of launching and deleting, for machines that another run of a series had before: to clear the hosts.
HANDOVER_SECONDS = 30
# The same on a machine that exists already.
LOCAL_SECONDS = 15
# How long after its deadline a run may still copy outputs before its machines are deleted (steps/queued.py).
WIND_DOWN_SECONDS = 15 * 60

# The rate per client for the estimate of traffic when the plan sets none: article B measured 17,500 writes/s per
# client; the worst case is three times that.
EXPECTED_OPS_S_PER_CLIENT = 17_500
WORST_OPS_S_PER_CLIENT = 52_500


@dataclass(frozen=True, slots=True)
class Estimate:
    """USD by line item. A total is None when a price is unknown; `missing` names it."""

    expected: RunCost
    worst: RunCost
    expected_seconds: float
    worst_seconds: float
    price_date: date | None  # the oldest price used
    price_last_seen: date | None  # of the price that was confirmed longest ago
    price_confirmed: str  # "last confirmed 14 months ago", where that is long
    price_words: str = ""  # of whom the prices are, since when, and when they were last seen
    warnings: tuple[str, ...] = ()  # sentences for the owner
    obstacle: str = ""  # why the run could only fail now: the site has no credentials for the cloud

    def with_warnings(self, more: Sequence[str]) -> "Estimate":
        return replace(self, warnings=(*self.warnings, *more))

    def as_json(self) -> dict[str, Any]:
        """Money as strings, null where unknown."""
        return {
            "expected_usd": decimal_text(self.expected.usd),
            "worst_case_usd": decimal_text(self.worst.usd),
            "expected_seconds": round(self.expected_seconds),
            "worst_case_seconds": round(self.worst_seconds),
            "price_date": self.price_date and self.price_date.isoformat(),
            "price_last_seen": self.price_last_seen and self.price_last_seen.isoformat(),
            "price_confirmed": self.price_confirmed,
            "price_words": self.price_words,
            "obstacle": self.obstacle,
            "missing": self.worst.missing or self.expected.missing,
            "warnings": list(self.warnings),
            "items": [_line(*pair) for pair in zip(self.expected.items, self.worst.items, strict=True)],
        }


def estimate(
    plan: RunPlan,
    workload: Workload,
    groups: Sequence[Group],
    ceilings: Mapping[str, Rate],
    traffic: Rate,
    *,
    on: date,
    has_machines: bool = False,
) -> Estimate:
    """Expected: every job takes its expected time. Worst case: every machine runs until the deadline, and then for as
    long as copying the outputs may take; a machine without a price costs its ceiling, by instance type.
    """
    expected_s = expected_seconds(plan, workload, usual_trials(plan))
    if has_machines:
        expected_s += HANDOVER_SECONDS - LAUNCH_SECONDS - TEARDOWN_SECONDS
    worst_s = float(plan.max_duration_minutes * 60 + WIND_DOWN_SECONDS)
    is_too_long = expected_seconds(plan, workload, plan.most_trials) > plan.max_duration_minutes * 60
    # the deadline ends a plan whose jobs would take longer
    expected_s = min(expected_s, worst_s)
    costs = [
        run_cost(
            [MachineUse(group, Decimal(str(seconds))) for group in priced],
            provider=plan.provider,
            launched_on=on,
            traffic_gb=traffic_gb(plan, workload, ops_s),
            traffic=traffic,
        )
        for seconds, ops_s, priced in (
            (expected_s, EXPECTED_OPS_S_PER_CLIENT, groups),
            (worst_s, WORST_OPS_S_PER_CLIENT, [_at_most(group, ceilings) for group in groups]),
        )
    ]
    dates = [item.price_date for item in costs[1].items if item.price_date]
    warnings = [
        f"the price of {name} is not known: the worst case assumes {decimal_text(rate.usd)} USD an hour"
        for name, rate in ceilings.items()
    ]
    if plan.load and is_too_long:
        warnings.append(
            f"{plan.most_trials} steps may not fit in before the deadline: then the run ends with those measured so far"
        )
    seen = min((item.last_seen for item in costs[1].items if item.last_seen), default=None)
    confirmed = confirmed_words(seen, on)
    return Estimate(
        costs[0],
        costs[1],
        expected_s,
        worst_s,
        price_date=min(dates, default=None),
        price_last_seen=seen,
        price_confirmed=confirmed,
        price_words=price_words(
            PriceDates(plan.provider, item.price_date, item.last_seen) for item in costs[1].items if item.price_date
        ),
        warnings=tuple(warnings),
    )


def _at_most(group: Group, ceilings: Mapping[str, Rate]) -> Group:
    rate = ceilings.get(group.node.label)
    return group if rate is None else replace(group, node=replace(group.node, rate=rate))


def expected_seconds(plan: RunPlan, workload: Workload, trials: int) -> float:
    """From the launch of the first machine to the end of the last, with so many trials."""
    members = _members(plan)
    setup = sum(job.expected_seconds for job in workload.bootstrap_jobs(plan.heaviest, members))
    trial = workload.trial_job(plan.heaviest, members, 0).expected_seconds
    profile = workload.profile_job(plan, members)
    pauses = (trials - 1) * plan.workload.pause_seconds
    is_this_machine = traits_of(plan.provider).is_this_machine
    fixed = LOCAL_SECONDS if is_this_machine else LAUNCH_SECONDS + COLLECT_SECONDS + TEARDOWN_SECONDS
    return float(fixed + setup + trials * trial + pauses + (profile.expected_seconds if profile else 0))


def usual_trials(plan: RunPlan) -> int:
    """A search mostly ends by itself before its last step; other runs have all their trials."""
    is_search = plan.load is not None and plan.load.slo is not None
    return min(plan.most_trials, plan.trials + USUAL_STEPS) if is_search else plan.most_trials


def traffic_gb(plan: RunPlan, workload: Workload, ops_s_per_client: int) -> Decimal:
    """GB between zones of all trials, where each client does so much as far as the plan does not limit it."""
    load = plan.workload
    if load.operations is not None:
        operations = load.operations
    else:
        clients = plan.client.count if plan.client else 1
        rate = load.fixed_rate_ops_s or ops_s_per_client * clients
        operations = int(rate * (load.duration_seconds or 0))
    return traffic_of(plan, workload, operations * plan.most_trials)


def traffic_of(plan: RunPlan, workload: Workload, operations: int) -> Decimal:
    """GB between zones of so many operations of the trials, and of the rows that are written before them.

    By the formula of a month (submissions/pricing/month/traffic.py): payload alone, without the way from a client to
    the node that it asks.
    """
    written = operations * exact(workload.write_share(plan))
    rows = Rows(
        written=written + (plan.workload.prefill or 0),
        read=operations - written,
        row_bytes=Decimal(workload.row_bytes(plan)),
        replication_factor=plan.workload.replication_factor,
        service=plan.service.name,
        consistency_level=plan.workload.consistency_level,
    )
    gigabytes, _ = gb_between_zones(rows, len(plan.zones))
    return gigabytes or Decimal(0)  # of a plan all is known


def _members(plan: RunPlan) -> list[Member]:
    """The future cluster, without addresses and links of disks: durations do not depend on them."""
    disks = tuple(disk.kind for disk in plan.database.disks for _ in range(disk.count))
    return [
        Member(name, role, index, "0.0.0.0", plan.zone_of(index if role == Role.DATABASE else 0), disks)  # noqa: S104
        for name, role, index in plan.node_names()
    ]


def _line(expected: LineItem, worst: LineItem) -> dict[str, Any]:
    return {
        "label": worst.label,
        "unit": worst.unit,
        "unit_usd": decimal_text(worst.unit_usd),
        "expected_quantity": decimal_text(expected.quantity),
        "worst_case_quantity": decimal_text(worst.quantity),
        "expected_usd": decimal_text(expected.usd),
        "worst_case_usd": decimal_text(worst.usd),
        "price_date": worst.price_date and worst.price_date.isoformat(),
        "source": worst.source,
        "missing": worst.missing,
    }
