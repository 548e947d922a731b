"""The runs of a storm, what is to happen to each, and what must be true of it in the end."""

import math
import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import date, datetime
from decimal import Decimal
from itertools import pairwise
from typing import Any

from django.contrib.auth.models import User

from runners import lifecycle
from runners.choices import EndReason, RunStatus, SeriesStatus
from runners.models import Run, Series, SeriesCell
from runners.plan_schema.run_plan import THIS_MACHINE, RunPlan
from submissions.models import InstanceType
from tests.factories import PriceFactory
from tests.lab.ec2 import REGION
from tests.lab.storm_clock import Clock
from tests.lab.storm_clouds import NO_CAPACITY, NO_QUOTA, Cloud, Life
from tests.lab.storm_hosts import Hosts
from tests.lab.storm_load import TRIALS
from tests.runners.providers.gce_cloud import REGION as GCE_REGION

R = EndReason
PLACES = {"aws": (REGION, "abc", "m5.large"), "gce": (GCE_REGION, ("-a", "-b", "-c"), "n1-standard-2")}
OTHER_TYPES = {"aws": "m5a.large", "gce": "n2-standard-2"}  # of the same size
CANCEL, TAKEN_BACK, HOST_LOST, ENDLESS, TOOL_FAILS, NOT_ALLOWED, SILENT, SICK = (
    "cancel", "spot taken back", "host lost", "endless trial", "load tool fails", "deletion forbidden",
    "host never answers", "host installs nothing",
)  # fmt: skip
# What may happen to a run beside the weather, how often, and the reasons for which it may then end.
FATES: dict[str, tuple[int, tuple[EndReason, ...]]] = {
    "": (50, ()),
    CANCEL: (16, (R.CANCELLED_BY_USER,)),
    NO_CAPACITY: (6, (R.NO_CAPACITY,)),
    NO_QUOTA: (4, (R.QUOTA_EXCEEDED,)),
    TAKEN_BACK: (7, (R.SPOT_INTERRUPTED,)),
    HOST_LOST: (6, (R.STRESS_FAILED, R.BOOTSTRAP_FAILED)),
    # whatever comes first: the limit of the trial, of the run, or of its money
    ENDLESS: (5, (R.STRESS_FAILED, R.TIMED_OUT, R.BUDGET_EXCEEDED)),
    TOOL_FAILS: (4, (R.STRESS_FAILED,)),
    NOT_ALLOWED: (6, ()),
    SILENT: (6, ()),  # another machine takes its place
    SICK: (6, ()),
}
ON_THIS_MACHINE = ("", CANCEL)
OF_A_SERIES = ("", CANCEL, NO_CAPACITY, HOST_LOST, ENDLESS, TOOL_FAILS, NOT_ALLOWED)
CELLS = 4
LEAST_SECONDS = 60  # that both clouds bill for a machine
TOLERANCE = 1.0  # seconds: EC2 tells the end of a machine without fractions


@dataclass
class StormRun:
    run: Run
    cloud: Cloud
    hosts: Hosts
    fate: str
    forbidden_until: float | None = None
    has_struck: bool = False
    notes: list[str] = field(default_factory=list)

    @property
    def tag(self) -> str:
        """What its machines carry now."""
        return Run.objects.get(pk=self.run.pk).cloud_tag

    @property
    def may_end_by(self) -> Sequence[str]:
        return (R.COMPLETED, *FATES[self.fate][1])

    def faults(self, lives: Sequence[Life]) -> Iterator[str]:
        """What is wrong with the ended run; `lives` are those of its cloud."""
        run = Run.objects.get(pk=self.run.pk)
        mine = list(_in_its_time(run, [life for life in lives if life.tag == run.cloud_tag]))
        if not run.is_final:
            yield f"stuck: {run.status} {run.state}"
            return
        if run.end_reason not in self.may_end_by:
            yield f"ended by {run.end_reason}: {run.end_detail}"
        yield from _doubled(mine)
        was_replaced = run.nodes.exclude(replaced_at=None).count() == 1
        if self.fate in (SILENT, SICK) and run.end_reason == R.COMPLETED and not was_replaced:
            yield "completed without another machine in the place of the bad one"
        yield from _lost_results(run)
        yield from _receipt_faults(run, mine)
        if run.ssh_key or run.host_key:
            yield "its keys are stored still"


def _in_its_time(run: Run, lives: Sequence[Life]) -> Iterator[Life]:
    """Of machines that another run had before or afterwards, the part that is on this one's bill."""
    begin = run.launched_at.timestamp() if run.took_over_from_id else 0.0
    successor = run.successor
    end = successor.launched_at.timestamp() if successor else math.inf
    for life in lives:
        if life.began < end and (life.ended is None or life.ended > begin):
            ended = end if life.ended is None or life.ended > end else life.ended
            yield replace(life, began=max(life.began, begin), ended=None if ended == math.inf else ended)


def _doubled(mine: Sequence[Life]) -> Iterator[str]:
    """No machine, nor one that takes its place, begins while another one has the place."""
    by_place: dict[str, list[Life]] = {}
    for life in mine:
        by_place.setdefault(life.name.rstrip("b"), []).append(life)
    for name, same in by_place.items():
        same.sort(key=lambda life: life.began)
        if len({life.name for life in same}) < len(same):
            yield f"{name} was made twice: {', '.join(life.id for life in same)}"
        for one, other in pairwise(same):
            if one.ended is None or other.began < one.ended:
                yield f"{name} was there twice: {one.id}, {other.id}"


def _lost_results(run: Run) -> Iterator[str]:
    """Whatever was copied and is to be kept must be a submission; a completed run must have all its trials."""
    kept = run.outputs.filter(trial__lt=run.progress.get("trials_done", 0), sha256__isnull=False).exists()
    if kept and run.submission is None and EndReason(run.end_reason).keeps_results:
        yield f"measured, and lost: {run.end_reason} {run.end_detail}"
    trials = run.submission.trials_count if run.submission else 0
    is_said = "Not counted, since logs were lost" in run.end_detail
    if run.end_reason == R.COMPLETED and trials != TRIALS and not is_said:
        yield f"completed with {trials} of {TRIALS} trials"


def _receipt_faults(run: Run, mine: Sequence[Life]) -> Iterator[str]:
    if run.receipt is None:
        if mine:
            yield f"{len(mine)} machines without a receipt"
        return
    lines = {line["provider_id"]: line for line in run.receipt["machines"]}
    if run.receipt["left"]:
        yield f"{run.receipt['left']} left, by its receipt"
    if lines.keys() != {life.id for life in mine}:
        yield f"the receipt has {len(lines)} of {len(mine)} machines"
    total = Decimal(0)
    for life in (life for life in mine if life.id in lines):
        line = lines[life.id]
        began, ended = (datetime.fromisoformat(line[key]).timestamp() for key in ("from", "to"))
        # Nobody but the worker sees a run's folder on this machine go: the next one may see it later.
        is_late = run.provider == "local" and ended > (life.ended or 0)
        if abs(began - life.began) > TOLERANCE or (abs(ended - (life.ended or 0)) > TOLERANCE and not is_late):
            yield f"{life.name} {life.began:.1f}-{life.ended} is {began:.1f}-{ended:.1f} on the receipt"
        seconds = max(math.ceil((life.ended or began) - life.began), LEAST_SECONDS)
        total += Decimal(seconds) / 3600 * Decimal(line["hourly_usd"] or 0)
    stated = run.receipt["total_usd"]
    if lines and run.provider != "local" and (stated is None or abs(Decimal(stated) - total) >= Decimal("0.01")):
        yield f"{stated} USD instead of {total:.4f} {run.receipt['missing']}"


def queued(
    number: int,
    cloud: Cloud,
    owner: User,
    clock: Clock,
    dice: random.Random,
    *,
    cell: SeriesCell | None = None,
) -> StormRun:
    """A confirmed run with a fate; of a cell, with its plan."""
    fates = ON_THIS_MACHINE if cloud.slug == "local" else OF_A_SERIES if cell else tuple(FATES)
    [fate] = dice.choices(fates, [FATES[fate][0] for fate in fates])
    plan = cell.plan if cell else _plan(number, cloud.slug, dice, is_spot=fate == TAKEN_BACK)
    RunPlan.model_validate(plan)
    run = Run.objects.create(
        owner=owner,
        provider=cloud.slug,
        plan=plan,
        max_usd=Decimal(plan["max_usd"]),
        worst_case_usd=Decimal("0.1"),
        estimate={"worst_case_seconds": 60} if cell else None,
        tag=f"storm-{number}-{int(clock.time())}",
    )
    if cell is not None:
        SeriesCell.objects.filter(pk=cell.pk).update(run=run)
    lifecycle.advance(run, RunStatus.QUEUED, confirmed_at=clock.now())
    hosts = Hosts(cloud, run.tag, clock, random.Random(dice.random()))
    last = f"trial-{TRIALS - 1}"
    hosts.endless = last if fate == ENDLESS else ""
    hosts.failing = last if fate == TOOL_FAILS else ""
    bad = "client-0" if plan["database"]["count"] == 1 else "db-1"
    hosts.lost |= {bad} if fate == SILENT else set()
    hosts.sick = bad if fate == SICK else ""
    return StormRun(run, cloud, hosts, fate)


def series(number: int, cloud: Cloud, owner: User, clock: Clock, dice: random.Random) -> list[SeriesCell]:
    """The cells of one round, whose runs may use the same machines; their runs come one after another."""
    plan = _plan(number, cloud.slug, dice, is_spot=False)
    made = Series.objects.create(
        owner=owner,
        title=f"storm {number}",
        status=SeriesStatus.RUNNING,
        plan=plan,
        vary=[],
        repetitions=1,
        max_usd=1000,
        max_minutes=10_000,
        estimate={"cells": [{"expected_seconds": 600}] * CELLS},
        started_at=clock.now(),
    )
    return [
        SeriesCell.objects.create(
            series=made,
            number=index,
            repetition=1,
            values={},
            plan={
                **plan,
                "title": f"storm {number + index}",
                "workload": {**plan["workload"], "threads": 8 + index},
            },
            place=index,
            round=1,
        )
        for index in range(CELLS)
    ]


def _plan(number: int, slug: str, dice: random.Random, *, is_spot: bool) -> dict[str, Any]:
    plan: dict[str, Any] = {
        "title": f"storm {number}",
        "provider": slug,
        "service": {"name": "cassandra", "version": "5.0.9"},
        "workload": {"tool": "cassandra-stress", "operation": "write", "threads": 8, "operations": 20_000},
        "trials": TRIALS,
        "max_duration_minutes": 120,
        "max_usd": "45",
    }
    if slug == "local":
        return {**plan, "database": {"instance_type": THIS_MACHINE, "count": 1}}
    region, zones, kind = PLACES[slug]
    count = dice.randint(1, 3)
    return {
        **plan,
        "region": region,
        "zones": [f"{region}{zone}" for zone in zones[: dice.randint(1, count)]],
        "database": {"instance_type": kind, "count": count},
        "client": {"instance_type": kind, "count": 1},
        "pricing_model": "spot" if is_spot else "on_demand",
        "allow_equivalent_type": number % 2 == 0,
    }


def record_prices() -> None:
    """Of what the plans need; a price of spot machines counts for a month only."""
    for provider, (region, _, kind) in PLACES.items():
        disk, other = {"aws": "gp3", "gce": "pd-balanced"}[provider], OTHER_TYPES[provider]
        for name in (kind, other):
            facts = {"vcpus": 2, "memory_gib": 8, "source": "storm"}
            InstanceType.objects.get_or_create(provider=provider, name=name, defaults=facts)
        prices = (
            (kind, "hour", "3.60"),
            (other, "hour", "3.90"),
            (disk, "gib_month", "0.08"),
            ("cross-zone", "gb", "0.01"),
        )
        for sku, unit, usd in prices:
            for pricing_model in ("on_demand", "spot"):
                PriceFactory(
                    provider=provider,
                    region=region,
                    sku=sku,
                    unit=unit,
                    pricing_model=pricing_model,
                    usd=Decimal(usd),
                    valid_from=date(2026, 11, 1),
                )
