"""The lines of each workload with how many points each has, for the choice of a workload and a cluster."""

import json
from datetime import UTC, datetime, timedelta
from typing import Any

from django.db.models import Case, QuerySet, Value, When

from submissions.aggregates.kinds import Kind, Number, State
from submissions.aggregates.trust_filter import by_trust_filter, is_rankable, levels_of
from submissions.choices import PROVEN, Trust
from submissions.models import IS_UNRANKED, Submission, SubmissionQuerySet
from submissions.records.lines import LINE_FACTS, Line

FEWEST_POINTS = 2  # of a line
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)


class HistoryKind(Kind):
    """`lines`: by trust and LINE_FACTS how many dated results, and the newest date in microseconds."""

    name = "history"
    code = "1"

    def rows(self, submissions: SubmissionQuerySet) -> QuerySet[Submission, tuple[Any, ...]]:
        published = Submission.objects.using(submissions.db).with_rate() & submissions
        return (
            published.order_by()
            .annotate(is_unranked=Case(When(IS_UNRANKED, then=Value(True)), default=Value(False)))
            .values_list("trust", "flags", "is_unranked", "measured_at", *LINE_FACTS)
        )

    def add(self, state: State, row: tuple[Any, ...]) -> None:
        trust, flags, is_unranked, measured_at, *facts = row
        if not is_rankable(flags, is_unranked=is_unranked):
            return
        state["proven"] = state.get("proven", 0) + (trust in PROVEN)
        if measured_at is None:
            return
        at = (measured_at - _EPOCH) // _MICROSECOND
        line = state.setdefault("lines", {}).setdefault(json.dumps([trust, *facts]), [0, at])
        line[:] = line[0] + 1, max(line[1], at)

    def numbers(self, state: State) -> list[Number]:
        """The points on lines of two or more; the longest line comes first."""
        lines = [(json.loads(key), line) for key, line in state.get("lines", {}).items()]

        def count(levels: frozenset[str]) -> Number:
            points: dict[tuple[Any, ...], int] = {}
            for (trust, *facts), (n, _) in lines:
                if trust in levels:
                    points[tuple(facts)] = points.get(tuple(facts), 0) + n
            long = [n for n in points.values() if n >= FEWEST_POINTS]
            return sum(long), max(long, default=0)

        return by_trust_filter(count, (key[0] for key, _ in lines), has_proven=bool(state.get("proven")))


HISTORY = HistoryKind()


def lines_in(state: State, trust_filter: Trust | None) -> list[Line]:
    """All lines of a workload, those with the most points first, then the most recent."""
    levels = levels_of(trust_filter, has_proven=bool(state.get("proven")))
    merged: dict[tuple[Any, ...], tuple[int, int]] = {}
    for key, (n, at) in state.get("lines", {}).items():
        trust, *facts = json.loads(key)
        if trust in levels:
            known, newest = merged.get(tuple(facts), (0, at))
            merged[tuple(facts)] = known + n, max(newest, at)
    ranked = sorted(merged.items(), key=lambda line: (-line[1][0], -line[1][1], _in_order(line[0])))
    return [Line(facts, n) for facts, (n, _) in ranked]


def _in_order(facts: tuple[Any, ...]) -> tuple[tuple[bool, Any], ...]:
    """Unknown ones last, as the database has them."""
    return tuple((fact is None, "" if fact is None else fact) for fact in facts)
