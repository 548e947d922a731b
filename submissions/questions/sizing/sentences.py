"""What a sizing finds, in sentences."""

from dataclasses import replace

from submissions.choices import LatencyKind, PricingModel
from submissions.formatting.names import cluster_name, place_name
from submissions.formatting.numbers import exact, hourly, monthly, ops_s, percent, significant
from submissions.formatting.text import join_and, plural
from submissions.metrics import OPS_PER_USD
from submissions.pricing.book.dating import price_words
from submissions.questions.boards.counts import unknown_p99_sentence
from submissions.questions.boards.likeness import Circumstances, circumstances_of, in_brackets, mixed
from submissions.questions.sizing.query import Candidate, SizingResult

_MOST_SIZES = 4  # named one by one


def configuration(candidate: Candidate) -> str:
    """ "15× hi1.4xlarge · AWS us-east-1", "4× m2.4xlarge + 2× m2.xlarge cache · AWS us-east-1"."""
    submission = candidate.submission
    nodes = cluster_name(candidate.node_count, submission.instance_type)
    caches = "".join(f" + {cluster_name(count, name)} cache" for count, name in candidate.caches)
    return f"{nodes}{caches} · {place_name(submission.provider, submission.region)}"


def measured_sizes(candidate: Candidate) -> str:
    """The node counts that the answer rests on."""
    sizes = candidate.measured
    if len(sizes) <= _MOST_SIZES:
        return join_and([exact(size) for size in sizes])
    return f"{len(sizes)} sizes from {exact(sizes[0])} to {exact(sizes[-1])}"


def distance(candidate: Candidate) -> str:
    """How far outside the measured sizes; empty inside."""
    if candidate.times_beyond is None:
        return ""
    if candidate.node_count > candidate.measured[-1]:
        return f"{significant(candidate.times_beyond)} times the largest measured size"
    return f"the smallest measured size is {significant(candidate.times_beyond)} times larger"


def finding(result: SizingResult) -> str:
    if result.target.base is not None:
        return _against_base(result)
    throughput = result.target.throughput or 0
    goal = f"{ops_s(throughput)}{_limit(result)}"
    if not result.candidates:
        within = " within twice its largest measured size" if result.unreachable else ""
        known = "is known to reach" if result.p99_unknown else "reaches"
        nothing = f"No measured configuration of this workload {known} {goal}{within}."
        unknown = unknown_p99_sentence(result.counts) if result.counts else ""
        return f"{nothing} {unknown}".rstrip()
    best = result.candidates[0]
    usd = best.cost.monthly_usd
    if usd is None:
        return f"{configuration(best)} reaches {goal}; its cost is unknown.{_extrapolated(best)}"
    basis = result.params.terms.basis_label
    rank = _rank(result, best)
    cost = f"{monthly(usd)} ({basis})"
    return f"{configuration(best)} reaches {goal} for {cost}, {rank}.{_extrapolated(best)}"


def _rank(result: SizingResult, best: Candidate) -> str:
    """Among those of its kind: what is within the measured sizes does not compete with what is extrapolated."""
    priced = [one for one in result.candidates if one.cost.monthly_usd is not None]
    comparable = [one for one in priced if one.is_extrapolated == best.is_extrapolated]
    within = " within the measured sizes" if len(comparable) < len(priced) else ""
    if len(comparable) == 1:
        return f"the only priced configuration{within}"
    differing = in_brackets(*mixed(_circumstances(result, one) for one in comparable))
    return f"the cheapest of {len(comparable):,} priced configurations{within}{differing}"


def _circumstances(result: SizingResult, candidate: Candidate) -> Circumstances:
    """All have one pricing model."""
    own = circumstances_of(candidate.submission, OPS_PER_USD)
    return replace(own, pricing_model=None, price_day=result.params.terms.day or own.price_day)


def _against_base(result: SizingResult) -> str:
    base = result.base
    assert base is not None  # noqa: S101 - a base is always among the candidates
    others = [candidate for candidate in result.candidates if not candidate.is_base]
    if not others:
        return f"No configuration comparable to {configuration(base)} has been measured."
    best = others[0]
    text = f"{configuration(best)} matches the throughput of {configuration(base)}{_limit(result)}"
    ours, theirs, share = best.cost.hourly_usd, base.cost.hourly_usd, best.share_of_base_cost
    if ours is None or theirs is None or share is None:
        return f"{text}; one of the costs is unknown.{_extrapolated(best)}"
    cost = f"{hourly(ours)} instead of {hourly(theirs)}: {percent(round(share, 2))} of the cost"
    differing = in_brackets(*mixed(_circumstances(result, one) for one in (best, base)))
    return f"{text} for {cost}{differing}.{_extrapolated(best)}"


def _limit(result: SizingResult) -> str:
    limit = result.params.max_p99_ms
    if limit is None:
        return ""
    if result.latency_kind == LatencyKind.UNKNOWN or result.latency_kind is None:
        return f" with a p99 of at most {limit:g} ms (latency kind unknown)"
    return f" with a p99 {result.latency_kind.label} of at most {limit:g} ms"


def _extrapolated(candidate: Candidate) -> str:
    if not candidate.is_extrapolated:
        return ""
    noun = "node" if candidate.measured == (1,) else "nodes"
    return f" Extrapolated from {measured_sizes(candidate)} {noun}: {distance(candidate)}."


def unreachable(result: SizingResult) -> str:
    if not result.unreachable:
        return ""
    count = result.unreachable
    need = f"{plural(count, 'configuration')} would need more than twice {'its' if count == 1 else 'their'} largest"
    return f"{need} measured size: too far from what was measured for an answer."


def caveats(result: SizingResult) -> list[str]:
    """What a reader of the chart must know."""
    terms = result.params.terms
    priced = [candidate for candidate in result.candidates if candidate.cost.hourly_usd is not None]
    dated = price_words(one for each in priced for one in each.cost.dates(each.submission.provider))
    is_extrapolated = any(candidate.is_extrapolated for candidate in priced)
    sentences = (
        (is_extrapolated, "Striped bars are extrapolated in proportion to the nearest measured size."),
        (bool(dated), f"Cost {terms.words}: {dated}."),
        (
            terms.basis == PricingModel.SPOT,
            "Spot prices change hourly, so a month at the prices of one day is an estimate.",
        ),
        (
            result.params.max_p99_ms is not None,
            "The latency limit was checked at the measured sizes, not at the sizes shown.",
        ),
        (True, "A month has 730 hours. Load clients and network traffic are not included."),
    )
    return [sentence for applies, sentence in sentences if applies]
