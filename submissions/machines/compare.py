"""Two machine types side by side: facts, prices, and their best results under the same workloads, with verdicts."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from itertools import product

from django.db.models import F, Q

from submissions.analysis.comparison.compare import Comparison
from submissions.choices import PricingModel
from submissions.machines.catalogue import Machine, MachineKey
from submissions.machines.prices import MachinePrices, monthly, prices_of
from submissions.models import Submission
from submissions.pricing.cost import Rate
from submissions.pricing.discounts import Discounts
from submissions.pricing.reprice import at_reader_prices
from submissions.pricing.terms import PriceTerms
from submissions.questions.compare.pairs import comparisons

MOST_WORKLOADS = 20  # the newest ones
_MOST_ROWS = 2_000
_CLUSTER = ("workload_id", "provider", "instance_type", "node_count")


@dataclass(frozen=True, slots=True)
class Side:
    machine: Machine
    prices: MachinePrices

    @property
    def monthly_usd(self) -> Decimal | None:
        """On demand, in the region that is shown."""
        here = self.prices.here
        return monthly(here.on_demand) if here else None

    @property
    def monthly_usd_per_vcpu(self) -> Decimal | None:
        return _share(self.monthly_usd, self.machine.vcpus)

    @property
    def monthly_usd_per_gib(self) -> Decimal | None:
        return _share(self.monthly_usd, self.machine.memory_gib)


@dataclass(frozen=True, slots=True)
class WorkloadPair:
    """The best result of each under one workload, of as many nodes where there are such; the second against the first.

    Prices are those when measured, less the reader's discounts.
    """

    a: Submission
    b: Submission
    comparison: Comparison

    @property
    def has_same_count(self) -> bool:
        return self.a.node_count == self.b.node_count


@dataclass(frozen=True, slots=True)
class MachinesComparison:
    a: Side
    b: Side
    pairs: tuple[WorkloadPair, ...]  # the newest workloads first
    workloads: int  # that ran on both

    @property
    def sides(self) -> tuple[Side, Side]:
        return self.a, self.b

    @property
    def rates(self) -> list[tuple[PricingModel, list[Rate | None]]]:
        """Of each pricing model that has a price of a side, in the region that is shown."""
        here = [side.prices.here.rates if side.prices.here else {} for side in self.sides]
        rows = [(model, [rates.get(model) for rates in here]) for model in PricingModel]
        return [(model, rates) for model, rates in rows if any(rates)]


def compare_machines(a: Machine, b: Machine, day: date, discounts: Discounts = ()) -> MachinesComparison:
    """Three queries, and three for each kind of latency among the results."""
    sides = [Side(machine, prices_of(machine.key, "", day, discounts)) for machine in (a, b)]
    pairs, workloads = _pairs(a.key, b.key, discounts)
    return MachinesComparison(sides[0], sides[1], pairs, workloads)


def _pairs(a: MachineKey, b: MachineKey, discounts: Discounts) -> tuple[tuple[WorkloadPair, ...], int]:
    by_workload: dict[int, tuple[list[Submission], list[Submission]]] = {}
    for row in _best_of_clusters(a, b):
        sides = by_workload.setdefault(row.workload_id, ([], []))
        sides[MachineKey(row.provider, row.instance_type) == b].append(row)
    shared = {pk: sides for pk, sides in by_workload.items() if all(sides)}
    newest = sorted(shared, key=lambda pk: (_newest(shared[pk]), pk), reverse=True)
    chosen = [_chosen(*shared[pk]) for pk in newest[:MOST_WORKLOADS]]
    at_reader_prices([row for pair in chosen for row in pair], PriceTerms(discounts=discounts))
    compared = comparisons(chosen)
    return tuple(WorkloadPair(one, other, compared[one.pk, other.pk]) for one, other in chosen), len(shared)


def _best_of_clusters(a: MachineKey, b: MachineKey) -> Iterable[Submission]:
    """Of each workload, type and number of nodes the result with the best value. One query."""
    either = Q(provider=a.provider, instance_type=a.name) | Q(provider=b.provider, instance_type=b.name)
    rows = Submission.objects.rankable().trust_filtered(None).filter(either)
    best = rows.order_by(*_CLUSTER, F("ops_per_usd").desc(nulls_last=True), F("throughput_ops_s").desc(), "-pk")
    return best.distinct(*_CLUSTER).defer("document", "notes").select_related("workload")[:_MOST_ROWS]


def _newest(sides: tuple[Sequence[Submission], Sequence[Submission]]) -> float:
    return max((row.measured_at.timestamp() for side in sides for row in side if row.measured_at), default=0.0)


def _chosen(one: Sequence[Submission], other: Sequence[Submission]) -> tuple[Submission, Submission]:
    """Of one kind of latency before others, of as many nodes before others, then those with the best value."""

    def order(pair: tuple[Submission, Submission]) -> tuple[bool, bool, float]:
        x, y = pair
        value = sum(float(row.ops_per_usd or 0) for row in pair)
        return x.latency_kind == y.latency_kind, x.node_count == y.node_count, value

    return max(product(one, other), key=order)


def _share(usd: Decimal | None, of: float | None) -> Decimal | None:
    return usd / Decimal(str(of)) if usd is not None and of else None
