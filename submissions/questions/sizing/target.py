"""What a sizing is to reach: a throughput of one workload, given as a number or by a submission that has it."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from django.db import router
from django.db.models import Count, Min, QuerySet

from submissions.api.forms import BadParameter
from submissions.choices import LatencyKind, Trust
from submissions.formatting.load import held
from submissions.models import CompiledQuery, Submission, Workload, given_ids
from submissions.pricing.terms import PriceTerms
from submissions.questions.boards.choice import WorkloadChoice
from submissions.questions.boards.offered import offered_workloads
from submissions.questions.sizing.aggregate import SIZING

MOST_BASES = 10


@dataclass(frozen=True, slots=True)
class SizingParams:
    """The parameters as stated; `workload` is a fingerprint, "" where none is stated."""

    target_ops_s: float | None
    equal_to: int | None
    workload: str
    max_p99_ms: float | None
    latency_kind: LatencyKind | None  # of `max_p99_ms`; None: the most common known kind
    replication_factor: int | None
    zones: int
    terms: PriceTerms
    trust: Trust | None  # the trust filter; None: the default


@dataclass(frozen=True, slots=True)
class Target:
    """`throughput` is ops/s, or relative to the `relative_base` of `base`; None where no throughput is stated.

    `workload` is None where nothing was measured that could be sized.
    """

    workload: Workload | None
    throughput: float | None
    base: Submission | None  # the submission whose throughput to match, where one is stated
    offered: Sequence[WorkloadChoice]  # workloads that can be sized, of the stated replication factor

    @property
    def is_relative(self) -> bool:
        return self.base is not None and self.base.throughput_ops_s is None

    def trust(self, stated: Trust | None) -> Trust | None:
        """Relative results are historical: only those of their source can match them."""
        return stated or (self.base.trust_filter if self.base and self.is_relative else None)

    @property
    def replication_factor(self) -> int | None:
        factor = self.workload.canonical.get("replication_factor") if self.workload else None
        return factor if isinstance(factor, int) else None


def target_of(params: SizingParams) -> Target:
    """At most six queries. Raises BadParameter."""
    base = _base(params)
    offered = offered_workloads(SIZING, params.trust, params.replication_factor)
    workload = base.workload if base else _workload(params.workload, offered)
    if base and params.workload not in ("", base.workload.fingerprint):
        raise BadParameter("workload", f"is not the workload of submission {base.pk}: omit it")
    _check_replication_factor(params.replication_factor, workload)
    throughput = params.target_ops_s
    if base is not None:  # has one of the two: a constraint of the table
        throughput = base.throughput_ops_s or base.relative_throughput
    return Target(workload, throughput, base, offered)


def relative_bases() -> list[Submission]:
    """The first submission of each set that is known only relative to each other, on different machines.

    Only what names them is read. Two queries at most.
    """
    firsts = [pk for *_, pk in _FIRSTS.rows()]
    if not firsts:
        return []
    using = router.db_for_read(Submission)
    return [Submission.from_db(using, _NAMED_BY, row) for row in _NAMED.rows_from(using, ids=firsts)]


def _firsts() -> QuerySet[Submission, Any]:
    return (
        Submission.objects.published()
        .filter(throughput_ops_s=None)
        .order_by()
        .values_list("workload", "relative_base")
        .annotate(machines=Count("instance_type", distinct=True), first=Min("pk"))
        .filter(machines__gte=2)
        .order_by("first")[:MOST_BASES]
    )


_NAMED_BY = ("id", "title", "provider", "region", "instance_type", "node_count")
_FIRSTS = CompiledQuery(_firsts)
_NAMED = CompiledQuery(
    lambda ids: Submission.objects.filter(pk__in=given_ids(ids)).order_by("pk").values_list(*_NAMED_BY), ids="ids"
)


def _base(params: SizingParams) -> Submission | None:
    """Two queries where a submission is stated."""
    pk = params.equal_to
    if pk is None:
        return None
    rows = Submission.objects.listed().select_related("workload").prefetch_related("node_groups")
    base = rows.filter(pk=pk).first()
    if base is None:
        raise BadParameter("equal_to", f"there is no submission {pk}, or it was retracted", is_missing=True)
    if base.is_throttled:
        raise BadParameter("equal_to", f"submission {pk} was {held(base)}, so its capacity is unknown")
    if base.is_excluded:
        raise BadParameter("equal_to", f"submission {pk} has a data-quality flag, so its rate is not reliable")
    if params.target_ops_s is not None:
        raise BadParameter("target_ops_s", "cannot be combined with equal_to: omit one of them")
    return base


def _workload(fingerprint: str, offered: Sequence[WorkloadChoice]) -> Workload | None:
    """The stated workload, else the first of those that are offered."""
    if not fingerprint and not offered:
        return None
    # what is offered is open
    choice = next((one for one in offered if fingerprint in ("", one.fingerprint)), None)
    workload = Workload.objects.filter(pk=choice.pk).first() if choice else None
    workload = workload or Workload.objects.open().by_fingerprint(fingerprint)
    if workload is None:
        raise BadParameter("workload", "there is no such workload", is_missing=True)
    return workload


def _check_replication_factor(stated: int | None, workload: Workload | None) -> None:
    if workload is None or stated is None:
        return
    measured = workload.canonical.get("replication_factor")
    if measured is None:
        raise BadParameter("replication_factor", "the replication factor of this workload is unknown")
    if measured != stated:
        raise BadParameter("replication_factor", f"this workload was measured with replication factor {measured} only")
