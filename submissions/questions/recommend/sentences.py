"""A recommendation in words."""

from collections.abc import Mapping
from datetime import datetime
from fractions import Fraction
from typing import Any

from submissions.analysis.noise import NoiseFrom
from submissions.choices import Choice
from submissions.formatting.load import held_by
from submissions.formatting.names import cluster_name, place_name, service_name, system_name, tool_name
from submissions.formatting.numbers import compact, latency, milliseconds, monthly, ops_s, percent, significant
from submissions.formatting.text import join_and, plural
from submissions.models import Submission
from submissions.pricing.cost import HOURS_PER_MONTH
from submissions.questions.recommend.candidates import Candidate
from submissions.questions.recommend.form import RecommendParams
from submissions.questions.recommend.outlook import Likelihood
from submissions.questions.recommend.points import Point
from submissions.questions.recommend.query import Answer, RecommendResult
from submissions.questions.recommend.ranking.estimates import Estimate
from submissions.questions.recommend.ranking.finalists import Kind
from submissions.questions.recommend.ranking.misses import Limit, Miss, misses
from submissions.questions.recommend.work import read_share

_MONTHS_OF_A_YEAR = 12
_SHARE_BELOW = 2  # times a budget: below it the excess is in percent


def kinds_words(kinds: tuple[Kind, ...]) -> str:
    """ "Cheapest and best value"."""
    words = join_and([_KINDS[kind] for kind in kinds])
    return f"{words[:1].upper()}{words[1:]}"


_KINDS = {Kind.CHEAPEST: "cheapest", Kind.BEST_VALUE: "best value", Kind.FASTEST: "fastest"}


def workload_name(canonical: Mapping[str, Any]) -> str:
    """ "YCSB 50 % reads, zipfian, 40 M keys": a workload in six words or so, of what its canonical form states."""
    share = read_share(canonical.get("operations"))
    mix = "" if share is None else f"{significant(100 * share)} % reads"
    tool, keys = canonical.get("tool"), canonical.get("key_count")
    start = " ".join(filter(None, (tool_name(tool) if tool else "", mix)))
    distribution = canonical.get("key_distribution") or ""
    parts = [start, str(distribution), f"{compact(keys)} keys" if isinstance(keys, int) else ""]
    return ", ".join(filter(None, parts)) or "a workload without stated facts"


def cluster_words(row: Submission, nodes: int | None = None) -> str:
    """ "6× i4i.2xlarge · AWS us-east-1", "4× m2.4xlarge + 2× m2.xlarge cache · AWS us-east-1". Its groups are read."""
    groups = [group for group in row.node_groups.all() if group.role == "cache"]
    caches = "".join(f" + {cluster_name(group.count, group.instance_type)} cache" for group in groups)
    nodes = nodes or row.node_count
    return f"{cluster_name(nodes, row.instance_type)}{caches} · {place_name(row.provider, row.region)}"


def cluster_of(candidate: Candidate) -> str:
    """The same without its row: "6× i4i.2xlarge · AWS us-east-1"."""
    key = candidate.key
    return f"{cluster_name(candidate.nodes, key.instance_type)} · {place_name(key.provider, key.region)}"


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
        return f"Nothing is measured of {subject(result)} yet."
    best = result.answer(Kind.CHEAPEST) or next(iter(result.answers), None)
    if best is None:
        return " ".join(filter(None, (_nothing(result), unknown_words(result))))
    usd = best.candidate.usd_per_month
    cost = f" for {monthly(usd)}" if usd is not None else "; its cost is unknown"
    start = "The cheapest measured cluster" if Kind.CHEAPEST in best.kinds else "The fastest measured cluster"
    sentence = f"{start} of {subject(result)}: {cluster_words(best.row)} reaches {figures(best.candidate)}{cost}."
    return " ".join(filter(None, (sentence, unknown_words(result))))


def _nothing(result: RecommendResult) -> str:
    """ "No measured Apache Cassandra cluster meets all three. Closest: ..."."""
    params = result.params
    limits = [params.target_ops_s, params.max_p99_ms, params.budget_usd_month]
    count = sum(limit is not None for limit in limits)
    meets = {3: "meets all three", 2: "meets both"}.get(count, f"does {asked(params)}")
    start = f"No measured cluster of {subject(result)} {meets}."
    if not result.nearest:
        return start
    nearest = result.nearest[0]
    usd = nearest.candidate.usd_per_month
    cost = f" for {monthly(usd)}" if usd is not None else ""
    words = f"Closest: {cluster_words(nearest.row)} reaches {figures(nearest.candidate, ' at p99 ')}{cost}"
    over = [budget_words(miss.factor) for miss in misses(nearest.candidate, params) if miss.limit == Limit.BUDGET]
    would_do = _would_do(result)
    return f"{start} {', '.join([words, *over])}{f'; {would_do}' if would_do else ''}."


def _would_do(result: RecommendResult) -> str:
    """ "4 nodes ($4,011) would probably do": an estimate of a size that was not measured."""
    if not result.estimates:
        return ""
    estimate, nearest = result.estimates[0], result.nearest[0]
    count = plural(estimate.needed.node_count, "node")
    is_same = estimate.candidate.key == nearest.candidate.key
    cluster = count if is_same else cluster_words(estimate.base, estimate.needed.node_count)
    usd = estimate.price.usd_per_month
    cost = "" if usd is None else f" ({monthly(usd).removesuffix('/month')})"
    return f"{cluster}{cost} would probably do"


def unknown_words(result: RecommendResult) -> str:
    """ "The p99 of 3 clusters is unknown." and what else the limits could not judge; empty where all is known."""
    parts = []
    if result.p99_unknown:
        parts.append(f"The p99 of {plural(result.p99_unknown, 'cluster')} is unknown.")
    if result.stated_left_out:
        have = "has a price" if result.stated_left_out == 1 else "have prices"
        parts.append(f"{plural(result.stated_left_out, 'cluster')} {have} of another pricing model only, left out.")
    return " ".join(parts)


def figures(candidate: Candidate, before: str = " with a p99 of ") -> str:
    """ "137 k ops/s with a p99 of ≤ 5.7 ms"."""
    p99 = p99_words(candidate.point)
    return ops_s(candidate.point.rate) + (f"{before}{p99}" if p99 else "")


def p99_words(point: Point) -> str:
    """ "4.0 ms"; "≤ 5.7 ms" where that of the slowest type of operation bounds it; empty where none is known."""
    if point.p99_ms is None:
        return ""
    return f"{'≤ ' if point.is_of_slowest else ''}{latency(point.p99_ms)}"


def at_limit_words(answer: Answer, params: RecommendParams) -> str:
    """ "Up to 145 k ops/s at p99 ≤ 7.8 ms; 91.2 k ops/s at 3.1 ms": at the limit, and at the rate that is asked for."""
    limit, target = answer.at_limit, answer.at_target
    if limit is None or (limit == answer.candidate.point and target in (None, limit)):
        return ""
    words = f"Up to {_at(limit)}"
    return words if target is None or target == limit else f"{words}; {_at(target)}"


def _at(point: Point) -> str:
    p99 = p99_words(point)
    return ops_s(point.rate) + (f" at p99 {p99}" if p99 else "")


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
    """ "Too slow: 35 k of 80 k ops/s, p99 25.5 instead of 10 ms": what a nearest one misses."""
    point, parts = answer.candidate.point, []
    for miss in misses(answer.candidate, params):
        if miss.limit == Limit.RATE:
            parts.append(f"too slow: {compact(point.rate)} of {ops_s(params.target_ops_s or 0)}")
        elif miss.limit == Limit.P99:
            parts.append(_p99_instead(point, miss, params.max_p99_ms or 0.0))
        else:
            parts.append(budget_words(miss.factor))
    text = ", ".join(parts)
    return f"{text[:1].upper()}{text[1:]}"


def _p99_instead(point: Point, miss: Miss, limit: float) -> str:
    if miss.factor is None:
        return "its p99 is unknown"
    if point.p99_below_ms > (point.p99_ms or 0.0):
        return "a lower load did not keep the p99"
    return f"p99 {milliseconds(point.p99_ms or 0)} instead of {limit:g} ms"


def budget_words(factor: float | None) -> str:
    """ "20 % over budget", "818 times the budget"."""
    if factor is None:
        return "its price is unknown"
    if factor < _SHARE_BELOW:
        return f"{percent(round(factor - 1, 2)) if factor >= 1.01 else 'just'} over budget"
    return f"{significant(factor)} times the budget"


def reason(candidate: Candidate, params: RecommendParams) -> str:
    """The one reason why a cluster is not the answer: the limit it misses most; else that it costs more."""
    found = misses(candidate, params)
    known = [miss for miss in found if miss.factor is not None]
    if not found:
        return "costs more" if candidate.hourly_usd is not None else "no price"
    worst = max(known or found, key=lambda miss: miss.factor or 0.0)
    return _reason(candidate, worst, params)


def _reason(candidate: Candidate, miss: Miss, params: RecommendParams) -> str:
    point = candidate.point
    if miss.limit == Limit.RATE:
        return f"{significant(100 * point.rate / (params.target_ops_s or 1), 2)} % of the rate"
    if miss.limit == Limit.BUDGET:
        return "no price" if miss.factor is None else f"{significant(miss.factor, 2)} times the budget"
    if miss.factor is None:
        return "p99 unknown"
    is_below = point.p99_below_ms > (point.p99_ms or 0.0)
    return "a lower load did not keep the p99" if is_below else f"p99 {latency(point.p99_ms or 0)}"


def age(measured_at: datetime | None, now: datetime) -> str:
    """ "20 months ago", "11 years ago"; empty where the day is unknown."""
    if measured_at is None:
        return ""
    months = (now.year - measured_at.year) * _MONTHS_OF_A_YEAR + now.month - measured_at.month
    if months < 1:
        return "this month"
    if months < 2 * _MONTHS_OF_A_YEAR:
        return f"{plural(months, 'month')} ago"
    return f"{months // _MONTHS_OF_A_YEAR} years ago"


def when_measured_words(answer: Answer) -> str:
    """ "$666/month when measured", where that differs from the cost that is asked for."""
    then, now = answer.usd_per_month_when_measured, answer.candidate.usd_per_month
    if then is None or (now is not None and round(then, 2) == round(now, 2)):
        return ""
    return f"{monthly(then)} when measured"


def likelihood_words(likelihood: Likelihood, answer: Answer) -> str:
    """How likely it is to hold, and how that is known."""
    if answer.candidate.point.is_throttled:
        return f"It was {held_by(answer.row)} and kept up: it can do at least that."
    if likelihood.share is not None:
        source = _NOISE[likelihood.noise_from or NoiseFrom.CLOUDS]
        return f"{_share(likelihood.share)} likely to be reached again, {source}."
    if likelihood.assumed is not None:
        return (
            "How likely it is to be reached again is not known: it was measured once, and nothing of this workload was "
            f"repeated. With the usual noise of clouds: {_share(likelihood.assumed)}."
        )
    return ""


_NOISE: dict[Choice, str] = {
    NoiseFrom.OWN_RUNS: "by the runs of this configuration",
    NoiseFrom.WORKLOAD: "by how much runs of this workload vary",
    NoiseFrom.CLOUDS: "assuming the usual noise between runs on clouds",
}


def _share(share: float) -> str:
    """Never certain, whatever was measured."""
    percents = round(100 * share)
    return "over 98 %" if percents > 98 else "under 2 %" if percents < 2 else f"{percents} %"


def estimate_words(estimate: Estimate) -> str:
    """What an estimate rests on: the most that the measured sizes did within the p99."""
    about = f"about {ops_s(estimate.needed.throughput)}"
    if estimate.between:
        low, high = estimate.between
        return f"Interpolated between {low:,} and {high:,} nodes: {about}. Its p99 is not known."
    rate, nodes = estimate.candidate.point.rate, estimate.candidate.nodes
    part = _part(Fraction(estimate.needed.node_count, nodes))
    return f"Extrapolated from {plural(nodes, 'node')}: {part} {ops_s(rate)} is {about}. Its p99 is not known."


def _part(part: Fraction) -> str:
    """ "two thirds of"."""
    return _PARTS.get(part) or f"{part.numerator}/{part.denominator} of"


_PARTS = {
    Fraction(1, 2): "half of",
    Fraction(1, 3): "a third of",
    Fraction(2, 3): "two thirds of",
    Fraction(3, 4): "three quarters of",
    Fraction(3, 2): "one and a half times",
    Fraction(2): "twice",
}


def measure_next(result: RecommendResult) -> str:
    """What would answer the question; empty where something measured does."""
    if result.answers:
        return ""
    if result.estimates:
        first = result.estimates[0]
        return f"Next step: measure {cluster_words(first.base, first.needed.node_count)}."
    if result.nearest:
        return f"Next step: measure more or larger nodes than {system_name(result.nearest[0].row)}."
    return f"Run a benchmark of {subject(result)} here, or upload the log of one."


def spanning(result: RecommendResult) -> str:
    """How many workloads were considered; empty where there is one."""
    if not result.others or result.workload is None:
        return ""
    return (
        f"Considered: {plural(result.results, 'result')} of {plural(result.workloads_count, 'workload')}. "
        "A cluster does more of an easier workload: choose the one that is nearest to yours."
    )


def one_machine_note(result: RecommendResult) -> str:
    """Of the cards, where the load clients were not on machines of their own; empty elsewhere."""
    if result.pool is None or not result.pool.is_one_machine:
        return ""
    return "The load client ran on the database's machine: over a network it does less."


def price_words(answer: Answer) -> str:
    """ "prices of 2017-04-04": how old the price is."""
    return f"prices of {answer.row.price_date}" if answer.row.price_date else ""


def month_note() -> str:
    return f"A month has {HOURS_PER_MONTH} hours. Load clients and network traffic are not included."
