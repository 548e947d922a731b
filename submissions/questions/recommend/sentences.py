"""A recommendation in words."""

from datetime import datetime

from submissions.analysis.comparison.noise import NoiseFrom
from submissions.choices import Choice
from submissions.formatting.load import held_by
from submissions.formatting.names import place_name, service_name, system_name
from submissions.formatting.numbers import monthly, monthly_budget
from submissions.formatting.text import join_and, plural
from submissions.pricing.book import dating
from submissions.pricing.cost import HOURS_PER_MONTH
from submissions.pricing.reprice import price_dates
from submissions.questions.recommend.form import RecommendParams
from submissions.questions.recommend.outlook import Likelihood
from submissions.questions.recommend.query import Answer, RecommendResult
from submissions.questions.recommend.ranking.finalists import Kind
from submissions.questions.recommend.ranking.misses import Limit, misses
from submissions.questions.recommend.ranking.sentences import (
    at,
    budget_words,
    cluster_words,
    data_miss_words,
    data_words,
    zones_miss_words,
)
from submissions.vocabulary import DATABASES

_MONTHS_OF_A_YEAR = 12


def kinds_words(kinds: tuple[Kind, ...]) -> str:
    """ "Cheapest and best value"."""
    words = join_and([_KINDS[kind] for kind in kinds])
    return f"{words[:1].upper()}{words[1:]}"


_KINDS = {Kind.CHEAPEST: "cheapest", Kind.BEST_VALUE: "best value", Kind.FASTEST: "fastest"}


def asked(params: RecommendParams) -> str:
    """ "100,000 ops/s with a p99 of at most 10 ms for at most $500/month"."""
    rate = f"{params.target_ops_s:,.12g} ops/s" if params.target_ops_s is not None else "any throughput"
    p99 = "" if params.max_p99_ms is None else f" with a p99 of at most {params.max_p99_ms:g} ms"
    budget = params.budget_usd_month
    data = "" if params.data_gib is None else f" and {data_words(params.data_gib)}"
    return f"{rate}{p99}{data}{zones_words(params)}" + (
        "" if budget is None else f" for at most {monthly_budget(budget)}"
    )


def subject(result: RecommendResult) -> str:
    """ "Apache Cassandra, mixed"."""
    params = result.params
    service = params.service or (result.workload.service if result.workload else "")
    parts = [service_name(service) if service else "this workload", params.work.label if params.work else ""]
    place = place_name(params.provider, params.region) if params.provider else params.region
    return ", ".join(part for part in (*parts, place) if part)


def zones_words(params: RecommendParams) -> str:
    """ " in 3 zones": then costs are those of the whole month."""
    return "" if params.zones is None else f" in {plural(params.zones, 'zone')}"


def finding(result: RecommendResult) -> str:
    params = result.params
    if result.workload is None:
        return f"Nothing has been measured for {subject(result)} yet."
    best = result.answer(Kind.CHEAPEST) or next(iter(result.answers), None)
    if best is None:
        return " ".join(filter(None, (_nothing(result), unknown_words(result))))
    usd = best.candidate.usd_per_month
    cost = f" for {monthly(usd)}{zones_words(params)}" if usd is not None else "; its cost is unknown"
    start = "The cheapest measured cluster" if Kind.CHEAPEST in best.kinds else "The fastest measured cluster"
    sentence = f"{start} of {subject(result)}: {cluster_words(best.row)} reaches {at(best.candidate.point)}{cost}."
    of_data = "Its ratio of data to memory is unknown." if best.candidate.capacity.is_unknown else ""
    return " ".join(filter(None, (sentence, of_data, unknown_words(result))))


def _nothing(result: RecommendResult) -> str:
    """ "No measured Apache Cassandra cluster meets all three. Closest: ..."."""
    params = result.params
    limits = [params.target_ops_s, params.max_p99_ms, params.data_gib, params.budget_usd_month]
    count = sum(limit is not None for limit in limits)
    meets = {4: "meets all four", 3: "meets all three", 2: "meets both"}.get(count, f"does {asked(params)}")
    start = f"No measured cluster of {subject(result)} {meets}."
    if not result.nearest:
        return start
    nearest = result.nearest[0]
    usd = nearest.candidate.usd_per_month
    cost = f" for {monthly(usd)}{zones_words(params)}" if usd is not None else ""
    words = f"Closest: {cluster_words(nearest.row)} reaches {at(nearest.candidate.point)}{cost}"
    found = misses(nearest.candidate, params)
    over = [budget_words(miss.factor) for miss in found if miss.limit == Limit.BUDGET]
    over += [zones_miss_words(nearest.candidate, params) for miss in found if miss.limit == Limit.ZONES]
    of_data = [
        data_miss_words(miss, nearest.candidate.capacity)
        for miss in found
        if miss.limit in (Limit.SPACE, Limit.DATA_TO_MEMORY)
    ]
    would_do = _would_do(result)
    return f"{start} {', '.join([words, *over, *of_data])}{f'; {would_do}' if would_do else ''}."


def _would_do(result: RecommendResult) -> str:
    """ "4 nodes ($4,011) would probably do": an estimate of a size that was not measured."""
    if not result.estimates:
        return ""
    estimate, nearest = result.estimates[0], result.nearest[0]
    count = plural(estimate.needed.node_count, "node")
    is_same = estimate.candidate.key == nearest.candidate.key
    cluster = count if is_same else cluster_words(estimate.base, estimate.needed.node_count)
    usd = estimate.usd_per_month
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


def at_limit_words(answer: Answer, params: RecommendParams) -> str:
    """ "Up to 145 k ops/s at p99 ≤ 7.8 ms; 91.2 k ops/s at 3.1 ms": at the limit, and at the rate that is asked for."""
    limit, target = answer.at_limit, answer.at_target
    if limit is None or (limit == answer.candidate.point and target in (None, limit)):
        return ""
    words = f"Up to {at(limit)}"
    return words if target is None or target == limit else f"{words}; {at(target)}"


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
    then, now = answer.usd_per_month_when_measured, answer.candidate.price.usd_per_month
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
            "The likelihood that it is reached again is not known: it was measured once, and no result of this "
            f"workload was repeated. With the usual noise of clouds: {_share(likelihood.assumed)}."
        )
    return ""


_NOISE: dict[Choice, str] = {
    NoiseFrom.OWN_RUNS: "by the runs of this configuration",
    NoiseFrom.WORKLOAD: "by the variation between runs of this workload",
    NoiseFrom.CLOUDS: "assuming the usual noise between runs on clouds",
}


def _share(share: float) -> str:
    """Never certain, whatever was measured."""
    percents = round(100 * share)
    return "over 98 %" if percents > 98 else "under 2 %" if percents < 2 else f"{percents} %"


def short_likelihood(likelihood: Likelihood, answer: Answer) -> str:
    """For a column: "over 98 %", "84 % assumed"; empty where none is known."""
    if answer.candidate.point.is_throttled:
        return "held its rate"
    if likelihood.share is not None:
        return _share(likelihood.share)
    return "" if likelihood.assumed is None else f"{_share(likelihood.assumed)} assumed"


def chart_label(result: RecommendResult) -> str:
    return f"What each measured cluster of {subject(result)} costs a month, and its throughput"


def chart_caveats(result: RecommendResult, drawn: int) -> list[str]:
    """How to read it, and what is not in it; an empty one is none."""
    shown = len(result.considered)
    left_out = shown - drawn
    is_are = "is" if left_out == 1 else "are"
    held = sum(one.point.is_throttled for one in result.considered)
    return [
        f"Each mark is a cluster under one workload, {result.params.terms.words}.",
        _filled_words(result.params),
        f"{plural(left_out, 'cluster')} without a price {is_are} not shown." if left_out else "",
        f"The load tool held {plural(held, 'cluster')} to a rate: at least that, but no best value and not the fastest."
        if held
        else "",
        f"These are the {shown:,} nearest of {result.considered_count:,}." if result.considered_count > shown else "",
    ]


def _filled_words(params: RecommendParams) -> str:
    """What filled and open marks are; empty without a limit."""
    limits = [
        "" if params.max_p99_ms is None else f"p99 of at most {params.max_p99_ms:g} ms",
        "" if params.data_gib is None else f"fit for {data_words(params.data_gib)}",
    ]
    words = join_and([limit for limit in limits if limit])
    if not words:
        return ""
    return f"Filled: {words}. Open: {'above it' if params.data_gib is None else 'not'}, or unknown."


def measure_next(result: RecommendResult) -> str:
    """What would answer the question; empty where something measured does."""
    if result.answers:
        return ""
    if result.estimates:
        first = result.estimates[0]
        return f"Next step: measure {cluster_words(first.base, first.needed.node_count)}."
    if result.nearest and _misses_ratio_alone(result.nearest[0], result.params):
        words = f"{cluster_words(result.nearest[0].row)} with {data_words(result.params.data_gib or 0.0)}"
        return f"Next step: measure {words}."
    if result.nearest:
        return f"Next step: measure more or larger nodes than {system_name(result.nearest[0].row)}."
    if not may_be_run(result):
        return f"Upload the log of a benchmark of {subject(result)}."
    return f"Run a benchmark of {subject(result)} here, or upload the log of one."


def _misses_ratio_alone(answer: Answer, params: RecommendParams) -> bool:
    return [miss.limit for miss in misses(answer.candidate, params)] == [Limit.DATA_TO_MEMORY]


def may_be_run(result: RecommendResult) -> bool:
    """Whether a run can be offered: of a database that is known, or like a result."""
    return bool(result.workload) or result.params.service in DATABASES


def spanning(result: RecommendResult) -> str:
    """How many workloads were considered; empty where there is one."""
    if not result.others or result.workload is None:
        return ""
    return (
        f"Considered: {plural(result.results, 'result')} of {plural(result.workloads_count, 'workload')}. "
        "A cluster does more of an easier workload: choose the one nearest to yours."
    )


def rejected_words(result: RecommendResult) -> str:
    """Above the table of those that are no answer."""
    shown, count = len(result.rejected), result.rejected_count
    start = f"The {shown} nearest of {count:,} others" if count > shown else plural(count, "other cluster")
    return f"{start}, with one reason each: the limit that it misses most, else its cost."


def one_machine_note(answer: Answer) -> str:
    """Of a card, where the load clients were not on machines of their own; empty elsewhere."""
    if not answer.candidate.key.is_one_machine:
        return ""
    return "The load clients ran on the database's machine: a networked client may get less."


def price_words(answer: Answer) -> str:
    """ "AWS list price, unchanged since 2017-04-04, seen 2026-10-15"."""
    return dating.price_words(price_dates([answer.row]))


def nodes_words(answer: Answer, params: RecommendParams) -> str:
    """ "Nodes and disks: $3,005/month", where the whole month is compared."""
    usd = answer.candidate.price.usd_per_month
    return "" if usd is None or params.zones is None else f"Nodes and disks: {monthly(usd)}"


def month_note(params: RecommendParams) -> str:
    costs = (
        "Costs are those of nodes and disks."
        if params.zones is None
        else f"Costs are those of the whole month{zones_words(params)}."
    )
    return f"A month has {HOURS_PER_MONTH} hours. {costs} Load clients are not included."
