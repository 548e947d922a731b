"""The bill of a run, for its submission: each machine from launch to termination, storage, traffic between zones."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import date
from decimal import Decimal

from runners.load_tools import workload_of
from runners.models import Run, RunNode
from runners.plan_schema.run_plan import RunPlan
from runners.plans.estimate import traffic_of
from runners.plans.pricing import groups_of, traffic_rate
from submissions.choices import PricingModel
from submissions.ingest.document.bill import BillDocument, BillItemDocument
from submissions.pricing.book.confirmation import confirmed_words
from submissions.pricing.cost import Group, LineItem, MachineUse, run_cost
from submissions.pricing.providers import billing_of

_PLACES = Decimal("1E-9")  # of a machine hour: a third of one has no exact decimal
_USD_PLACES = Decimal("1E-8")


def bill_of_run(run: Run, plan: RunPlan, *, operations: int) -> BillDocument | None:
    """At the prices of the launch; None where no machine was launched, or nothing is billed.

    `operations` of all trials: the traffic is estimated from them, since no provider meters that of one run.
    """
    nodes = [node for node in run.nodes.all() if node.launched_at and node.terminated_at]
    if not nodes or not billing_of(plan.provider).sends_bill:
        return None
    launched_on = min(node.launched_at for node in nodes if node.launched_at).date()
    groups = groups_of(plan, on=launched_on)
    lines = [line for group in groups for line in _lines_of_group(group, nodes, plan, launched_on)]
    workload = workload_of(plan.workload.tool)
    traffic_gb = traffic_of(plan, workload, operations) if workload else Decimal(0)
    if traffic_gb > 0:
        rate = traffic_rate(plan, on=launched_on)
        confirmed = confirmed_words(rate.last_seen, launched_on)
        label = ", ".join(filter(None, ("traffic between zones, estimated from the operations", confirmed)))
        lines.append(_Line(label, "gb", traffic_gb, rate.usd, rate.price_date))
    return BillDocument(
        items=tuple(line.item() for line in lines if line.quantity > 0),
        basis=PricingModel(plan.pricing_model),
        price_date=min((line.price_date for line in lines if line.price_date), default=None),
    )


@dataclass(frozen=True, slots=True)
class _Line:
    label: str
    unit: str
    quantity: Decimal
    unit_usd: Decimal | None
    price_date: date | None

    def item(self) -> BillItemDocument:
        usd = None if self.unit_usd is None else self.unit_usd.quantize(_USD_PLACES)
        quantity = max(self.quantity.quantize(_PLACES), _PLACES)
        return BillItemDocument(label=self.label, quantity=float(quantity), unit=self.unit, unit_usd=usd)


def _lines_of_group(group: Group, nodes: Sequence[RunNode], plan: RunPlan, launched_on: date) -> Iterator[_Line]:
    """The machines of a role, and each part of their storage, added up over the machines."""
    own = [node for node in nodes if node.role == group.role]
    by_part: dict[int, list[LineItem]] = defaultdict(list)
    for node in own:
        use = MachineUse(replace(_as_charged(group, node), count=1), _seconds(node))
        cost = run_cost([use], provider=plan.provider, launched_on=launched_on)
        for position, item in enumerate(cost.items):
            by_part[position].append(item)
    for position, items in by_part.items():
        part = group.parts[position]
        first = items[0]
        what = part.label if position == 0 else f"{part.label} of {group.node.label}"
        label = f"{len(own):,}× {what} ({group.role}), set-up and run"
        yield _Line(label, first.unit, _sum(items), first.unit_usd, first.price_date)


def _as_charged(group: Group, node: RunNode) -> Group:
    """The machine at what the receipt charges for it, which contains its storage."""
    storage = group.storage_hourly_usd
    if node.hourly_usd is None or storage is None or node.hourly_usd <= storage:
        return group
    rate = group.node.rate
    return replace(group, node=replace(group.node, rate=replace(rate, usd=node.hourly_usd - storage)))


def _seconds(node: RunNode) -> Decimal:
    if node.launched_at is None or node.terminated_at is None:
        raise ValueError(f"{node} was never launched, or is there yet")
    return max(Decimal(str((node.terminated_at - node.launched_at).total_seconds())), Decimal(0))


def _sum(items: Iterable[LineItem]) -> Decimal:
    return sum((item.quantity for item in items), Decimal(0))
