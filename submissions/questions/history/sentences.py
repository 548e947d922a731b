"""What a history shows, in sentences."""

from datetime import datetime

from submissions.analysis.history import FEWEST_POINTS
from submissions.choices import Trust
from submissions.formatting.charts import SAME_NUMBERS
from submissions.formatting.numbers import compact, ops_s
from submissions.formatting.text import HAS, join_and, plural, share_of
from submissions.questions.boards.counts import excluded_sentence
from submissions.questions.boards.likeness import in_brackets, mixed_trust
from submissions.questions.history.query import MOST_POINTS, Change, HistoryResult, MetricHistory
from submissions.records.caveats import from_articles

NO_FACT_CHANGED = "nothing that is stated"


def finding(result: HistoryResult) -> str:
    history = result.throughput
    measurements = plural(len(history.points), "measurement")
    if history.changes is None:
        return (
            f"{measurements} of {result.line.name}: too few to tell a change from noise. "
            f"At least {FEWEST_POINTS} are needed."
        )
    trust = in_brackets(mixed_trust(point.trust for point in history.points))
    days = f"{_day(history.points[0].measured_at)} to {_day(history.points[-1].measured_at)}"
    if not history.changes:
        return f"Throughput of {result.line.name}: no change beyond noise in {measurements}, {days}{trust}."
    last = history.changes[-1]
    times = "once" if len(history.changes) == 1 else f"{len(history.changes)} times"
    which = "by" if len(history.changes) == 1 else "most recently by"
    levels = f"from {compact(last.point.mean_before)} to {ops_s(last.point.mean_after)}"
    together = f", together with {join_and(fact_changes(last))}" if last.facts else ""
    return (
        f"Throughput of {result.line.name} changed {times} in {measurements} ({days}): {which} {percent(last)} on "
        f"{_day(last.after.measured_at)}, {levels}{together}{trust}."
    )


def notes(result: HistoryResult) -> list[str]:
    """What is excluded, and what a history of latency needs."""
    sentences = [excluded_sentence(result.counts)]
    if result.is_cut:
        sentences.append(f"Only the newest {MOST_POINTS:,} results are used.")
    without = len(result.points) - len(result.latency.points)
    if not result.latency.points:
        sentences.append("There is no history of latency: no p99 has a known latency kind.")
    elif without:
        share = share_of(without, len(result.points), "result", HAS)
        sentences.append(f"{share} no p99 {result.latency_kind.label}.")
    return [sentence for sentence in sentences if sentence]


def latency_title(result: HistoryResult) -> str:
    return f"p99 {result.latency_kind.label}"


def chart_label(title: str, history: MetricHistory) -> str:
    points = plural(len(history.points), "result")
    trust = in_brackets(mixed_trust(point.trust for point in history.points))
    if history.changes is None:
        return f"{title}: {points}; at least {FEWEST_POINTS} are needed to detect changes."
    if not history.changes:
        return f"{title}: no change beyond noise in {points}{trust}."
    changes = join_and([f"{percent(change)} at #{change.after.pk}" for change in history.changes])
    return f"{title}: {plural(len(history.changes), 'change')} in {points}: {changes}{trust}."


def in_table(shown: int, total: int) -> str:
    """Where the numbers of a chart are."""
    return SAME_NUMBERS if shown == total else f"the table below has the newest {shown} results, its CSV all {total}"


def chart_caveats(history: MetricHistory) -> list[str]:
    total = len(history.points)
    once = sum(point.trials_count == 1 and point.averaged_over is None for point in history.points)
    historical = sum(point.trust == Trust.HISTORICAL for point in history.points)
    sentences = []
    if history.drawn < total:
        sentences.append(f"The chart has the newest {history.drawn} of the {total} results.")
    if once:
        sentences.append(f"{share_of(once, total, 'result', HAS)} a single trial, and therefore no interval.")
    if historical:
        sentences.append(from_articles(historical, total))
    return sentences


def fact_changes(change: Change) -> list[str]:
    """ "database version 2.1.8 → 2.2.0"."""
    return [f"{changed.fact.noun} {changed.before} → {changed.after}" for changed in change.facts]


def percent(change: Change) -> str:
    return f"{'+' if change.point.percent > 0 else '−'}{abs(change.point.percent):,.1f} %"


def _day(moment: datetime | None) -> str:
    return f"{moment:%Y-%m-%d}" if moment else ""
