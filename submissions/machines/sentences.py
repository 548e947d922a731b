"""Machine types in words."""

from collections.abc import Sequence

from submissions.analysis.comparison.compare import Ratio
from submissions.analysis.comparison.verdicts import Verdict
from submissions.choices import PricingModel
from submissions.formatting.currency import USD, shown_in
from submissions.formatting.names import cluster_name, provider_name, service_name
from submissions.formatting.numbers import hourly, monthly, significant
from submissions.formatting.text import HAS, join_and, join_or, plural
from submissions.machines.catalogue import Machine, MachineKey
from submissions.machines.compare import MachinesComparison, Side, WorkloadPair
from submissions.machines.form import MachinesForm
from submissions.machines.prices import MachinePrices
from submissions.machines.query import MachinesResult
from submissions.machines.results import DatabaseValue
from submissions.pricing.cost import HOURS_PER_MONTH
from submissions.questions.boards.noise_words import more_runs, runs_words

_VALUE_VERDICTS = {
    Verdict.BETTER: "better",
    Verdict.WORSE: "worse",
    Verdict.WITHIN_NOISE: "equal within noise",
    Verdict.INCONCLUSIVE: "not yet conclusive",
}


def listed(form: MachinesForm, result: MachinesResult) -> str:
    """ "212 of 2,615 machine types, at prices of 2026-11-27 on demand in us-east-1. 31 have results."."""
    if not result.rows:
        return "No machine type matches this search."
    number = len(result.rows)
    types = (
        plural(number, "machine type") if number == result.types else f"{number:,} of {result.types:,} machine types"
    )
    region = form.cleaned_data["region"]
    where = f"in {region}" if region else "in the reference region of each cloud"
    measured = f"{result.measured:,} {HAS[result.measured != 1]} results."
    return f"{types}, at the prices of {result.day}, {form.model.label}, {where}. {measured}"


def machine_finding(machine: Machine, prices: MachinePrices) -> str:
    """ "i4i.2xlarge on AWS has 8 vCPUs and 64 GiB of memory. It costs $0.69/h ... 57 results were measured on it."."""
    return " ".join(filter(None, (_size(machine), _price(prices), _results(machine))))


def _size(machine: Machine) -> str:
    parts = [
        plural(machine.vcpus, "vCPU") if machine.vcpus else "",
        f"{machine.memory_gib:g} GiB of memory" if machine.memory_gib else "",
        disk_words(machine) if machine.has_local_disks else "",
    ]
    known = join_and([part for part in parts if part])
    name = f"{machine.name} on {provider_name(machine.provider)}"
    return f"{name} has {known}." if known else f"The size of {name} is not known here."


def disk_words(machine: Machine) -> str:
    """ "2 local disks (nvme, 3,750 GiB together)"; empty where they are unknown."""
    if machine.local_disk_count is None:
        return ""
    if not machine.local_disk_count:
        return "no local disk"
    size = f"{significant(machine.local_disk_gib, 4)} GiB" if machine.local_disk_gib else ""
    together = f"{size} together" if size and machine.local_disk_count > 1 else size
    details = ", ".join(part for part in (machine.local_disk_kind or "", together) if part)
    return f"{plural(machine.local_disk_count, 'local disk')}{f' ({details})' if details else ''}"


def _price(prices: MachinePrices) -> str:
    here = prices.here
    if here is None:
        return "No price of it is known today."
    for model, rate in here.in_order:
        if rate is not None and rate.usd is not None:
            month = f", {monthly(rate.usd * HOURS_PER_MONTH)}" if model == PricingModel.ON_DEMAND else ""
            return f"It costs {hourly(rate.usd)}{month} {model.label} in {here.region}."
    return ""


def _results(machine: Machine) -> str:
    if not machine.results:
        return "Nothing was measured on it yet."
    was = "was" if machine.results == 1 else "were"
    return f"{plural(machine.results, 'result')} {was} measured on it."


def history_finding(machine: Machine, prices: MachinePrices) -> str:
    """ "i4i.2xlarge on demand in us-east-1: $0.69/h, unchanged since 2023-12-11."; list prices in USD, as the chart."""
    with shown_in(USD.code):
        return _history_finding(machine, prices)


def _history_finding(machine: Machine, prices: MachinePrices) -> str:
    name = f"{machine.name} in {prices.region}"
    for model, points in prices.history.items():
        known = [point for point in points if point.usd is not None]
        first, last = known[0], known[-1]
        if last.usd is None or first.usd is None:
            continue
        if len(known) == 1:
            return f"{name}, {model.label}: {hourly(last.usd)} since {last.day}, as far as the price book knows."
        change = f"{hourly(first.usd)} on {first.day}, {hourly(last.usd)} since {last.day}"
        return f"{name}, {model.label}: {change}; {plural(len(known) - 1, 'change')} known."
    return f"{name}: no price known."


def history_caveats() -> list[str]:
    return [
        "Lines go from the day on which the price book first has a price to the day on which it has another.",
        "A spot price counts for 31 days after it was last seen.",
        "Past prices are list prices in USD, whatever you pay today.",
    ]


def place_words(value: DatabaseValue) -> str:
    """ "rank 2-4 of 37 machine types"; empty without a price."""
    return f"rank {value.rank} of {plural(value.types, 'machine type')}" if value.rank else ""


def best_value_words(values: Sequence[DatabaseValue]) -> str:
    """ "Best place: 2 of 37 machine types with Redis."; empty without another type to be compared with."""
    priced = [value for value in values if value.rank and value.types > 1]
    if not priced:
        return ""
    best = min(priced, key=lambda value: int(value.rank.split("-")[0].rstrip("+")))
    return f"Best place by value: {place_words(best)} with {service_name(best.service)}."


def unknown_type(text: str, near: Sequence[MachineKey]) -> str:
    """For a refusal that has no links."""
    words = f"there is no machine type {text}"
    return f"{words}: did you mean {join_or([str(key) for key in near])}?" if near else words


def compared(result: MachinesComparison) -> str:
    """The prices, then what the newest workload says that both ran."""
    return " ".join(filter(None, (_prices(*result.sides), _measured(result))))


def _prices(a: Side, b: Side) -> str:
    one, other = a.monthly_usd, b.monthly_usd
    if one is None or other is None:
        silent = [side.machine.name for side in (a, b) if side.monthly_usd is None]
        return f"The price on demand of {join_and(silent)} is not known."
    words = f"{b.machine.name} costs {monthly(other)} on demand, {a.machine.name} {monthly(one)}"
    return f"{words}: {significant(other / one)} times as much." if other != one else f"{words}."


def _measured(result: MachinesComparison) -> str:
    if not result.workloads:
        return "No workload has comparable results on both."
    first = next((pair for pair in result.pairs if pair.comparison.ops_per_usd), None)
    if first is None:
        return f"Both ran {plural(result.workloads, 'workload')}."
    ratio = first.comparison.ops_per_usd
    assert ratio is not None  # noqa: S101 - of the first one that has it
    b = result.b.machine.name
    words = f"{b} does {significant(ratio.ratio)} times the operations per dollar: {verdict_words(ratio)}"
    return f"Under the same workload ({first.a.workload.title}), {words}."


def verdict_words(ratio: Ratio | None) -> str:
    """ "better (3 runs each)"; where it is not conclusive, how many more runs would be."""
    judgement = ratio.judgement if ratio else None
    if judgement is None:
        return "not comparable"
    missing = more_runs(judgement)
    more = f"; {missing} would detect the difference" if missing else ""
    return f"{_VALUE_VERDICTS[judgement.verdict]} ({runs_words(judgement)}{more})"


def pair_names(pair: WorkloadPair) -> str:
    """ "3× i4i.2xlarge and 6× z3-highmem-8-highlssd": where the clusters are not of one size."""
    return join_and([cluster_name(row.node_count, row.instance_type) for row in (pair.a, pair.b)])


def comparison_caveats(result: MachinesComparison) -> list[str]:
    found = []
    if any(not pair.has_same_count for pair in result.pairs):
        found.append("Clusters of different sizes: their throughput says nothing about one machine; look at the value.")
    if result.pairs:
        found.append("Values are at the prices when measured, disks included.")
    if result.workloads > len(result.pairs):
        found.append(f"The newest {len(result.pairs)} of {plural(result.workloads, 'workload')} are shown.")
    places = {side.prices.region for side in result.sides if side.prices.region}
    if len(places) > 1:
        found.append(
            "Prices of machines are those of each cloud's reference region, without disks that are not theirs."
        )
    return found
