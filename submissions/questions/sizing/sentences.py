"""What a sizing says, in sentences."""

from submissions.choices import PricingModel
from submissions.formatting.numbers import dollars, exact, significant
from submissions.questions.sizing.query import Answer, Candidate, Question


def configuration(one: Candidate) -> str:
    """15 × hi1.4xlarge (aws), with its caches where it has some."""
    caches = " and ".join(f"{exact(count)} × {name}" for count, name in one.caches)
    nodes = f"{exact(one.node_count)} × {one.submission.instance_type}"
    return (
        f"{nodes} with {caches} as cache ({one.submission.provider})"
        if caches
        else (f"{nodes} ({one.submission.provider})")
    )


def measured_words(one: Candidate) -> str:
    """The node counts that the answer rests on."""
    if len(one.measured) <= 4:
        return ", ".join(exact(count) for count in one.measured)
    return f"{len(one.measured)} sizes, {exact(one.measured[0])} to {exact(one.measured[-1])}"


def finding(question: Question, answer: Answer) -> str:
    if question.base is not None:
        return _against_base(question, answer)
    goal = f"{significant(question.target)} operations a second{_limit(question, answer)}"
    if not answer.candidates:
        return f"No measured configuration of this workload reaches {goal}."
    best = answer.candidates[0]
    usd = best.cost.monthly_usd
    if usd is None:
        return f"{configuration(best)} reach {goal}; what they cost is unknown."
    said = f"{configuration(best)} reach {goal} for ${dollars(usd)} a month, {question.terms.basis_label}"
    others = len([one for one in answer.candidates if one.cost.monthly_usd is not None])
    rank = f"the cheapest of {others} priced configurations" if others > 1 else "the only priced configuration"
    return f"{said}: {rank}{_extrapolated(best)}."


def _against_base(question: Question, answer: Answer) -> str:
    base = answer.base
    others = [one for one in answer.candidates if not one.is_base]
    assert base is not None  # noqa: S101 - a question with a base is answered with it
    if not others:
        return f"Nothing else was measured that could stand for {configuration(base)}."
    best = others[0]
    said = f"{configuration(best)} do what {configuration(base)} do{_limit(question, answer)}"
    share = answer.share_of_base(best)
    ours, theirs = best.cost.hourly_usd, base.cost.hourly_usd
    if share is None or ours is None or theirs is None:
        return f"{said}; the cost of one of them is unknown{_extrapolated(best)}."
    return (
        f"{said}, for ${dollars(ours)} an hour against ${dollars(theirs)}: {share:.0%} of the cost".replace("%", " %")
        + f"{_extrapolated(best)}."
    )


def _limit(question: Question, answer: Answer) -> str:
    if question.max_p99_ms is None:
        return ""
    return f" at a p99 {answer.counts.latency_kind.label} of at most {question.max_p99_ms:g} ms"


def _extrapolated(one: Candidate) -> str:
    return f" (extrapolated from {measured_words(one)} nodes: {beyond_words(one)})" if one.is_extrapolated else ""


def beyond_words(one: Candidate) -> str:
    """How far outside of what was measured; nothing inside of it."""
    if one.times_beyond is None:
        return ""
    if one.node_count > one.measured[-1]:
        return f"{significant(one.times_beyond)} times the largest measured"
    return f"the smallest measured is {significant(one.times_beyond)} times that"


def left_out(question: Question, answer: Answer) -> list[str]:
    """Submissions of the workload that do not count, each with its reason."""
    counts = answer.counts
    reasons = [
        (counts.doubtful, "with a flag that puts the rate in doubt"),
        (counts.low_trust, "of lower trust"),
        (counts.mixed_machines, "of database nodes of several machine types"),
    ]
    if question.max_p99_ms is not None:
        reasons += [
            (counts.above_limit, f"with a p99 above {question.max_p99_ms:g} ms"),
            (counts.other_kind, f"with a latency that is not {counts.latency_kind.label}"),
            (counts.unknown_p99, "whose p99 is unknown"),
        ]
    return [f"{count:,} {reason}" for count, reason in reasons if count]


def caveats(question: Question, answer: Answer) -> list[str]:
    """What a reader of the chart must know."""
    used = [one for one in answer.candidates if one.cost.hourly_usd is not None]
    dates = {one.cost.price_date for one in used if one.cost.price_date}
    is_of_several_days = question.terms.day is None and len(dates) > 1
    return [
        "Striped bars are extrapolated: in proportion to the nearest size that was measured."
        if any(one.is_extrapolated for one in used)
        else "",
        f"Each is priced at the prices of its own day, {min(dates)} to {max(dates)}." if is_of_several_days else "",
        f"At the prices of {question.terms.day}." if question.terms.day else "",
        "Spot prices change by the hour: a month at the price of one day is a guess."
        if question.terms.basis == PricingModel.SPOT
        else "",
        "The latency limit was checked at the measured sizes, not at this one." if question.max_p99_ms else "",
        "A month has 730 hours. Load clients and traffic are not in it.",
    ]
