"""A recommendation in words."""

from datetime import datetime

from submissions.analysis.noise import NoiseFrom
from submissions.choices import Choice
from submissions.formatting.load import held_by
from submissions.formatting.names import cluster_name, place_name, service_name, system_name
from submissions.formatting.numbers import latency, monthly, ops_s, significant
from submissions.formatting.text import join_and, plural
from submissions.models import Submission
from submissions.pricing.cost import HOURS_PER_MONTH
from submissions.questions.recommend.candidates import Candidate
from submissions.questions.recommend.extrapolation import Estimate
from submissions.questions.recommend.form import RecommendParams
from submissions.questions.recommend.outlook import Likelihood
from submissions.questions.recommend.query import Answer, Kind, RecommendResult

_MONTHS_OF_A_YEAR = 12


def kinds_words(kinds: tuple[Kind, ...]) -> str:
    """ "Cheapest and best value"."""
    words = join_and([_KINDS[kind] for kind in kinds])
    return f"{words[:1].upper()}{words[1:]}"


_KINDS = {Kind.CHEAPEST: "cheapest", Kind.BEST_VALUE: "best value", Kind.FASTEST: "fastest"}


def cluster_words(row: Submission, nodes: int | None = None) -> str:
    """ "6× i4i.2xlarge · AWS us-east-1", "4× m2.4xlarge + 2× m2.xlarge cache · AWS us-east-1". Its groups are read."""
    groups = [group for group in row.node_groups.all() if group.role == "cache"]
    caches = "".join(f" + {cluster_name(group.count, group.instance_type)} cache" for group in groups)
    nodes = nodes or row.node_count
    return f"{cluster_name(nodes, row.instance_type)}{caches} · {place_name(row.provider, row.region)}"


def asked(params: RecommendParams) -> str:
    """ "100,000 ops/s with a p99 of at most 10 ms for at most $500/month"."""
    rate = f"{params.target_ops_s:,.12g} ops/s" if params.target_ops_s is not None else "any throughput"
    p99 = "" if params.max_p99_ms is None else f" with a p99 of at most {params.max_p99_ms:g} ms"
    budget = params.budget_usd_month
    return f"{rate}{p99}" + ("" if budget is None else f" for at most {monthly(budget)}")


def subject(result: RecommendResult) -> str:
    """ "Apache Cassandra, mixed"."""
    params = result.params
    service = params.service or (result.workload.service if result.workload else "")
    parts = [service_name(service) if service else "this workload", params.work.label if params.work else ""]
    place = place_name(params.provider, params.region) if params.provider else params.region
    return ", ".join(part for part in (*parts, place) if part)


def finding(result: RecommendResult) -> str:
    if result.workload is None:
        return f"No result of {subject(result)} is known here yet."
    best = result.answer(Kind.CHEAPEST) or next(iter(result.answers), None)
    if best is None:
        return f"Nothing measured of {subject(result)} does {asked(result.params)}."
    usd = best.candidate.usd_per_month
    cost = f" for {monthly(usd)}" if usd is not None else "; its cost is unknown"
    start = "The cheapest measured cluster" if Kind.CHEAPEST in best.kinds else "The fastest measured cluster"
    return f"{start} of {subject(result)}: {cluster_words(best.row)} reaches {figures(best.candidate)}{cost}."


def figures(candidate: Candidate) -> str:
    """ "137 k ops/s with a p99 of at most 5.7 ms"."""
    p99 = p99_words(candidate)
    return ops_s(candidate.point.rate) + (f" with a p99 of {p99}" if p99 else "")


def p99_words(candidate: Candidate) -> str:
    """ "4.0 ms"; "at most 5.7 ms" where that of the slowest type of operation bounds it; empty where none is known."""
    point = candidate.point
    if point.p99_ms is None:
        return ""
    return f"{'at most ' if point.is_of_slowest else ''}{latency(point.p99_ms)}"


def load_words(candidate: Candidate) -> str:
    """Which load of a curve it is, "at 200 threads a client: one of 5 loads"; "one load only" without a curve."""
    point = candidate.point
    if not point.is_of_curve:
        return "one load only"
    loads = f"one of {point.loads} measured loads"
    if point.offered_ops_s is not None:
        return f"at {ops_s(point.offered_ops_s)} offered: {loads}"
    return f"at {plural(point.threads, 'thread')} a client: {loads}" if point.threads else loads


def shortfall(answer: Answer, params: RecommendParams) -> str:
    """ "83.2 % of the throughput, 2.1 times the p99": what a nearest one misses."""
    point, usd = answer.candidate.point, answer.candidate.usd_per_month
    parts = []
    if params.target_ops_s is not None and point.rate < params.target_ops_s:
        parts.append(f"{significant(100 * point.rate / params.target_ops_s)} % of the throughput")
    if params.max_p99_ms is not None and not point.keeps(params.max_p99_ms):
        is_known = point.has_p99 and point.p99_ms is not None and params.max_p99_ms > 0
        times = f"{significant(point.limited_ms / params.max_p99_ms)} times the p99" if is_known else ""
        if point.has_p99 and point.p99_below_ms > (point.p99_ms or 0.0):
            times = "a lower load did not keep the p99"
        parts.append(times or "its p99 is not known")
    if params.budget_usd_month and not answer.candidate.is_within_budget(params):
        parts.append(
            "its cost is unknown" if usd is None else f"{significant(usd / params.budget_usd_month)} times the budget"
        )
    return join_and(parts)


def age(measured_at: datetime | None, now: datetime) -> str:
    """ "20 months old", "11 years old"; empty where the day is unknown."""
    if measured_at is None:
        return ""
    months = (now.year - measured_at.year) * _MONTHS_OF_A_YEAR + now.month - measured_at.month
    if months < 1:
        return "this month"
    if months < 2 * _MONTHS_OF_A_YEAR:
        return f"{plural(months, 'month')} old"
    return f"{months // _MONTHS_OF_A_YEAR} years old"


def likelihood_words(likelihood: Likelihood, answer: Answer) -> str:
    """How likely it is to hold, and how that is known."""
    if answer.candidate.point.is_throttled:
        return f"It was {held_by(answer.row)} and kept up: it can do at least that."
    if likelihood.share is not None:
        source = _NOISE[likelihood.noise_from or NoiseFrom.CLOUDS]
        return f"Likelihood to hold in another run: {_share(likelihood.share)}, {source}."
    if likelihood.assumed is not None:
        return (
            "How likely it is to hold is not known: it was measured once, and nothing of this workload was repeated. "
            f"With the usual noise of clouds: {_share(likelihood.assumed)}."
        )
    return ""


_NOISE: dict[Choice, str] = {
    NoiseFrom.OWN_RUNS: "by the runs of this configuration",
    NoiseFrom.WORKLOAD: "by how much runs of this workload vary",
    NoiseFrom.CLOUDS: "assuming the usual noise between runs on clouds",
}


def _share(share: float) -> str:
    """Never certain, whatever was measured."""
    percent = round(100 * share)
    return "over 98 %" if percent > 98 else "under 2 %" if percent < 2 else f"{percent} %"


def estimate_words(estimate: Estimate) -> str:
    """What an estimate rests on."""
    sizes = join_and([f"{size:,}" for size in estimate.measured[:4]])
    noun = "node" if estimate.measured == (1,) else "nodes"
    if not estimate.needed.is_extrapolated:
        return f"Between measured sizes ({sizes} {noun}): about {ops_s(estimate.needed.throughput)}."
    return (
        f"Extrapolated from {sizes} {noun} in proportion: about {ops_s(estimate.needed.throughput)}. "
        "Its p99 is not known."
    )


def measure_next(result: RecommendResult) -> str:
    """What would answer the question; empty where something measured does."""
    if result.answers:
        return ""
    if result.estimates:
        first = result.estimates[0]
        return f"Measure {cluster_words(first.base, first.needed.node_count)}: it may be enough."
    if result.nearest:
        return f"Start from the nearest one, {system_name(result.nearest[0].row)}: more nodes, or larger ones."
    return f"Run a benchmark of {subject(result)}, or upload the log of one."


def spanning(result: RecommendResult) -> str:
    """How several workloads are dealt with; empty where there is one."""
    if not result.others or result.workload is None:
        return ""
    count = plural(len(result.others), "other workload")
    return (
        f"Answers are from one workload, the one with the most results ({result.results:,}) that can answer. "
        f"Throughputs of different workloads are not compared; {count} may be closer to yours:"
    )


def month_note() -> str:
    return f"A month has {HOURS_PER_MONTH} hours. Load clients and network traffic are not included."
