"""Figures of workloads are brought up to date: by whoever reads them, and by a worker."""

import json
import time
import uuid
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import datetime
from itertools import product
from typing import NamedTuple

from django.apps.registry import Apps
from django.conf import settings
from django.db import DEFAULT_DB_ALIAS as PRIMARY
from django.db import OperationalError, connections, router, transaction
from django.db.models.functions import Now
from psycopg.errors import SerializationFailure

from benchsite.http.freshness import has_older_figures, has_reader, may_be_old, note_older_figures
from benchsite.processes import parallel
from submissions.aggregates.count import Counted, add, counted_anew
from submissions.aggregates.kinds import Kind, State, kinds_code, registered
from submissions.models import Aggregate, SiteCount, WorkloadFigures, refreshed_workloads
from submissions.models.versions.data_version import Subject

LARGE = 5_000  # results of a workload that a worker counts again, while readers see what was counted before
READER_SECONDS = 0.2  # a reader of all workloads counts for so long: the next readers, or a worker, count the others

_OUTDATED = """
SELECT workload_id, workload_id IN (SELECT workload_id FROM submissions_workloadfigures WHERE code <> '')
FROM submissions_queuedchange {of_queue}
UNION
SELECT workload_id, code <> '' FROM submissions_workloadfigures WHERE valid_until <= statement_timestamp() {of_figures}
ORDER BY 2, 1
"""
_HEAD = """
INSERT INTO submissions_workloadfigures (workload_id, version, code, counted_at)
SELECT w, gen_random_uuid(), '', 'epoch' FROM (VALUES (%s)) AS one(w)
WHERE NOT EXISTS (SELECT FROM submissions_workloadfigures WHERE workload_id = w)
ON CONFLICT DO NOTHING
"""
_TAKE = "DELETE FROM submissions_queuedchange WHERE workload_id = %s RETURNING coalesce(submission_id, 0), is_new"
_QUEUE = """
INSERT INTO submissions_queuedchange (workload_id, is_new) SELECT unnest(%s::bigint[]), false
"""
# Of the keys that have several rows alone: the others stay as they are.
_FOLD = """
WITH several AS (SELECT kind, key FROM submissions_sitecount GROUP BY 1, 2 HAVING count(*) > 1),
taken AS (
    DELETE FROM submissions_sitecount USING several
    WHERE submissions_sitecount.kind = several.kind AND submissions_sitecount.key = several.key
    RETURNING submissions_sitecount.kind, submissions_sitecount.key, n
)
INSERT INTO submissions_sitecount (kind, key, n) SELECT kind, key, sum(n) FROM taken GROUP BY 1, 2 HAVING sum(n) <> 0
"""


class _LeftToOther(Exception):
    """A worker, where the workload is too large to be counted again while a reader waits; or who counts it now."""


class _Change(NamedTuple):
    submission: int  # 0: all are to be counted
    is_new: bool


def refresh(workloads: Collection[int] | None = None, *, may_be_large: bool = False) -> None:
    """Bring the figures of these workloads (None: of all) up to date. One query where nothing has changed, and none for
    what the request at hand has brought up to date already.

    A workload of over LARGE results with a change is left to the worker, unless it `may_be_large`; a reader of all
    workloads leaves those, counted before, that take longer than READER_SECONDS. A replica shows what is stored, and so
    does a page while another counts.
    """
    if router.db_for_read(WorkloadFigures) != PRIMARY:
        return
    scopes: Collection[int | None] = [None] if workloads is None else workloads
    done = refreshed_workloads()
    if done is not None:
        scopes = [one for one in scopes if done.isdisjoint(product((one, None), (True, may_be_large)))]
    if not scopes:
        return
    is_whole = workloads is not None or may_be_large or not has_reader()
    if not is_whole and has_older_figures():
        return
    outdated = outdated_workloads(None if workloads is None else [one for one in scopes if one is not None])
    until = time.monotonic() + READER_SECONDS
    for workload, is_readable in outdated.items():
        if is_readable and not is_whole and time.monotonic() > until:
            note_older_figures()
            return
        refresh_workload(workload, may_be_large=may_be_large)
    if done is not None:
        done.update((one, may_be_large) for one in scopes)


def refresh_all() -> None:
    """Every workload, by all processors: what a worker does now and then."""
    parallel.each(_refresh_in_full, list(outdated_workloads()))
    with connections[PRIMARY].cursor() as cursor:
        cursor.execute(_FOLD)


def after_migrations(using: str, apps: Apps | None = None, **_: object) -> None:
    """Nothing where they stopped before the one that makes the tables, or the database was emptied: without `apps`."""
    if using == PRIMARY and apps is not None and "workloadfigures" in apps.all_models["submissions"]:
        queue_outdated_code()


def queue_outdated_code() -> None:
    """After an upgrade: where another version of the code has counted, everything is counted again."""
    figures = WorkloadFigures.objects.using(PRIMARY)
    with transaction.atomic(using=PRIMARY):
        if figures.exclude(code=kinds_code()).exists():
            figures.update(code="")  # before the next: whoever counts one of them has ended, or waits
            SiteCount.objects.using(PRIMARY).all().delete()
            _queue(figures.values_list("pk", flat=True))


def count_all_again(workloads: Collection[int]) -> None:
    """From the rows, whatever is stored."""
    _queue(workloads)
    refresh_all()


def _queue(workloads: Iterable[int]) -> None:
    with connections[PRIMARY].cursor() as cursor:
        cursor.execute(_QUEUE, [list(workloads)])


def refresh_workload(workload: int, *, may_be_large: bool = False) -> None:
    while True:
        try:
            with one_snapshot():
                news = _count(workload, may_be_large=may_be_large)
            if news:
                _start_version(news)
            return
        except _LeftToOther:
            return
        except OperationalError as error:
            # somebody else has counted it since our snapshot: begin anew, with one that shows it
            if not isinstance(error.__cause__, SerializationFailure) or connections[PRIMARY].in_atomic_block:
                raise


def _start_version(subject: Subject) -> None:
    """What was made from the figures of before is made again. Not in their transaction: counts of others would fail."""
    with connections[PRIMARY].cursor() as cursor:
        cursor.execute("SELECT submissions_new_version(%s)", [subject])


def _refresh_in_full(workload: int) -> None:
    refresh_workload(workload, may_be_large=True)


def outdated_workloads(workloads: Collection[int] | None = None) -> dict[int, bool]:
    """Whose stored figures are not those of the rows, and whether they are those of some rows. One query."""
    of_these = "" if workloads is None else "workload_id = ANY (%s::bigint[])"
    sql = _OUTDATED.format(of_queue=of_these and f"WHERE {of_these}", of_figures=of_these and f"AND {of_these}")
    with connections[PRIMARY].cursor() as cursor:
        cursor.execute(sql, [] if workloads is None else [list(workloads)] * 2)
        return dict(cursor.fetchall())


@contextmanager
def one_snapshot() -> Iterator[None]:
    """Queue and rows of one moment, else a row committed between two statements counts twice.

    An open transaction has a moment for each statement: what came meanwhile may be half counted, so that `_count` then
    counts all rows again, until the queue stays empty.
    """
    is_outermost = not connections[PRIMARY].in_atomic_block
    with transaction.atomic(using=PRIMARY):
        if is_outermost:
            with connections[PRIMARY].cursor() as cursor:
                cursor.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ")
        yield


def _count(workload: int, *, may_be_large: bool) -> Subject | None:
    """What has a new version then: `data`, where readers had older figures meanwhile; those of a replica always had."""
    news = Subject.FIGURES if settings.DATABASE_ROUTERS else None  # there are replicas
    is_news = False
    with connections[PRIMARY].cursor() as cursor:
        cursor.execute(_HEAD, [workload])
    figures = _locked(workload)
    now: datetime = vars(figures)["now"]  # an annotation
    is_over = figures.valid_until is not None and figures.valid_until <= now
    is_readable, is_first = figures.code == kinds_code(), True
    while (changes := _take(workload)) or is_over or not is_readable:
        before = _stored(workload, figures) if is_readable else Counted()
        on_site = {kind.name: kind.site_counts(before.states.get(kind.name, {})) for kind in registered()}
        new = {change.submission for change in changes if change.is_new}
        if is_first and is_readable and not is_over and all(change.submission in new for change in changes):
            counted = before  # what was changed of a new row is counted with it
            add(counted, sorted(new))
        elif is_readable and figures.published > LARGE and not may_be_large:
            raise _LeftToOther
        else:
            news = Subject.DATA if is_readable and figures.published > LARGE else news
            counted = counted_anew(workload)
        figures.valid_until, figures.counted_at = counted.valid_until, now
        _save(figures, counted.states, on_site)
        is_over, is_readable, is_first, is_news = False, True, False, True
    return news if is_news else None


def _locked(workload: int) -> WorkloadFigures:
    head = WorkloadFigures.objects.using(PRIMARY).annotate(now=Now()).filter(pk=workload)
    if may_be_old() and (free := head.select_for_update(skip_locked=True).first()):
        return free
    if may_be_old() and head.filter(code=kinds_code()).exists():
        note_older_figures()
        raise _LeftToOther
    return head.select_for_update().get()


def _take(workload: int) -> Sequence[_Change]:
    with connections[PRIMARY].cursor() as cursor:
        cursor.execute(_TAKE, [workload])
        return [_Change._make(row) for row in cursor.fetchall()]


def _stored(workload: int, figures: WorkloadFigures) -> Counted:
    states = Aggregate.objects.using(PRIMARY).filter(workload=workload).values_list("kind", "state")
    return Counted({kind: json.loads(state) for kind, state in states}, figures.valid_until)


def _save(figures: WorkloadFigures, states: Mapping[str, State], on_site: Mapping[str, Mapping[str, int]]) -> None:
    """`on_site`: what each kind counted of this workload for the whole site before."""
    figures.version, figures.code = uuid.uuid4(), kinds_code()
    rows, differences = [], []
    for kind in registered():
        state = states[kind.name]
        for column, value in kind.columns(state).items():
            setattr(figures, column, value)
        rows.append(_row(figures.workload_id, kind, state))
        counts = Counter(kind.site_counts(state))
        counts.subtract(on_site[kind.name])
        differences += [SiteCount(kind=kind.name, key=key, n=n) for key, n in counts.items() if n]
    SiteCount.objects.using(PRIMARY).bulk_create(differences)
    Aggregate.objects.using(PRIMARY).bulk_create(
        rows,
        update_conflicts=True,
        unique_fields=["workload_id", "kind"],
        update_fields=["state", "numbers", "orders", "labels"],
    )
    figures.save(using=PRIMARY)


def _row(workload: int, kind: Kind, state: State) -> Aggregate:
    numbers = kind.numbers(state)
    return Aggregate(
        workload_id=workload,
        kind=kind.name,
        state=json.dumps(state, separators=(",", ":")),
        numbers=[number for number, _ in numbers],
        orders=[order for _, order in numbers],
        labels=kind.labels(state),
    )
