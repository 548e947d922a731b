"""What a plain scan of all rows answers: no stored figures, no best ones, no prices by the shape of a cluster."""

from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache, cached_property
from math import exp, fsum, inf, log
from statistics import median
from typing import Any

from submissions.choices import PROVEN, UNSOUND_FLAGS, Flag, LatencyKind, NodeKind, PricingModel, Role, Trust
from submissions.metrics import ERROR_SHARE
from submissions.models import InstanceType, NodeGroup, Submission
from submissions.pricing.reprice import costs_of_rows
from submissions.pricing.terms import PriceTerms
from submissions.questions.recommend.form import RecommendParams
from submissions.questions.recommend.work import Work, work_of

HOURS = 730
LISTED = {"aws", "gce", "azure", "hetzner"}  # their price lists count, whatever was stated


@dataclass(eq=False)
class Load:
    """A result, or a load of its curve."""

    row: Submission
    rate: float
    p99: float | None  # that a limit is compared with; None: unknown
    is_peak: bool
    mean_rate: float  # of the runs of its configuration, or its own
    mean_p99: float | None

    def data_misses(self, requested_gib: float | None) -> tuple[list[float | None], bool]:
        """Of the space and of the ratio of data to memory, and whether this ratio is unknown."""
        if requested_gib is None:
            return [], False
        groups = [group for group in self.row.node_groups.all() if group.role == Role.DATABASE]
        nodes = sum(group.count for group in groups)
        copies = self.row.workload.canonical.get("replication_factor")
        is_managed = any(group.kind == NodeKind.MANAGED for group in groups)
        if copies and not is_managed:
            copies = min(copies, nodes)
        if not copies and nodes == 1:
            copies = 1
        held = self.row.data_bytes / 2**30 if self.row.data_bytes else None
        space = self._space(groups) if copies else None
        missed: list[float | None] = []
        if space is None and (held is None or requested_gib > held):
            missed.append(None)
        elif space is not None and requested_gib > space / copies:
            missed.append(requested_gib * copies / space)
        ratio, memory = self.row.data_to_memory, self._memory(groups)
        if ratio and memory is None and held and copies:
            memory = held * copies / ratio
        times = (
            requested_gib * copies / memory / ratio
            if ratio and memory and copies
            else requested_gib / held
            if held
            else None
        )
        if times is not None and times > 2:
            missed.append(times / 2)
        return missed, ratio is None or times is None

    def _memory(self, groups: list[NodeGroup]) -> float | None:
        found = [(group.memory_gib or MACHINES.memory(self.row.provider, group), group.count) for group in groups]
        return sum(gib * count for gib, count in found) if all(gib for gib, _ in found) else None

    def _space(self, groups: list[NodeGroup]) -> float | None:
        """Without head-room; none of the results is of a database in memory or of an old Cassandra."""
        sizes = [size for group in groups for size in self._disks(group)]
        return sum(sizes) if sizes and None not in sizes else None

    def _disks(self, group: NodeGroup) -> list[float | None]:
        if not group.disks:
            local = None if group.kind == NodeKind.MANAGED else MACHINES.local_disk(self.row.provider, group)
            return [group.count * local if local else None]
        return [
            None if disk.get("size_gib") is None else group.count * _worth(disk) * disk["size_gib"]
            for disk in group.disks
        ]

    @cached_property
    def work(self) -> Work | None:
        return work_of(self.row.workload.canonical.get("operations"))

    @property
    def is_throttled(self) -> bool:
        return Flag.THROTTLED in self.row.flags

    @cached_property
    def cluster(self) -> tuple[Any, ...]:
        """Equal for equal machines that cost the same, under one workload."""
        machines: Counter[tuple[Any, ...]] = Counter()
        groups = [group for group in self.row.node_groups.all() if group.role != Role.CLIENT]
        for group in groups:
            disks = [
                sorted((name, value) for name, value in disk.items() if name != "filesystem") for disk in group.disks
            ]
            stated = group.node_hourly_usd if group.is_price_stated and self.row.provider not in LISTED else None
            machines[group.role, group.instance_type, str(sorted(disks)), group.kind, stated] += group.count
        bought = frozenset(group.pricing_model for group in groups)
        return self.row.workload_id, self.row.provider, self.row.region, bought, frozenset(machines.items())


def _worth(disk: dict[str, Any]) -> float:
    """Disks that hold data."""
    count = disk.get("count") or 1
    return {"raid1": 1, "raid10": count / 2, "raid5": count - 1, "raid6": count - 2}.get(disk.get("raid") or "", count)


class _Machines:
    """The catalogue, read at each question: it is small."""

    def memory(self, provider: str, group: NodeGroup) -> float | None:
        machine = self._machine(provider, group)
        return machine.memory_gib if machine else None

    def local_disk(self, provider: str, group: NodeGroup) -> float | None:
        machine = self._machine(provider, group)
        return machine.local_disk_gib if machine else None

    def _machine(self, provider: str, group: NodeGroup) -> InstanceType | None:
        return InstanceType.objects.filter(provider=provider, name=group.instance_type).first()


MACHINES = _Machines()


class Scan:
    """All rows of a database, read once."""

    def __init__(self) -> None:
        rows = Submission.objects.filter(throughput_ops_s__gt=0, unranked_at=None, unranked_until=None)
        rows = rows.select_related("workload").prefetch_related("node_groups", "trials", "load_points")
        self.rows = [row for row in rows if not set(UNSOUND_FLAGS) & set(row.flags)]
        self._months = cache(self._months_at)
        rates, p99s = defaultdict(list), defaultdict(list)
        for row in rows:
            if row.trust in PROVEN and Flag.THROTTLED not in row.flags:
                rates[row.workload_id, row.configuration].append(log(row.throughput_ops_s))
                if row.latency_p99_ms:
                    p99s[row.workload_id, row.configuration, row.latency_kind].append(log(row.latency_p99_ms))
        self._rates, self._p99s = rates, p99s
        self.loads = [load for row in self.rows for load in self._loads_of(row)]

    def _months_at(self, terms: PriceTerms) -> dict[int, float]:
        """Of each row that has a price."""
        months = {}
        costs = costs_of_rows(Submission.objects.all(), terms).costs
        for row in self.rows:
            bought = {group.pricing_model for group in row.node_groups.all() if group.role != Role.CLIENT}
            is_on_demand = terms.basis == PricingModel.ON_DEMAND and bought == {PricingModel.ON_DEMAND}
            if row.pk in costs and (is_on_demand or not costs[row.pk].is_stated):
                months[row.pk] = float(costs[row.pk].hourly_usd * HOURS)
        return months

    def month(self, row: Submission, terms: PriceTerms) -> float | None:
        return self._months(terms).get(row.pk)

    def _loads_of(self, row: Submission) -> Iterator[Load]:
        points = sorted(row.load_points.all(), key=lambda point: point.index)
        if points:
            below = 0.0
            for point in points:
                errors = point.error_share
                if not point.is_sustained or (errors is not None and errors > ERROR_SHARE):
                    below = inf
                own = point.worst_p99_ms if point.is_comparable and errors is not None else None
                known = None if own is None or point.latency_kind == LatencyKind.UNKNOWN else max(own, below)
                yield Load(row, point.throughput_ops_s, known, point.is_peak, point.throughput_ops_s, own)
                below = max(below, own or 0.0)
            return
        p99 = row.latency_p99_ms
        if p99 is None:
            p99 = _slowest(row)
        known = None if row.latency_kind == LatencyKind.UNKNOWN else p99
        key = row.workload_id, row.configuration
        rates = self._rates.get(key) or [log(row.throughput_ops_s)]
        p99s = self._p99s.get((*key, row.latency_kind)) or ([log(p99)] if p99 else [])
        mean_p99 = exp(fsum(p99s) / len(p99s)) if p99s else None
        yield Load(row, row.throughput_ops_s, known, True, exp(fsum(rates) / len(rates)), mean_p99)

    def of_question(self, params: RecommendParams) -> list[Load]:
        fitting = [
            load
            for load in self.loads
            if params.service in ("", load.row.service)
            and params.workload in ("", load.row.workload.fingerprint)
            and params.work in (None, load.work)
            and params.value_bytes in (None, load.row.workload.canonical.get("value_bytes"))
        ]
        has_log = any(load.row.trust in PROVEN for load in fitting)
        trusts = PROVEN if has_log else (*PROVEN, Trust.HISTORICAL)
        return [
            load
            for load in fitting
            if load.row.trust in trusts
            and params.provider in ("", load.row.provider)
            and params.region in ("", load.row.region)
        ]

    def able(self, params: RecommendParams) -> list[tuple[float | None, Load]]:
        """(month, load) of those within all limits."""
        priced = [(self.month(load.row, params.terms), load) for load in self.of_question(params)]
        able = [(usd, load) for usd, load in priced if not _misses(usd, load, params)]
        return [(usd, load) for usd, load in able if not load.data_misses(params.data_gib)[1]] or able

    def cheapest(self, params: RecommendParams) -> float | None:
        """The month of the cheapest whose runs keep the limits on average, else of the cheapest."""
        priced = [(usd, load) for usd, load in self.able(params) if usd is not None]
        holding = [usd for usd, load in priced if _holds(load, params)]
        return min(holding or [usd for usd, _ in priced], default=None)

    def best_value(self, params: RecommendParams) -> float | None:
        found = [
            load.rate / usd for usd, load in self.able(params) if usd and not load.is_throttled and _holds(load, params)
        ]
        return max(found, default=None)

    def fastest(self, params: RecommendParams) -> float | None:
        found = [load.rate for _, load in self.able(params) if not load.is_throttled and _holds(load, params)]
        return max(found, default=None)

    def nearest(self, params: RecommendParams) -> list[tuple[int, int, float, float]]:
        """Of each cluster under each workload: limits missed, unknown ones, the logarithms of the misses, month."""
        best: dict[tuple[Any, ...], tuple[int, int, float, float]] = {}
        for load in self.of_question(params):
            usd = self.month(load.row, params.terms)
            missed = _misses(usd, load, params)
            factors = [factor for factor in missed if factor is not None]
            unknown = len(missed) - len(factors) + load.data_misses(params.data_gib)[1]
            own = (len(missed), unknown, fsum(map(log, factors)), inf if usd is None else usd)
            best[load.cluster] = min(own, best.get(load.cluster, own))
        return sorted(best.values())


def _misses(usd: float | None, load: Load, params: RecommendParams) -> list[float | None]:
    missed: list[float | None] = []
    if params.target_ops_s and load.rate < params.target_ops_s:
        missed.append(params.target_ops_s / load.rate)
    if params.max_p99_ms and (load.p99 is None or load.p99 > params.max_p99_ms):
        missed.append(None if load.p99 is None else min(load.p99, 1e12) / params.max_p99_ms)
    missed += load.data_misses(params.data_gib)[0]
    budget = params.budget_usd_month
    if budget and (usd is None or usd > budget):
        missed.append(None if usd is None else usd / float(budget))
    return missed


def _holds(load: Load, params: RecommendParams) -> bool:
    if load.is_throttled or not load.is_peak:
        return True
    keeps_rate = not params.target_ops_s or load.mean_rate >= params.target_ops_s * (1 - 1e-9)
    return keeps_rate and (not params.max_p99_ms or (load.mean_p99 or 0.0) <= params.max_p99_ms * (1 + 1e-9))


def _slowest(row: Submission) -> float | None:
    """Of each trial the p99 of its slowest type of operation; the median over the trials."""
    slowest = []
    for trial in row.trials.all():
        p99s = [(one.get("latency_ms") or {}).get("p99") for one in trial.by_operation if one.get("operations") != 0]
        if not p99s or None in p99s:
            return None
        slowest.append(max(p99s))
    return median(slowest) if slowest else None
