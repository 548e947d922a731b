"""Changes, silences and follows in words."""

from collections.abc import Iterator, Sequence
from datetime import datetime
from urllib.parse import urlsplit

from django.http import QueryDict

from submissions.choices import LatencyKind
from submissions.follows.scope import covered_words
from submissions.formatting.numbers import latency, ops_s, significant
from submissions.formatting.text import plural
from submissions.metrics import LATENCY_P99
from submissions.models import Follow, LevelChange

MOST_IN_MAIL = 10
WHOLE_PERCENT_FROM = 10


def change_sentence(change: LevelChange) -> str:
    """ "p99 service time of W on C got 12 % worse since 2026-11-03 (8.1 ms → 9.1 ms, 10 results each)."."""
    return (
        f"{metric_name(change)} of {change.workload.title} on {change.cluster_name} got {size(change)} since "
        f"{change.at:%Y-%m-%d} ({levels(change)}, {results(change)})."
    )


def metric_name(change: LevelChange) -> str:
    if change.of_metric == LATENCY_P99:
        return f"p99 {LatencyKind(change.latency_kind).label}"
    return change.of_metric.label


def size(change: LevelChange) -> str:
    """ "12 % worse", "3.4 % better"."""
    return f"{percent(abs(change.percent))} % {'better' if change.is_better else 'worse'}"


def percent(value: float) -> str:
    return f"{value:,.0f}" if value >= WHOLE_PERCENT_FROM else significant(value, 2)


def levels(change: LevelChange) -> str:
    """The means before and after."""
    words = latency if change.of_metric == LATENCY_P99 else ops_s
    return f"{words(change.mean_before)} → {words(change.mean_after)}"


def results(change: LevelChange) -> str:
    if change.n_before == change.n_after:
        return f"{plural(change.n_after, 'result')} each"
    return f"{plural(change.n_before, 'result')} before, {change.n_after:,} after"


def quiet_sentence(follow: Follow, since: datetime, days: int) -> str:
    """`since`: when the newest result came; the begin of the follow where none ever did."""
    last = "none has come since" if since == follow.since else "the last one came on"
    return f"No new result of {scope_name(follow)} for {plural(days, 'day')}: {last} {since:%Y-%m-%d}."


def scope_name(follow: Follow) -> str:
    return " · ".join([follow.workload.title, *scope_details(follow)])


def scope_details(follow: Follow) -> list[str]:
    details = covered_words(follow.filters)
    if follow.cluster:
        details.append(follow.cluster_name)
    return details or ["all clusters"]


def subject(sentences: Sequence[str]) -> str:
    """One line, whatever a title has in it."""
    first = " ".join(sentences[0].removesuffix(".").split())
    more = len(sentences) - 1
    return f"{first}, and {plural(more, 'more change')}" if more else first


def filters_of(follow: Follow) -> Iterator[tuple[str, list[str]]]:
    yield from QueryDict(follow.filters).lists()


def channels(follow: Follow) -> list[str]:
    """Where notices go, without what only the owner of the webhook may know."""
    words = ["email"] if follow.by_email else []
    if follow.webhook_url:
        words.append(f"webhook at {webhook_host(follow)}")
    return [*words, "feed"] if follow.feed_key else words


def webhook_host(follow: Follow) -> str:
    return urlsplit(follow.webhook_url).hostname or ""


def conditions(follow: Follow) -> str:
    """ "changes of 5 % and more; no new result for 8 days"."""
    least = follow.threshold_percent
    words = f"changes of {percent(least)} % and more" if least else "every significant change"
    days = follow.quiet_after_days
    return f"{words}; no new result for {plural(days, 'day')}" if days else words


def state(follow: Follow) -> str:
    if follow.failing_since:
        return f"failing since {follow.failing_since:%Y-%m-%d}: {follow.failure}"
    return "paused" if follow.paused_at else "active"
