"""Tallies: figures by scope that grow by each new submission, and are counted again where a stored one has changed.

A kind names the rows it reads and how one row counts. Whoever reads a tally lets it grow first, one at a time; the
first count of all rows is made in the background (tasks.py), and until then the pages count the rows themselves.
"""

import json
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from itertools import islice
from typing import Any

from django.db import router, transaction
from django.db.models import CharField, Min
from django.db.models.functions import Cast, Now
from django.utils import timezone

from submissions.models import Submission, SubmissionQuerySet, Tally, TallyPart, Workload
from submissions.tallies import journal
from submissions.tallies.shelf import Number, total

SCOPES_AT_ONCE = 100  # counted together: what their rows need of memory
NEW_AT_ONCE = 2_000
UNREAD = timedelta(days=1)
MOST_TALLIES = 40

TallyState = dict[str, Any]  # JSON


class TallyKind(ABC):
    """What is counted. `code` changes when the states of before cannot be read any more."""

    name: str
    code: str

    @abstractmethod
    def rows(self, submissions: SubmissionQuerySet) -> Iterable[tuple[Any, ...]]:
        """Of the published ones among these what `add` needs; the first is the workload. One query."""

    @abstractmethod
    def add(self, state: TallyState, row: tuple[Any, ...]) -> None:
        """Count one row more."""

    @abstractmethod
    def numbers(self, state: TallyState) -> Sequence[Number]:
        """For each of SHELVES; () where nothing chooses among the scopes."""

    def labels(self, state: TallyState) -> list[Any]:
        """What the choice calls the part, for each of SHELVES."""
        return []

    def scopes(self, workloads: Sequence[int]) -> Mapping[int, str]:
        """The scope of each of the workloads: itself."""
        return {pk: str(pk) for pk in workloads}


@dataclass(slots=True)
class _Part:
    workloads: set[int] = field(default_factory=set)
    state: TallyState = field(default_factory=dict)
    valid_until: datetime | None = None

    def expire(self, at: datetime | None) -> None:
        """Not to be read from then on."""
        if at is not None:
            self.valid_until = min(self.valid_until or at, at)


def are_current(*kinds: TallyKind) -> bool:
    """Whether these can be read, after they have grown where they had to; False: they are not counted yet.

    One query where nothing has happened.
    """
    states = journal.states_of({kind.name: kind.code for kind in kinds}, router.db_for_read(Tally))
    if not all(kind.name in states and states[kind.name].is_counted for kind in kinds):
        return False
    for kind in sorted(kinds, key=lambda one: one.name):
        if not states[kind.name].is_current:
            grow(kind)
    return True


def state_of(kind: TallyKind, scope: str) -> TallyState:
    """Empty where no submission is in this scope; one query."""
    text = TallyPart.objects.filter(tally__name=kind.name, scope=scope).values_list("state", flat=True).first()
    return json.loads(text) if text else {}


def states_of_workload(fingerprint: str, *kinds: TallyKind) -> list[TallyState]:
    """Of each kind whose scopes are workloads; one query."""
    scope = Workload.objects.filter(fingerprint=fingerprint).values(scope=Cast("pk", CharField()))
    parts = TallyPart.objects.filter(tally__name__in=[kind.name for kind in kinds], scope__in=scope)
    states = {name: json.loads(text) for name, text in parts.values_list("tally__name", "state")}
    return [states.get(kind.name, {}) for kind in kinds]


def grow(kind: TallyKind) -> None:
    """Count what has happened since the tally was read last. Does nothing where it was never counted."""
    using = router.db_for_write(Tally)
    with transaction.atomic(using=using):
        journal.lock(kind.name, using)
        tally = Tally.objects.using(using).filter(name=kind.name, code=kind.code, snapshot__isnull=False).first()
        if tally is None:
            return
        moment, entries = journal.since(tally, using)
        scopes = kind.scopes(sorted({entry.workload for entry in entries}))
        expired = TallyPart.objects.using(using).filter(tally=tally, valid_until__lte=Now())
        again = {scopes[entry.workload] for entry in entries if not entry.is_new} | set(
            expired.values_list("scope", flat=True)
        )
        new = [entry for entry in entries if entry.is_new and scopes[entry.workload] not in again]
        parts = _stored(tally, {scopes[entry.workload] for entry in new}, using)
        _count_new(kind, parts, scopes, {entry.submission for entry in new}, using)
        for scope in again:
            members = {pk for pk, own in scopes.items() if own == scope}
            parts[scope] = _counted_again(kind, tally, scope, members, using)
        _save(kind, tally, parts, using)
        _move(tally, moment, using)
        if again:
            _expire_changed(kind, tally, using)


def is_counted(kind: TallyKind) -> bool:
    state = journal.states_of({kind.name: kind.code}, router.db_for_write(Tally)).get(kind.name)
    return state is not None and state.is_counted


def want(kind: TallyKind) -> None:
    """Have it counted in the background, if there are not too many; who reads it grows it from then on. One query."""
    journal.add_name(kind.name, MOST_TALLIES, router.db_for_write(Tally))


def wanted() -> list[str]:
    """Those that were never counted."""
    return list(Tally.objects.filter(snapshot=None).order_by("name").values_list("name", flat=True))


def forget_read() -> None:
    """Delete the entries of the journal that every tally has counted, and the tallies that nobody reads any more."""
    using = router.db_for_write(Tally)
    Tally.objects.using(using).filter(read_at__lt=Now() - UNREAD).delete()
    journal.forget(using)


def unlike_rows(kind: TallyKind) -> Iterator[str]:
    """Count all rows again, and compare."""
    using = router.db_for_write(Tally)
    with transaction.atomic(using=using):
        grow(kind)
        stored = {part.scope: part for part in TallyPart.objects.using(using).filter(tally__name=kind.name).iterator()}
        workloads = list(Workload.objects.using(using).order_by("pk").values_list("pk", flat=True))
        by_scope: dict[str, set[int]] = {}
        for pk, scope in kind.scopes(workloads).items():
            by_scope.setdefault(scope, set()).add(pk)
        for scope, members in by_scope.items():
            part = _counted(kind, {scope: members}, using).get(scope) or _Part()
            known = stored.pop(scope, None)
            if not _is_equal(json.loads(known.state) if known else {}, part.state):
                yield f"{kind.name}: scope {scope} differs from its rows"
        for scope in stored:
            yield f"{kind.name}: scope {scope} has no workloads"


def _is_equal(one: Any, other: Any) -> bool:
    """The same figures: sums may be split into other floats, and what is empty may be missing."""
    return bool(_normal(one) == _normal(other))


def _normal(state: Any) -> Any:
    if isinstance(state, dict):
        normal = {key: _normal(value) for key, value in state.items()}
        return {key: value for key, value in normal.items() if value not in ({}, 0)}
    if isinstance(state, list | tuple):
        if state and all(isinstance(part, float) for part in state):
            return total(state)
        return [_normal(part) for part in state]
    return state


def count_all(kind: TallyKind) -> None:
    """Count all rows, a few scopes at a time; what is stored or changed meanwhile is counted by the next reader."""
    using = router.db_for_write(Tally)
    with transaction.atomic(using=using):
        journal.lock(kind.name, using)
        tally, _ = Tally.objects.using(using).get_or_create(name=kind.name)
        moment = journal.now(using)
        TallyPart.objects.using(using).filter(tally=tally).delete()
        workloads = list(Workload.objects.using(using).order_by("pk").values_list("pk", flat=True))
        by_scope: dict[str, set[int]] = {}
        for pk, scope in kind.scopes(workloads).items():
            by_scope.setdefault(scope, set()).add(pk)
        scopes = iter(by_scope.items())
        tally.code = kind.code
        _move(tally, moment, using)
        while chunk := dict(islice(scopes, SCOPES_AT_ONCE)):
            _save(kind, tally, _counted(kind, chunk, using), using)
        _expire_changed(kind, tally, using)


def _expire_changed(kind: TallyKind, tally: Tally, using: str) -> None:
    """What was stored while rows were counted may be in the figures already: it is counted again with its scope."""
    _, entries = journal.since(tally, using)
    scopes = kind.scopes(sorted({entry.workload for entry in entries}))
    parts = TallyPart.objects.using(using).filter(tally=tally, scope__in=set(scopes.values()))
    parts.update(valid_until=Now())


def _stored(tally: Tally, scopes: Iterable[str], using: str) -> dict[str, _Part]:
    rows = TallyPart.objects.using(using).filter(tally=tally, scope__in=list(scopes))
    return {row.scope: _Part(set(row.workloads), json.loads(row.state), row.valid_until) for row in rows}


def _counted(kind: TallyKind, members: Mapping[str, Iterable[int]], using: str) -> dict[str, _Part]:
    """The parts of these scopes, of all their rows. Without what has none."""
    scopes = {pk: scope for scope, workloads in members.items() for pk in workloads}
    parts: dict[str, _Part] = {}
    _add(kind, parts, scopes, Submission.objects.using(using).filter(workload__in=list(scopes)))
    return parts


def _counted_again(kind: TallyKind, tally: Tally, scope: str, members: set[int], using: str) -> _Part:
    known = TallyPart.objects.using(using).filter(tally=tally, scope=scope).values_list("workloads", flat=True).first()
    members |= set(known or ())
    return _counted(kind, {scope: members}, using).get(scope) or _Part(members)


def _count_new(
    kind: TallyKind, parts: dict[str, _Part], scopes: Mapping[int, str], new: Iterable[int], using: str
) -> None:
    ids = iter(sorted(new))
    while chunk := list(islice(ids, NEW_AT_ONCE)):
        _add(kind, parts, scopes, Submission.objects.using(using).filter(pk__in=chunk))


def _add(kind: TallyKind, parts: dict[str, _Part], scopes: Mapping[int, str], rows: SubmissionQuerySet) -> None:
    for workload, at in _turns(rows):
        part = parts.setdefault(scopes[workload], _Part())
        part.workloads.add(workload)
        part.expire(at)
    for row in kind.rows(rows):
        part = parts.setdefault(scopes[row[0]], _Part())
        part.workloads.add(row[0])
        kind.add(part.state, row)


def _turns(rows: SubmissionQuerySet) -> Iterable[tuple[int, datetime]]:
    """When time alone changes what counts, by workload: embargoes, those of successors, waits for the boards."""
    for column in ("embargo_until", "unranked_until", "superseded_by__embargo_until"):
        later = rows.filter(**{f"{column}__gt": Now()}).order_by()
        yield from later.values_list("workload").annotate(at=Min(column)).values_list("workload", "at")


def _save(kind: TallyKind, tally: Tally, parts: Mapping[str, _Part], using: str) -> None:
    rows = [_row(kind, tally, scope, part) for scope, part in parts.items()]
    TallyPart.objects.using(using).bulk_create(
        rows,
        update_conflicts=True,
        unique_fields=["tally", "scope"],
        update_fields=["workloads", "numbers", "orders", "labels", "state", "valid_until"],
    )


def _move(tally: Tally, moment: journal.Moment, using: str) -> None:
    """The parts hold what this moment shows."""
    tally.cluster, tally.snapshot, tally.applied = moment.cluster, moment.snapshot, moment.applied
    tally.read_at = timezone.now()
    tally.save(using=using)


def _row(kind: TallyKind, tally: Tally, scope: str, part: _Part) -> TallyPart:
    numbers = kind.numbers(part.state)
    return TallyPart(
        tally=tally,
        scope=scope,
        workloads=sorted(part.workloads),
        numbers=[number for number, _ in numbers],
        orders=[order for _, order in numbers],
        labels=kind.labels(part.state),
        state=json.dumps(part.state, separators=(",", ":")),
        valid_until=part.valid_until,
    )
