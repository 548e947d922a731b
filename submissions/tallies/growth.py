"""Tallies: figures by scope that grow by each new submission, and are counted again where a stored one has changed.

A kind names the rows it reads and how one row counts. Whoever reads a tally lets it grow first, one at a time; the
first count of all rows is made in the background (tasks.py), and until then the pages count the rows themselves.
"""

import json
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from functools import lru_cache
from itertools import islice
from typing import Any, NamedTuple

from django.db import router, transaction
from django.db.models import Case, CharField, Q, QuerySet, When
from django.db.models.functions import Cast, Least, Now

from submissions.models import CompiledQuery, Submission, SubmissionQuerySet, Tally, TallyPart, Workload, given_ids
from submissions.tallies import journal, parts
from submissions.tallies.parts import Part, TallyState
from submissions.tallies.shelf import Number, total

SCOPES_AT_ONCE = 100  # counted together: what their rows need of memory
NEW_AT_ONCE = 2_000
UNREAD = timedelta(days=1)
MOST_TALLIES = 40


class TallyKind(ABC):
    """What is counted. `code` changes when the states of before cannot be read any more."""

    name: str
    code: str

    @abstractmethod
    def rows(self, submissions: SubmissionQuerySet) -> QuerySet[Submission, tuple[Any, ...]]:
        """Of the published ones among these what `add` needs; the first is the workload."""

    @abstractmethod
    def add(self, state: TallyState, row: tuple[Any, ...]) -> None:
        """Count one row more."""

    @abstractmethod
    def numbers(self, state: TallyState) -> Sequence[Number]:
        """For each of SHELVES; () where nothing chooses among the scopes."""

    def summary(self, state: TallyState) -> tuple[Sequence[Number], list[Any]]:
        """The numbers, and what the choice calls the part, for each of SHELVES."""
        return self.numbers(state), []

    def scopes(self, workloads: Sequence[int]) -> Mapping[int, str]:
        """The scope of each of the workloads: itself."""
        return {pk: str(pk) for pk in workloads}

    def __eq__(self, other: object) -> bool:
        """Kinds of one name count alike, whatever else they have read."""
        return isinstance(other, TallyKind) and (self.name, self.code) == (other.name, other.code)

    def __hash__(self) -> int:
        return hash((self.name, self.code))


@dataclass(slots=True)
class _Growth:
    """Of one kind what has happened: the submissions that are new, and the scopes that are to be counted again."""

    kind: TallyKind
    tally: int
    scopes: Mapping[int, str] = field(default_factory=dict)  # by workload
    new: set[int] = field(default_factory=set)
    again: set[str] = field(default_factory=set)
    parts: dict[str, Part] = field(default_factory=dict)

    def part_of(self, workload: int) -> Part:
        part = self.parts.setdefault(self.scopes[workload], Part())
        part.workloads.add(workload)
        return part


class _Turn(NamedTuple):
    submission: int
    workload: int
    at: datetime


def are_current(*kinds: TallyKind) -> bool:
    """Whether these can be read, after they have grown where they had to; False: they are not counted yet.

    One query where nothing has happened.
    """
    states = journal.states_of({kind.name: kind.code for kind in kinds}, router.db_for_read(Tally))
    if not all(kind.name in states and states[kind.name].is_counted for kind in kinds):
        return False
    if late := [kind for kind in kinds if not states[kind.name].is_current]:
        grow(*late)
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


def grow(*kinds: TallyKind) -> None:
    """Count what has happened since these were read last; nothing in those that were never counted.

    Where only rows were added, six queries and one of each kind.
    """
    using = router.db_for_write(Tally)
    by_name = {kind.name: kind for kind in kinds}
    with transaction.atomic(using=using):
        journal.lock(sorted(by_name), using)
        moment, every = journal.since(sorted(by_name), using)
        late = [one for one in every if one.code == by_name[one.name].code]
        if moment is None or not late:
            return
        growths = [_growth(by_name[one.name], one) for one in late]
        _read_parts(growths, using)
        _count_new(growths, using)
        for growth in growths:
            _count_again(growth, using)
        _save(growths, using)
        parts.move([growth.tally for growth in growths], moment, using)
        for growth in growths:
            if growth.again:
                _expire_changed(growth.kind, using)


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
        tally = Tally.objects.using(using).get(name=kind.name)
        stored = {part.scope: part for part in TallyPart.objects.using(using).filter(tally__name=kind.name).iterator()}
        workloads = list(Workload.objects.using(using).order_by("pk").values_list("pk", flat=True))
        by_scope: dict[str, set[int]] = {}
        for pk, scope in kind.scopes(workloads).items():
            by_scope.setdefault(scope, set()).add(pk)
        for scope, members in by_scope.items():
            part = _counted(kind, tally.pk, {scope: members}, using).parts.get(scope) or Part()
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
        journal.lock([kind.name], using)
        tally, _ = Tally.objects.using(using).get_or_create(name=kind.name)
        moment = journal.now(using)
        TallyPart.objects.using(using).filter(tally=tally).delete()
        workloads = list(Workload.objects.using(using).order_by("pk").values_list("pk", flat=True))
        by_scope: dict[str, set[int]] = {}
        for pk, scope in kind.scopes(workloads).items():
            by_scope.setdefault(scope, set()).add(pk)
        scopes = iter(by_scope.items())
        tally.code = kind.code
        tally.save(using=using)
        parts.move([tally.pk], moment, using)
        while chunk := dict(islice(scopes, SCOPES_AT_ONCE)):
            _save([_counted(kind, tally.pk, chunk, using)], using)
        _expire_changed(kind, using)


def _growth(kind: TallyKind, late: journal.Late) -> _Growth:
    """No query but those for scopes."""
    growth = _Growth(kind, late.tally, kind.scopes(sorted({entry.workload for entry in late.entries})))
    growth.again = {growth.scopes[entry.workload] for entry in late.entries if not entry.is_new}
    growth.again.update(late.expired)
    new = [entry for entry in late.entries if entry.is_new and growth.scopes[entry.workload] not in growth.again]
    growth.new = {entry.submission for entry in new}
    growth.parts = {growth.scopes[entry.workload]: Part() for entry in new}
    return growth


def _read_parts(growths: Sequence[_Growth], using: str) -> None:
    """Those that new rows are added to. One query."""
    scopes = {scope for growth in growths for scope in growth.parts}
    stored = parts.read([growth.tally for growth in growths], scopes, using) if scopes else {}
    for growth in growths:
        growth.parts = {scope: stored.get((growth.tally, scope), part) for scope, part in growth.parts.items()}


def _count_new(growths: Sequence[_Growth], using: str) -> None:
    ids = iter(sorted({pk for growth in growths for pk in growth.new}))
    while chunk := list(islice(ids, NEW_AT_ONCE)):
        turns = list(map(_Turn._make, _NEW_TURNS.rows_from(using, ids=chunk)))
        for growth in growths:
            if own := growth.new.intersection(chunk):
                rows = _new_rows(growth.kind).rows_from(using, ids=sorted(own))
                _add(growth, (turn for turn in turns if turn.submission in own), rows)


def _count_again(growth: _Growth, using: str) -> None:
    if not growth.again:
        return
    known = TallyPart.objects.using(using).filter(tally=growth.tally, scope__in=growth.again)
    workloads = {scope: set(pks) for scope, pks in known.values_list("scope", "workloads")}
    for scope in growth.again:
        members = workloads.get(scope, set()) | {pk for pk, own in growth.scopes.items() if own == scope}
        counted = _counted(growth.kind, growth.tally, {scope: members}, using)
        growth.parts[scope] = counted.parts.get(scope) or Part(members)


def _expire_changed(kind: TallyKind, using: str) -> None:
    """What was stored while rows were counted may be in the figures already: it is counted again with its scope."""
    _, every = journal.since([kind.name], using)
    for late in every:
        scopes = set(kind.scopes(sorted({entry.workload for entry in late.entries})).values())
        changed = TallyPart.objects.using(using).filter(tally=late.tally, scope__in=scopes)
        changed.update(valid_until=Now())


def _counted(kind: TallyKind, tally: int, members: Mapping[str, Iterable[int]], using: str) -> _Growth:
    """The parts of these scopes, of all their rows. Without what has none."""
    growth = _Growth(kind, tally, {pk: scope for scope, workloads in members.items() for pk in workloads})
    rows = Submission.objects.using(using).filter(workload__in=list(growth.scopes))
    _add(growth, map(_Turn._make, _turns(rows)), kind.rows(rows).iterator())
    return growth


def _add(growth: _Growth, turns: Iterable[_Turn], rows: Iterable[tuple[Any, ...]]) -> None:
    for turn in turns:
        growth.part_of(turn.workload).expire(turn.at)
    for row in rows:
        growth.kind.add(growth.part_of(row[0]).state, row)


def _turns(rows: SubmissionQuerySet) -> QuerySet[Submission, tuple[Any, ...]]:
    """When time alone changes what counts: embargoes, those of successors, waits for the boards."""
    columns = ("embargo_until", "unranked_until", "superseded_by__embargo_until")
    is_later = Q(*(Q(**{f"{column}__gt": Now()}) for column in columns), _connector=Q.OR)
    later = (Case(When(**{f"{column}__gt": Now()}, then=column)) for column in columns)
    # of the moments to come the first: LEAST takes no notice of NULL
    return rows.filter(is_later).order_by().values_list("pk", "workload_id", Least(*later))


def _among(ids: str) -> SubmissionQuerySet:
    return Submission.objects.filter(pk__in=given_ids(ids))


_NEW_TURNS = CompiledQuery(lambda ids: _turns(_among(ids)), ids="ids")


@lru_cache(2 * MOST_TALLIES)
def _new_rows(kind: TallyKind) -> CompiledQuery:
    return CompiledQuery(lambda ids: kind.rows(_among(ids)), ids="ids")


def _save(growths: Iterable[_Growth], using: str) -> None:
    """One query."""
    every = ((growth, scope, part) for growth in growths for scope, part in growth.parts.items() if part.workloads)
    parts.save((_row(growth.kind, growth.tally, scope, part) for growth, scope, part in every), using)


def _row(kind: TallyKind, tally: int, scope: str, part: Part) -> parts.Stored:
    numbers, labels = kind.summary(part.state)
    return parts.Stored(
        tally=tally,
        scope=scope,
        workloads=sorted(part.workloads),
        numbers=[number for number, _ in numbers],
        orders=[order for _, order in numbers],
        labels=json.dumps(labels),
        state=json.dumps(part.state, separators=(",", ":")),
        valid_until=part.valid_until,
    )
