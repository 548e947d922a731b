"""Plans that fill empty cells of the coverage map: a usual load on a machine of the family, and what it costs."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from datetime import date
from decimal import ROUND_CEILING, Decimal
from functools import lru_cache, partial
from math import log2
from typing import Any, NamedTuple

from django.conf import settings
from django.urls import reverse
from django.utils import timezone
from django.utils.http import urlencode

from runners.load_tools import for_plan, workload_of
from runners.plan_schema.run_plan import NodesPlan, RunPlan, as_json
from runners.plans.estimate import WIND_DOWN_SECONDS, expected_seconds, usual_trials
from runners.plans.faults import faults_of
from runners.plans.offers import Offer, offers_of
from runners.plans.presets import usual_plan
from runners.plans.pricing import groups_of, price_keys
from runners.providers.registry import offered, traits_of
from submissions.choices import Raid
from submissions.formatting.names import cluster_name
from submissions.models import InstanceType
from submissions.pricing.book import book as price_book
from submissions.pricing.cost import Group, MachineUse, RunCost, run_cost
from submissions.pricing.providers import billing_of
from submissions.questions.coverage.runs import CellRun, RunKey, Runs
from submissions.questions.recommend.work import Work
from submissions.records.cache import prices_version

BASE_TOOL = "cassandra-stress"  # whose preset has region, zone and client of a provider
USUAL_VCPUS = 8  # as the database nodes of the presets: of a family the type closest to it is measured
LEAST_MEMORY_GIB = 8  # of a database node with the usual settings
_TRIAL_SECONDS = 300
_ROWS = 2_000_000
_ONE_NODE: Mapping[str, Any] = {"count": 1}


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
    """What this site can run, at the prices of today. One query, three more a cloud while the prices are new here."""
    today, version = timezone.now().date(), prices_version()
    machines = {provider: _machines(provider, today, version) for provider in _clouds()}
    usual = {
        provider: family
        for provider, own in machines.items()
        if (family := billing_of(provider).family_of(_base(provider)["database"]["instance_type"])) and family in own
    }
    return Runs(
        loads=frozenset((_service(load), load.work) for provider in machines for load, _ in _loads(provider, version)),
        families={provider: frozenset(own) for provider, own in machines.items()},
        usual_families=usual,
        priced=partial(_priced, today, version, usual),
    )


def cell_plan(*, service: str, work: str, provider: str, machine_family: str) -> Mapping[str, Any] | None:
    """The plan of one cell; None where this site can run nothing there, and without a query where no cell is named."""
    if not all((service, work, provider, machine_family)) or provider not in _clouds():
        return None
    today, version = timezone.now().date(), prices_version()
    machine = _machines(provider, today, version).get(machine_family)
    load = next((load for load, _ in _loads(provider, version) if (_service(load), load.work) == (service, work)), None)
    if machine is None or load is None:
        return None
    run = runs_of_site().priced([key := RunKey(service, load.work, provider, machine_family)]).get(key)
    return {**as_json(_plan(provider, machine, load)), "max_usd": str(_budget(run.worst_case_usd))} if run else None


def _clouds() -> list[str]:
    """Where plans begin from a preset; this machine has no families."""
    return [slug for slug in offered() if not traits_of(slug).is_this_machine and _base(slug)]


def _base(provider: str) -> Mapping[str, Any]:
    return usual_plan(provider, BASE_TOOL)


def _service(load: Load) -> str:
    workload = workload_of(load.workload["tool"])
    return workload.service if workload else ""


def _priced(on: date, prices: str, usual: Mapping[str, str], keys: Collection[RunKey]) -> Mapping[RunKey, CellRun]:
    """One query a provider whose runs are not priced yet."""
    limit = Decimal(settings.MAX_RUN_USD)
    found: dict[RunKey, CellRun] = {}
    for provider in {key.provider for key in keys}:
        families = {key.machine_family for key in keys if key.provider == provider}
        only = usual[provider] if families == {usual.get(provider)} else ""
        runs = _runs(provider, only, on, prices, limit)
        found |= {key: runs[key] for key in keys if key in runs}
    return found


@lru_cache(16)
def _runs(provider: str, only: str, on: date, prices: str, limit: Decimal) -> Mapping[RunKey, CellRun]:
    """Of all families, or of one, what costs at most the limit; `prices` is the version of the price book."""
    machines = {family: own for family, own in _machines(provider, on, prices).items() if only in ("", family)}
    plans = {
        (family, load.work, _service(load)): (_plan(provider, machine, load), seconds)
        for family, machine in machines.items()
        for load, seconds in _loads(provider, prices)
    }
    book = price_book.load({key for plan, _ in plans.values() for key in price_keys(plan)})
    groups: dict[NodesPlan, list[Group]] = {}  # of plans with these database nodes: their loads cost nothing
    costs: dict[tuple[NodesPlan, float], RunCost] = {}
    found = {}
    for (family, work, service), (plan, seconds) in plans.items():
        nodes = plan.database
        if nodes not in groups:
            groups[nodes] = groups_of(plan, on=on, book=book)
        for length in seconds:
            if (nodes, length) not in costs:
                costs[nodes, length] = _cost(groups[nodes], length, provider, on)
        expected, worst = costs[nodes, seconds.expected], costs[nodes, seconds.worst]
        if expected.usd is not None and worst.usd is not None and _budget(worst.usd) <= limit:
            key = RunKey(service, work, provider, family)
            since = min((item.price_date for item in worst.items if item.price_date), default=None)
            found[key] = CellRun(_cluster(plan), plan.region or "", expected.usd, worst.usd, since, _address(key))
    return found


class Seconds(NamedTuple):
    """As in the estimate of a plan, from the launch to the end of the last machine."""

    expected: float
    worst: float


@lru_cache(8)
def _loads(provider: str, prices: str) -> Sequence[tuple[Load, Seconds]]:
    """Those that this site can run there, and how long: jobs have the same length on every machine type.

    No price decides it; a site that has new ones looks again.
    """
    machine = Machine(_base(provider)["database"]["instance_type"], ())
    found = []
    for load in LOADS:
        plan = _plan(provider, machine, load)
        if not faults_of(plan):
            worst = float(plan.max_duration_minutes * 60 + WIND_DOWN_SECONDS)
            expected = expected_seconds(plan, for_plan(plan), usual_trials(plan))
            found.append((load, Seconds(min(expected, worst), worst)))
    return found


def _cost(groups: Sequence[Group], seconds: float, provider: str, on: date) -> RunCost:
    """All machines are in one zone: no traffic between zones is billed."""
    uses = [MachineUse(group, Decimal(str(seconds))) for group in groups]
    return run_cost(uses, provider=provider, launched_on=on)


def _budget(worst_case_usd: Decimal) -> Decimal:
    """Whole dollars."""
    return worst_case_usd.quantize(Decimal(1), ROUND_CEILING)


def _cluster(plan: RunPlan) -> str:
    clusters = [cluster_name(plan.database.count, plan.database.instance_type)]
    if plan.client:
        clusters.append(f"{cluster_name(plan.client.count, plan.client.instance_type)} as client")
    return ", ".join(clusters)


def _address(key: RunKey) -> str:
    return f"{reverse('runners:new')}?{urlencode(key._asdict())}"


class Machine(NamedTuple):
    instance_type: str
    disks: Sequence[Mapping[str, Any]]


@lru_cache(8)
def _machines(provider: str, on: date, prices: str) -> Mapping[str, Machine]:
    """Of each family the type closest to USUAL_VCPUS, the cheapest of equals. Three queries."""
    best: dict[str, Offer] = {}
    for offer in offers_of(provider, traits_of(provider).usual_region, on=on):
        family = billing_of(provider).family_of(offer.name)
        if family and offer.vcpus and offer.hourly_usd and (offer.memory_gib or 0) >= LEAST_MEMORY_GIB:
            best[family] = min(best.get(family, offer), offer, key=_distance)
    types = InstanceType.objects.filter(provider=provider, name__in=[offer.name for offer in best.values()])
    disks = {row.name: list(_local_disks(row)) for row in types}
    return {family: Machine(offer.name, disks.get(offer.name, ())) for family, offer in best.items()}


def _distance(offer: Offer) -> tuple[float, Decimal, str]:
    return abs(log2((offer.vcpus or 1) / USUAL_VCPUS)), offer.hourly_usd or Decimal(0), offer.name


def _local_disks(row: InstanceType) -> Iterator[Mapping[str, Any]]:
    """Where the data is; on a type without them it is on the root disk, as in the presets."""
    if row.local_disk_count and row.local_disk_gib and row.local_disk_kind:
        size = round(row.local_disk_gib / row.local_disk_count, 1)
        raid = Raid.RAID0 if row.local_disk_count > 1 else Raid.NONE
        yield {"kind": row.local_disk_kind, "count": row.local_disk_count, "size_gib": size, "raid": raid.value}


def _plan(provider: str, machine: Machine, load: Load) -> RunPlan:
    """Of a budget that is none yet."""
    base = _base(provider)
    plan = {name: value for name, value in base.items() if name != "title"}
    if not getattr(workload_of(load.workload["tool"]), "needs_java", False):
        plan.pop("jdk", None)
    service = base["service"] if _service(load) == base["service"]["name"] else {"name": _service(load)}
    count = {"count": base["database"]["count"], **load.database}
    database = {"instance_type": machine.instance_type, "disks": list(machine.disks), **count}
    changes = {"service": service, "database": database, "workload": dict(load.workload), "max_usd": "0"}
    return RunPlan.model_validate({**plan, **changes})
