"""The rows of the page of one submission, by queries whose SQL is built once: building them took half of the page."""

from collections.abc import Sequence
from functools import lru_cache
from typing import Any

from django.contrib.auth.models import AnonymousUser, User

from submissions.choices import Trust
from submissions.models import (
    IS_PRICE_OFF,
    MAX_ID,
    PUBLICATION_FIELDS,
    Artifact,
    CompiledQuery,
    NodeGroup,
    Submission,
    SubmissionQuerySet,
    Trial,
    is_moderator,
)

PEERS = 5


def submission_for(user: User | AnonymousUser, keys: Sequence[str], pk: int) -> Submission | None:
    """The one that this person may open by an address with these keys, with its workload, owner and all its rows."""
    if pk > MAX_ID:
        return None
    if keys or is_moderator(user):
        submission = _with_owner(Submission.objects.by_link(user, keys).filter(pk=pk)).first()
    else:
        submission = next(iter(_of_reader(_OPENED, user, pk=pk)), None)
    if submission is not None:
        for name, query in _PARTS.items():
            _prefetch(submission, name, query.instances(is_prepared=True, submission=pk))
    return submission


def successor_for(user: User | AnonymousUser, pk: int) -> Submission | None:
    """The newest that supersedes this submission and that this person may know of."""
    if is_moderator(user):
        return _superseding(Submission.objects.all(), pk).first()
    return next(iter(_of_reader(_SUCCESSORS, user, pk=pk)), None)


def histograms_of(pk: int) -> list[Any]:
    """Of each repetition."""
    return [histograms for (histograms,) in _HISTOGRAMS.rows(submission=pk)]


def peers_of(submission: Submission, levels: Sequence[Trust]) -> tuple[Submission, ...]:
    """The best by value of its workload, at these levels of trust."""
    return tuple(_peers(tuple(levels)).instances(workload=submission.workload_id, pk=submission.pk))


def _with_owner(rows: SubmissionQuerySet) -> SubmissionQuerySet:
    return rows.select_related("workload", "submitted_by")


def _superseding(rows: SubmissionQuerySet, pk: int) -> SubmissionQuerySet:
    return rows.only(*PUBLICATION_FIELDS).filter(supersedes=pk, retracted_at=None)


def _somebody(owner: int | None) -> User | AnonymousUser:
    """Who is no moderator."""
    return AnonymousUser() if owner is None else User(pk=owner, is_active=False)


def _opened(pk: int, owner: int | None = None) -> SubmissionQuerySet:
    return _with_owner(Submission.objects.by_link(_somebody(owner)).filter(pk=pk)).order_by()


def _successors(pk: int, owner: int | None = None) -> SubmissionQuerySet:
    return _superseding(Submission.objects.visible_to(_somebody(owner)), pk)[:1]


# of anybody, and of somebody who may have submissions
_OPENED = CompiledQuery(_opened, pk=-1), CompiledQuery(_opened, pk=-1, owner=-2)
_SUCCESSORS = CompiledQuery(_successors, pk=-1), CompiledQuery(_successors, pk=-1, owner=-2)


def _of_reader(
    queries: tuple[CompiledQuery, CompiledQuery], user: User | AnonymousUser, *, pk: int
) -> list[Submission]:
    of_anybody, of_somebody = queries
    if user.is_authenticated:
        return of_somebody.instances(is_prepared=True, pk=pk, owner=user.pk)
    return of_anybody.instances(is_prepared=True, pk=pk)


_PARTS = {
    "trials": CompiledQuery(
        lambda submission: Trial.objects.filter(submission=submission).defer("histograms").order_by("index"),
        submission=-1,
    ),
    "node_groups": CompiledQuery(
        lambda submission: NodeGroup.objects.filter(submission=submission).order_by("position"), submission=-1
    ),
    "artifacts": CompiledQuery(lambda submission: Artifact.objects.filter(submission=submission), submission=-1),
}
_HISTOGRAMS = CompiledQuery(
    lambda submission: (
        Trial.objects.repetitions().filter(submission=submission).order_by("index").values_list("histograms")
    ),
    submission=-1,
)


def _prefetch(submission: Submission, name: str, rows: Sequence[Any]) -> None:
    """As `prefetch_related` leaves it."""
    for row in rows:
        row.submission = submission
    known: Any = getattr(submission, name).get_queryset()
    known._result_cache, known._prefetch_done = list(rows), True
    vars(submission).setdefault("_prefetched_objects_cache", {})[name] = known


@lru_cache(maxsize=32)
def _peers(levels: tuple[Trust, ...]) -> CompiledQuery:
    def rows(workload: int, pk: int) -> SubmissionQuerySet:
        others = Submission.objects.rankable().filter(workload=workload, trust__in=levels).exclude(pk=pk)
        return others.exclude(IS_PRICE_OFF).defer("document", "notes").by_value()[:PEERS]

    return CompiledQuery(rows, workload=-1, pk=-2)
