"""Plans that fill empty cells of the coverage map: a usual load on a machine of the family, and what it costs."""

from collections.abc import Iterator, Mapping, Sequence
from datetime import date
from decimal import ROUND_CEILING, Decimal
from functools import lru_cache
from math import log2
from typing import Any, NamedTuple

from django.conf import settings
from django.urls import reverse
from django.utils import timezone
from django.utils.http import urlencode

from runners.load_tools import for_plan, workload_of
from runners.plan_schema.run_plan import RunPlan, as_json
from runners.plans.estimate import estimate
from runners.plans.faults import faults_of
from runners.plans.offers import Offer, offers_of
from runners.plans.presets import usual_plan
from runners.plans.pricing import groups_of, price_keys
from runners.providers.registry import offered, traits_of
from submissions.choices import Raid
from submissions.formatting.names import cluster_name
from submissions.models import InstanceType
from submissions.pricing.book import book as price_book
from submissions.pricing.cost import Rate
from submissions.pricing.providers import billing_of
from submissions.questions.coverage.runs import CellRun, RunKey, Runs
from submissions.questions.recommend.work import Work
from submissions.records.cache import prices_version

BASE_TOOL = "cassandra-stress"  # whose preset has region, zone and client of a provider
USUAL_VCPUS = 8  # as the database nodes of the presets: of a family the type closest to it is measured
_TRIAL_SECONDS = 300
_ROWS = 2_000_000
_ONE_NODE: Mapping[str, Any] = {"count": 1}
_NO_ZONES = Rate(None)  # all machines of these plans are in one zone: no traffic between zones is billed


class Load(NamedTuple):
    """`database` is what it needs beside the machine type."""

    work: Work
    workload: Mapping[str, Any]
    database: Mapping[str, Any] = {}


def _on_cluster(work: Work, **load: Any) -> Load:
    common = {"tool": BASE_TOOL, "consistency_level": "LOCAL_ONE", "replication_factor": 3, "threads": 200}
    return Load(work, {**common, **load})


def _on_one_node(work: Work, operation: str) -> Load:
    load = {"tool": "pgbench", "operation": operation, "scale": 100, "threads": 64}
    return Load(work, {**load, "duration_seconds": _TRIAL_SECONDS}, _ONE_NODE)


LOADS = (
    _on_cluster(Work.WRITES, operation="write", operations=_ROWS),
    _on_cluster(Work.MIXED, operation="mixed", read_share=0.5, prefill=_ROWS, duration_seconds=_TRIAL_SECONDS),
    _on_cluster(Work.READS, operation="read", prefill=_ROWS, duration_seconds=_TRIAL_SECONDS),
    _on_one_node(Work.WRITES, "tpcb"),
    _on_one_node(Work.MIXED, "simple-update"),
    _on_one_node(Work.READS, "select"),
)


def runs_of_site() -> Runs:
    """What this site can run, at the prices of today. Four queries a cloud while the prices are new to a process."""
    plans = _plans()
    usual = {}
    for provider in _clouds():
        family = billing_of(provider).family_of(_base(provider)["database"]["instance_type"])
        if family:
            usual[provider] = family
    return Runs({key: plan.run for key, plan in plans.items()}, usual)


def cell_plan(*, service: str, work: str, provider: str, machine_family: str) -> Mapping[str, Any] | None:
    """The plan of one cell; None where this site can run nothing there, and without a query where no cell is named."""
    key = (service, work, provider, machine_family)
    if not all(key):
        return None
    return next((plan.content for known, plan in _plans().items() if known == key), None)


class CellPlan(NamedTuple):
    content: Mapping[str, Any]
    run: CellRun


def _plans() -> Mapping[RunKey, CellPlan]:
    today, version = timezone.now().date(), prices_version()
    limit = Decimal(settings.MAX_RUN_USD)
    plans: dict[RunKey, CellPlan] = {}
    for provider in _clouds():
        plans.update(_plans_of(provider, today, version, limit))
    return plans


def _clouds() -> list[str]:
    """Where plans begin from a preset; this machine has no families."""
    return [slug for slug in offered() if not traits_of(slug).is_this_machine and _base(slug)]


def _base(provider: str) -> Mapping[str, Any]:
    return usual_plan(provider, BASE_TOOL)


def _service(load: Load) -> str:
    workload = workload_of(load.workload["tool"])
    return workload.service if workload else ""


@lru_cache(8)
def _plans_of(provider: str, on: date, prices: str, limit: Decimal) -> Mapping[RunKey, CellPlan]:
    """Those with known prices that cost at most the limit of this site; `prices` is the version of the price book."""
    plans: dict[RunKey, RunPlan] = {}
    for family, machine in _machines(provider, on).items():
        for load in LOADS:
            plan = RunPlan.model_validate(_content(provider, machine, load))
            if not faults_of(plan):
                plans[RunKey(_service(load), load.work, provider, family)] = plan
    book = price_book.load({key for plan in plans.values() for key in price_keys(plan)})
    found = {}
    for key, plan in plans.items():
        cost = estimate(plan, for_plan(plan), groups_of(plan, on=on, book=book), {}, _NO_ZONES, on=on)
        if cost.expected.usd is None or cost.worst.usd is None:
            continue
        budget = cost.worst.usd.quantize(Decimal(1), ROUND_CEILING)
        if budget <= limit:
            content = {**as_json(plan), "max_usd": str(budget)}
            found[key] = CellPlan(content, _run(key, plan, cost.expected.usd, cost.worst.usd, cost.price_date))
    return found


def _run(
    key: RunKey, plan: RunPlan, expected_usd: Decimal, worst_case_usd: Decimal, price_date: date | None
) -> CellRun:
    clusters = [cluster_name(plan.database.count, plan.database.instance_type)]
    if plan.client:
        clusters.append(f"{cluster_name(plan.client.count, plan.client.instance_type)} as client")
    return CellRun(
        cluster=", ".join(clusters),
        region=plan.region or "",
        expected_usd=expected_usd,
        worst_case_usd=worst_case_usd,
        price_date=price_date,
        address=f"{reverse('runners:new')}?{urlencode(key._asdict())}",
    )


class Machine(NamedTuple):
    offer: Offer
    disks: Sequence[Mapping[str, Any]]


def _machines(provider: str, on: date) -> dict[str, Machine]:
    """Of each family the type closest to USUAL_VCPUS, the cheapest of equals. Three queries."""
    best: dict[str, Offer] = {}
    for offer in offers_of(provider, traits_of(provider).usual_region, on=on):
        family = billing_of(provider).family_of(offer.name)
        if family and offer.vcpus and offer.hourly_usd:
            best[family] = min(best.get(family, offer), offer, key=_distance)
    types = InstanceType.objects.filter(provider=provider, name__in=[offer.name for offer in best.values()])
    disks = {row.name: list(_local_disks(row)) for row in types}
    return {family: Machine(offer, disks.get(offer.name, ())) for family, offer in best.items()}


def _distance(offer: Offer) -> tuple[float, Decimal, str]:
    return abs(log2((offer.vcpus or 1) / USUAL_VCPUS)), offer.hourly_usd or Decimal(0), offer.name


def _local_disks(row: InstanceType) -> Iterator[Mapping[str, Any]]:
    """Where the data is; on a type without them it is on the root disk, as in the presets."""
    if row.local_disk_count and row.local_disk_gib and row.local_disk_kind:
        size = round(row.local_disk_gib / row.local_disk_count, 1)
        raid = Raid.RAID0 if row.local_disk_count > 1 else Raid.NONE
        yield {"kind": row.local_disk_kind, "count": row.local_disk_count, "size_gib": size, "raid": raid.value}


def _content(provider: str, machine: Machine, load: Load) -> dict[str, Any]:
    base = _base(provider)
    plan = {name: value for name, value in base.items() if name != "title"}
    if not getattr(workload_of(load.workload["tool"]), "needs_java", False):
        plan.pop("jdk", None)
    service = base["service"] if _service(load) == base["service"]["name"] else {"name": _service(load)}
    count = {"count": base["database"]["count"], **load.database}
    database = {"instance_type": machine.offer.name, "disks": list(machine.disks), **count}
    return {**plan, "service": service, "database": database, "workload": dict(load.workload)}
