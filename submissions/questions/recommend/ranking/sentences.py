"""What is measured, and what it misses, in words."""

from collections.abc import Mapping
from decimal import Decimal
from fractions import Fraction
from typing import Any

from submissions.formatting.names import cluster_name, place_name, tool_name
from submissions.formatting.numbers import compact, latency, milliseconds, ops_s, percent, significant
from submissions.formatting.text import plural
from submissions.models import Submission
from submissions.questions.recommend.candidates import Candidate
from submissions.questions.recommend.form import RecommendParams
from submissions.questions.recommend.points import Point
from submissions.questions.recommend.ranking.capacity import Capacity
from submissions.questions.recommend.ranking.estimates import Estimate
from submissions.questions.recommend.ranking.misses import Limit, Miss, misses
from submissions.questions.recommend.work import read_share

_SHARE_BELOW = 2  # times a budget: below it the excess is in percent


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


def p99_words(point: Point) -> str:
    """ "4.0 ms"; "≤ 5.7 ms" where that of the slowest type of operation bounds it; empty where none is known."""
    if point.p99_ms is None:
        return ""
    return f"{'≤ ' if point.is_of_slowest else ''}{latency(point.p99_ms)}"


def at(point: Point) -> str:
    """ "137 k ops/s at p99 ≤ 5.7 ms"."""
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


def shortfall(candidate: Candidate, params: RecommendParams) -> str:
    """ "Too slow: 35 k of 80 k ops/s, p99 25.5 instead of 10 ms": what a nearest one misses."""
    point, parts = candidate.point, []
    for miss in misses(candidate, params):
        if miss.limit == Limit.RATE:
            parts.append(f"too slow: {compact(point.rate)} of {ops_s(params.target_ops_s or 0)}")
        elif miss.limit == Limit.ZONES:
            parts.append(zones_miss_words(candidate, params))
        elif miss.limit == Limit.P99:
            parts.append(_p99_instead(point, miss, params.max_p99_ms or 0.0))
        elif miss.limit in _DATA:
            parts.append(data_miss_words(miss, candidate.capacity))
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


UNKNOWN_MONTH = "the month of this cluster is unknown"


def zones_miss_words(candidate: Candidate, params: RecommendParams) -> str:
    """ "2 nodes cannot be in 3 zones"."""
    return f"{plural(candidate.nodes, 'node')} cannot be in {plural(params.zones or 1, 'zone')}"


def data_words(gib: float) -> str:
    """ "931 GiB of data"."""
    return f"{_gib(gib)} of data"


def _gib(gib: float) -> str:
    return f"{_whole(gib)} GiB"


def _whole(gib: float) -> str:
    """Whole numbers where they have three digits or more."""
    return f"{gib:,.0f}" if gib >= 100 else significant(gib)


def data_miss_words(miss: Miss, capacity: Capacity) -> str:
    """ "holds 310 of 931 GiB", "measured from memory; yours would not be (0.36 and 18 times the memory)"."""
    requested = capacity.requested_gib or 0.0
    if miss.limit == Limit.SPACE:
        if capacity.holds_gib is None:
            return f"its space for {data_words(requested)} is unknown"
        return f"holds {_whole(capacity.holds_gib)} of {_gib(requested)}"
    ratio, requested_ratio = capacity.data_to_memory, capacity.requested_to_memory
    if ratio is None or requested_ratio is None:
        return f"measured with {data_words(capacity.measured_gib or 0.0)}, yours is {_gib(requested)}"
    both = f"{significant(ratio, 2)} and {significant(requested_ratio, 2)} times the memory"
    if ratio <= 1 < requested_ratio:
        return f"measured from memory; yours would not be ({both})"
    return f"measured with less data for its memory than yours ({both})"


_DATA = (Limit.SPACE, Limit.DATA_TO_MEMORY)


def capacity_words(capacity: Capacity) -> str:
    """ "Holds 7,500 GiB, without head-room. Measured with data 4 times its memory; yours: 3.6 times." Empty where no
    data is asked for.
    """
    if capacity.requested_gib is None:
        return ""
    room = "" if capacity.has_head_room else ", without head-room"
    space = (
        f"Holds {_gib(capacity.holds_gib)}{room}."
        if capacity.holds_gib is not None
        else f"Its space is unknown; it was measured with {data_words(capacity.measured_gib)}."
        if capacity.measured_gib is not None
        else "Its space is unknown."
    )
    return f"{space} {_measured_with(capacity)}"


def _measured_with(capacity: Capacity) -> str:
    if capacity.data_to_memory is None:
        return "Its ratio of data to memory is unknown."
    ratio = significant(capacity.data_to_memory, 2)
    start = "Measured from memory, with" if capacity.data_to_memory <= 1 else "Measured with"
    requested = capacity.requested_to_memory
    yours = "unknown" if requested is None else f"{significant(requested, 2)} times"
    return f"{start} data {ratio} times the memory; yours: {yours}."


def reason(candidate: Candidate, params: RecommendParams, least_usd: Decimal | None) -> str:
    """The one reason why a cluster is not the answer: the limit it misses most; else that it costs no less."""
    found = misses(candidate, params)
    known = [miss for miss in found if miss.factor is not None]
    if not found:
        if candidate.capacity.is_unknown:
            return "ratio of data to memory unknown"
        if candidate.usd_per_month is None:
            return "no price" if candidate.hourly_usd is None else UNKNOWN_MONTH
        return "costs the same" if candidate.usd_per_month == least_usd else "costs more"
    worst = max(known or found, key=lambda miss: miss.factor or 0.0)
    return _reason(candidate, worst, params)


def _reason(candidate: Candidate, miss: Miss, params: RecommendParams) -> str:
    point = candidate.point
    if miss.limit == Limit.RATE:
        return f"{significant(100 * point.rate / (params.target_ops_s or 1), 2)} % of the rate"
    if miss.limit == Limit.BUDGET:
        unknown = "no price" if candidate.hourly_usd is None else UNKNOWN_MONTH
        return unknown if miss.factor is None else f"{significant(miss.factor, 2)} times the budget"
    if miss.limit == Limit.ZONES:
        return zones_miss_words(candidate, params)
    if miss.limit in _DATA:
        return data_miss_words(miss, candidate.capacity)
    if miss.factor is None:
        return "p99 unknown"
    is_below = point.p99_below_ms > (point.p99_ms or 0.0)
    return "a lower load did not keep the p99" if is_below else f"p99 {latency(point.p99_ms or 0)}"


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
