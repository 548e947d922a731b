"""What a sizing page or call is asked: its parameters as a Question, or what is wrong with which of them."""

from collections.abc import Mapping
from typing import Any

from django.db.models import Count, Min
from django.utils.functional import cached_property

from submissions.choices import LatencyKind, PricingModel, Trust
from submissions.models import Submission, SubmissionQuerySet, Workload
from submissions.pricing.terms import PriceTerms
from submissions.questions.scaling.query import has_other_machines
from submissions.questions.sizing.query import Question
from submissions.questions.workload.choice import WorkloadChoice, choices
from submissions.records.cache import cached

MOST_BASES = 10
MOST_ZONES = 20


class BadQuestion(Exception):
    """The parameter, and what is wrong with it; `is_missing` where it names something that is not there."""

    def __init__(self, parameter: str, detail: str, *, is_missing: bool = False):
        super().__init__(f"{parameter}: {detail}")
        self.parameter = parameter
        self.detail = detail
        self.is_missing = is_missing


class Asker:
    """Reads parameters that were checked one by one: `given` lacks what was not said, or has None or "" there."""

    def __init__(self, given: Mapping[str, Any]):
        self._given = {name: value for name, value in given.items() if value not in (None, "")}

    def question(self) -> Question | None:
        """None when there is no workload to size for, or nothing is asked. Raises BadQuestion."""
        base, workload = self._base, self._workload
        if workload is None or (base is None and "target_ops_s" not in self._given):
            return None
        return Question(
            workload=workload,
            target=self._target(base),
            terms=PriceTerms(self._given.get("at"), PricingModel(self._given.get("basis", PricingModel.ON_DEMAND))),
            max_p99_ms=self._given.get("max_p99_ms"),
            latency_kind=LatencyKind(self._given["latency_kind"]) if "latency_kind" in self._given else None,
            zones=self._given.get("zones", 1),
            trust=Trust(self._given["trust"]) if "trust" in self._given else None,
            base=base,
        )

    @cached_property
    def offered(self) -> list[WorkloadChoice]:
        """Workloads of the replication factor that is asked for, if any."""
        return workloads(self._given.get("replication_factor"))

    @cached_property
    def _base(self) -> Submission | None:
        if "equal_to" not in self._given:
            return None
        pk = self._given["equal_to"]
        base = base_of(pk)
        if base is None:
            raise BadQuestion("equal_to", f"there is no submission {pk}, or it was retracted", is_missing=True)
        if base.is_excluded:
            raise BadQuestion("equal_to", f"the rate of submission {pk} is in doubt: see its flags")
        if "target_ops_s" in self._given:
            raise BadQuestion("target_ops_s", f"is that of submission {pk}: give one of the two")
        return base

    @cached_property
    def _workload(self) -> Workload | None:
        workload = self._base.workload if self._base else self._named_or_first()
        if self._base and self._given.get("workload", self._base.workload.fingerprint) != workload.fingerprint:
            raise BadQuestion("workload", f"is not that of submission {self._base.pk}: leave it away")
        factor = self._given.get("replication_factor")
        own = workload and workload.canonical.get("replication_factor")
        if workload and factor is not None and factor != own:
            known = "an unknown factor" if own is None else f"factor {own}"
            raise BadQuestion("replication_factor", f"the workload was measured at {known}, and at no other")
        return workload

    @property
    def chosen(self) -> Workload | None:
        return self._workload

    def _named_or_first(self) -> Workload | None:
        fingerprint = self._given.get("workload") or (self.offered[0].fingerprint if self.offered else None)
        if fingerprint is None:
            return None
        workload = Workload.objects.filter(fingerprint=fingerprint).first()
        if workload is None:
            raise BadQuestion("workload", "there is no such workload", is_missing=True)
        return workload

    def _target(self, base: Submission | None) -> float:
        if base is None:
            return float(self._given["target_ops_s"])
        # a submission has one of the two: a constraint of the table
        return float(base.throughput_ops_s or base.relative_throughput or 0)


def workloads(replication_factor: int | None = None) -> list[WorkloadChoice]:
    """Workloads that can be sized for, and how many submissions each has. Two queries, one while it is kept."""
    rows = usable()
    if replication_factor is not None:
        rows = rows.filter(replication_factor=replication_factor)
    return cached(("sizing workloads", replication_factor), lambda: choices(rows))


def usable() -> SubmissionQuerySet:
    """An absolute rate beyond doubt, of database nodes of one machine type."""
    return Submission.objects.rankable().exclude(has_other_machines())


def base_of(pk: int) -> Submission | None:
    """The submission whose throughput is to be reached. Two queries."""
    rows = Submission.objects.published().select_related("workload").prefetch_related("node_groups")
    return rows.defer("document", "notes").filter(pk=pk).first()


def relative_bases() -> list[Submission]:
    """The first of each set of systems that are known only relative to each other, on different machines.

    Two queries at most.
    """
    found = (
        Submission.objects.published()
        .filter(throughput_ops_s=None)
        .order_by()
        .values("workload", "relative_base")
        .annotate(machines=Count("instance_type", distinct=True), first=Min("pk"))
        .filter(machines__gte=2)
        .order_by("first")
    )
    firsts = [row["first"] for row in found[:MOST_BASES]]
    return list(Submission.objects.defer("document", "notes").filter(pk__in=firsts).order_by("pk")) if firsts else []
