"""States of all kinds from the rows: of new ones, or of a whole workload."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from functools import cache

from django.db import DEFAULT_DB_ALIAS as PRIMARY
from django.db.models import Case, Q, QuerySet, When
from django.db.models.functions import Least, Now

from submissions.aggregates.kinds import Kind, State, registered
from submissions.models import CompiledQuery, Submission, given_ids

AT_ONCE = 2_000  # rows that are in memory together
_TURNS = ("embargo_until", "unranked_until", "superseded_by__embargo_until")


@dataclass(slots=True)
class Counted:
    """States by the name of their kind, and when time alone will change one of them."""

    states: dict[str, State] = field(default_factory=dict)
    valid_until: datetime | None = None


def counted_anew(workload: int) -> Counted:
    counted = Counted()
    rows = Submission.objects.using(PRIMARY).filter(workload=workload)
    add(counted, list(rows.order_by("pk").values_list("pk", flat=True)))
    return counted


def add(counted: Counted, submissions: Sequence[int]) -> None:
    """A query for each kind, and one for what time will change."""
    chunks = [list(submissions[first : first + AT_ONCE]) for first in range(0, len(submissions), AT_ONCE)]
    turns = (at for chunk in chunks for (at,) in _NEXT_TURN.rows_from(PRIMARY, ids=chunk) if at)
    counted.valid_until = min([*turns, *filter(None, [counted.valid_until])], default=None)
    for kind in registered():
        state = counted.states.setdefault(kind.name, {})
        if (rows := _rows_of(kind)) is not None:
            for chunk in chunks:
                for row in rows.rows_from(PRIMARY, ids=chunk):
                    kind.add(state, row)
        kind.finish(state, submissions)


@cache
def _rows_of(kind: Kind) -> CompiledQuery | None:
    if kind.rows(Submission.objects.all()) is None:
        return None
    return CompiledQuery(lambda ids: kind.rows(Submission.objects.filter(pk__in=given_ids(ids))), ids="ids")


def _next_turn(ids: str) -> QuerySet[Submission, tuple[datetime | None]]:
    """When time alone changes what counts: embargoes, those of successors, waits for the boards."""
    later = [Case(When(**{f"{column}__gt": Now()}, then=column)) for column in _TURNS]
    is_later = Q(*(Q(**{f"{column}__gt": Now()}) for column in _TURNS), _connector=Q.OR)
    # of the moments to come the first: LEAST takes no notice of NULL
    first = Submission.objects.filter(is_later, pk__in=given_ids(ids)).order_by().annotate(first=Least(*later))
    return first.order_by("first").values_list("first")[:1]


_NEXT_TURN = CompiledQuery(_next_turn, ids="ids")
