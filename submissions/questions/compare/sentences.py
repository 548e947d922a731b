"""A comparison in a sentence or two for readers who know no statistics: which is better, by how much, how sure."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from submissions.analysis.comparison.compare import Comparison, Measured, Ratio
from submissions.analysis.comparison.verdicts import Judgement, Verdict
from submissions.analysis.curves.load_curve import LatencyLimit
from submissions.choices import LatencyKind
from submissions.formatting.numbers import significant
from submissions.formatting.text import join_and, trials_words
from submissions.load_curves.sentences import limit_words
from submissions.metrics import OPS_PER_USD, THROUGHPUT
from submissions.questions.boards.at_load import limit_of_p99
from submissions.questions.boards.likeness import circumstances_of, in_brackets, unlike
from submissions.questions.boards.noise_words import SEPARATELY, more_runs, noise_sentence, runs_words
from submissions.questions.compare.at_limit import Breach
from submissions.questions.compare.query import CompareResult, Side
from submissions.records.caveats import of_prices

Ratios = tuple[Ratio, Ratio | None]  # of throughput, of operations per dollar

# a ratio of two or more reads better as "2.15 times as much" than as "115 % more"
_AS_MULTIPLE = 2


@dataclass(frozen=True, slots=True)
class Unlike:
    """What is not alike on two sides, in brackets; nothing where it is alike."""

    trust: str = ""
    prices_and_trust: str = ""  # of what their value rests on


ALIKE = Unlike()


def finding(first: Side, other: Side, max_p99_ms: float | None = None) -> str:
    """Of the other side against the first, at the limit if there is any."""
    assert other.against_first is not None  # noqa: S101 - only the first side has none
    if max_p99_ms is None:
        return verdict(first.measured, other.measured, other.against_first, _unlike(first, other))
    words = limit_words(limit_of_p99(max_p99_ms))
    breaches = [breach_words(side, words) for side in (first, other) if side.breach]
    if breaches:
        return f"At {words}, {other.name} and {first.name} cannot be compared: {join_and(breaches)}."
    return f"At {words}: {verdict(first.measured, other.measured, other.against_first, _unlike(first, other))}"


def breach_words(side: Side, limit: str) -> str:
    """ "no load of #5 keeps p99 ≤ 10 ms"; `limit` in words."""
    name = f"#{side.submission.pk}"
    if side.breach == Breach.UNKNOWN:
        return f"whether {name} keeps {limit} is unknown"
    if side.breach == Breach.OTHER_KIND:
        return f"the p99 of {name} is of another kind ({LatencyKind(side.submission.latency_kind).label})"
    return f"no load of {name} keeps {limit}" if side.points else f"{name} does not keep {limit}"


def limit_note(result: CompareResult) -> str:
    """How results are taken at the limit; empty without one."""
    if result.max_p99_ms is None:
        return ""
    words = limit_words(limit_of_p99(result.max_p99_ms))
    note = f"Compared at {words}: each load curve at its highest measured load that keeps it in every trial."
    if any(not side.points for side in result.sides):
        note += " A result of one load only might keep it at a higher rate."
    return note


def _unlike(first: Side, other: Side) -> Unlike:
    sides = (other, first)
    names = [side.name for side in sides]
    of_prices = [replace(circumstances_of(side.submission, OPS_PER_USD), trust=None) for side in sides]
    of_trust = [circumstances_of(side.submission, THROUGHPUT) for side in sides]
    prices = unlike(list(zip(names, of_prices, strict=True)))
    trust = unlike(list(zip(names, of_trust, strict=True)))
    return Unlike(in_brackets(*trust), in_brackets(*prices, *trust))


def verdict(a: Measured, b: Measured, comparison: Comparison, differing: Unlike = ALIKE) -> str:
    """`comparison` is b against a."""
    throughput = comparison.throughput
    if a.held or b.held:
        return _of_held(a, b, comparison, differing)
    if throughput is None:
        return f"{b.name} and {a.name} cannot be compared: {_why_not(a, b)}."
    judgement = throughput.judgement
    if judgement is None:
        return (
            f"{b.name} and {a.name} are for different workloads, so their figures do not show which system is faster."
        )
    if judgement.is_conclusive:
        text = _conclusive(a, b, (throughput, comparison.ops_per_usd), judgement, differing)
    elif judgement.verdict == Verdict.WITHIN_NOISE:
        text = _no_difference(a, b, (throughput, comparison.ops_per_usd), judgement, differing)
    else:
        text = _inconclusive(a, b, (throughput, comparison.ops_per_usd), judgement, differing)
    return f"{text} {noise_sentence(judgement)}"


def chart_label(result: CompareResult) -> str:
    sides = result.charted
    if len(sides) == 2 and len(result.sides) == 2:
        return finding(*sides, result.max_p99_ms)
    return f"Throughput, operations per dollar and p99 latency of {join_and([f'#{s.submission.pk}' for s in sides])}."


def curves_label(sides: Sequence[Side], limit: LatencyLimit) -> str:
    """Of the chart of their load curves."""
    names = join_and([f"#{side.submission.pk}" for side in sides])
    return f"Highest p99 of a trial against throughput at each load of {names}, with the limit {limit_words(limit)}."


def curves_caveats(sides: Sequence[Side]) -> list[str]:
    kinds: dict[LatencyKind, list[str]] = {kind: [] for kind in dict.fromkeys(_kind_of(side) for side in sides)}
    for side in sides:
        kinds[_kind_of(side)].append(f"#{side.submission.pk}")
    if len(kinds) == 1:
        return [f"The p99 are of {next(iter(kinds)).label}s."] if LatencyKind.UNKNOWN not in kinds else []
    return [f"Kinds of latency differ: {'; '.join(f'{kind.label} of {join_and(pks)}' for kind, pks in kinds.items())}."]


def _kind_of(side: Side) -> LatencyKind:
    of_points = {point.latency_kind for point in side.points}
    return LatencyKind(of_points.pop()) if len(of_points) == 1 else LatencyKind.UNKNOWN


def chart_caveats(sides: Sequence[Side]) -> list[str]:
    single = [
        f"#{side.submission.pk}"
        for side in sides
        if side.submission.trials_count == 1 and side.submission.averaged_over is None
    ]
    averaged = [
        f"#{side.submission.pk} ({trials_words(side.submission.trials_count, side.submission.averaged_over)})"
        for side in sides
        if side.submission.averaged_over
    ]
    held = [f"#{side.submission.pk}" for side in sides if side.submission.is_throttled]
    bounds = [f"#{side.submission.pk}" for side in sides if side.submission.latency_p99_is_bound]
    bases = sorted({side.submission.relative_base for side in sides} - {""})
    return [
        f"Results with a single trial: {join_and(single)}." if single else "",
        f"Results whose spread is not published: {join_and(averaged)}." if averaged else "",
        f"Limited to a rate by the load tool, so the throughput is not the capacity: {join_and(held)}." if held else "",
        f"The p99 of {join_and(bounds)} is at most this: that of the slowest type of operation." if bounds else "",
        f"Relative to: {join_and(bases)}." if bases else "",
        *of_prices([side.submission for side in sides]),
    ]


def workload_warning(result: CompareResult) -> str:
    """Where the sides ran different workloads."""
    names = join_and(result.workload_differences)
    return f"They differ in {names}, so the figures below do not show which system is faster."


def _of_held(a: Measured, b: Measured, comparison: Comparison, differing: Unlike) -> str:
    """The load tool held one side or both: only their latencies at one rate say something."""
    held = join_and([f"{side.name} was {side.held}" for side in (b, a) if side.held])
    text = f"{held}: throughput and value cannot be compared, since the load tool set the rate"
    p99 = comparison.latency_p99
    if p99 is None or not comparison.same_workload:
        return f"{text}."
    noun = "p99 of the slowest type of operation" if a.p99_bound else "p99"
    if _is_conclusive(p99):
        difference = "lower" if p99.ratio < 1 else "higher"
        percents = f"{abs(p99.ratio - 1) * 100:.1f} % {difference}{differing.trust}"
        return f"{text}. At the same rate, the {noun} of {b.name} is {percents}."
    if p99.judgement and p99.judgement.verdict == Verdict.WITHIN_NOISE:
        return f"{text}. At the same rate, the difference between their {noun} is within noise{differing.trust}."
    return f"{text}. At the same rate, there are too few runs to compare their {noun}."


def _why_not(a: Measured, b: Measured) -> str:
    if a.relative_base and b.relative_base:
        return "their figures are relative to different baselines"
    return "one of them is known only relative to a baseline"


def _conclusive(a: Measured, b: Measured, ratios: Ratios, judgement: Judgement, differing: Unlike) -> str:
    throughput, value = ratios
    text = f"{b.name} is {_as_fast(throughput.ratio, a.name)} ({_interval(judgement)})"
    if value is None:
        return f"{text}{differing.trust}."
    text += f"{_joined(throughput.ratio, value.ratio)} delivers {_per_dollar(value.ratio)}"
    if not _is_conclusive(value):
        text += ", a difference that is not conclusive"
    return f"{text}{differing.prices_and_trust}."


def _no_difference(a: Measured, b: Measured, ratios: Ratios, judgement: Judgement, differing: Unlike) -> str:
    throughput, value = ratios
    text = f"There is no measurable difference in throughput between {b.name} and {a.name}: "
    text += f"the difference of {abs(throughput.ratio - 1) * 100:.1f} % is within noise ({_interval(judgement)})"
    text += differing.trust
    if missing := more_runs(judgement):
        text += f". Detecting a difference of this size would take {missing}"
    if value is not None and _is_conclusive(value):
        text += f". {b.name} delivers {_per_dollar(value.ratio)}{differing.prices_and_trust}"
    return f"{text}."


def _inconclusive(a: Measured, b: Measured, ratios: Ratios, judgement: Judgement, differing: Unlike) -> str:
    throughput, value = ratios
    text = f"{b.name} is {_as_fast(throughput.ratio, a.name)}"
    if value is None:
        text += differing.trust
    else:
        text += (
            f"{_joined(throughput.ratio, value.ratio)} delivers {_per_dollar(value.ratio)}{differing.prices_and_trust}"
        )
    text += f". With {runs_words(judgement)} this is inconclusive ({_interval(judgement)})"
    missing = more_runs(judgement)
    if not missing:
        return f"{text}."
    return f"{text}; {missing} ({SEPARATELY}) would detect a difference of this size."


def _is_conclusive(ratio: Ratio) -> bool:
    return ratio.judgement is not None and ratio.judgement.is_conclusive


def _joined(throughput: float, value: float) -> str:
    """ " but" where one is better and the other worse."""
    is_opposite = not _is_equal(throughput) and not _is_equal(value) and (value > 1) != (throughput > 1)
    return ", but" if is_opposite else " and"


def _interval(judgement: Judgement) -> str:
    low, high = ((end - 1) * 100 for end in judgement.interval)
    if high < 0:
        words = f"{-high:.1f} to {-low:.1f} % slower"
    elif low < 0:
        words = f"{-low:.1f} % slower to {high:.1f} % faster"
    else:
        words = f"{low:.1f} to {high:.1f} % faster"
    return f"{_over_runs(judgement)}95 % interval: {words}"


def _over_runs(judgement: Judgement) -> str:
    """What the interval is about, where it is not the ratio of the two results."""
    if judgement.runs == (1, 1):
        return ""
    change = judgement.ratio_over_runs - 1
    what = "equal" if _is_equal(change + 1) else f"{abs(change) * 100:.1f} % {'faster' if change > 0 else 'slower'}"
    return f"over {runs_words(judgement)} {what}, "


def _as_fast(ratio: float, name: str) -> str:
    """ "18.5 % slower than X", "as fast as X", "2.15 times as fast as X"."""
    if ratio >= _AS_MULTIPLE:
        return f"{significant(ratio)} times as fast as {name}"
    if _is_equal(ratio):
        return f"as fast as {name}"
    return f"{abs(ratio - 1) * 100:.1f} % {'faster' if ratio > 1 else 'slower'} than {name}"


def _per_dollar(ratio: float) -> str:
    if ratio >= _AS_MULTIPLE:
        return f"{significant(ratio)} times as much per dollar"
    if _is_equal(ratio):
        return "the same per dollar"
    return f"{significant(abs(ratio - 1) * 100)} % {'more' if ratio > 1 else 'less'} per dollar"


def _is_equal(ratio: float) -> bool:
    return round((ratio - 1) * 100, 1) == 0
