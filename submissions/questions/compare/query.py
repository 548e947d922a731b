"""Submissions beside each other: rows of the database as the values that analysis/ and the pages compare."""

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from django.db.models import Prefetch

from submissions.analysis.compare import Comparison, Measured, compare_all
from submissions.analysis.documents import FactRow, fact_rows
from submissions.choices import LatencyKind
from submissions.models import Submission, Trial
from submissions.pricing.cost import ops_per_usd
from submissions.questions.compare.sentences import sentence
from submissions.questions.workload.spreads import workload_spreads
from submissions.records.detail.latencies import latencies_by_kind

_WORKLOAD_LABELS = {"value_bytes": "value size", "duration": "duration class"}


@dataclass(frozen=True, slots=True)
class Side:
    """A submission in a comparison; `against_first` is None for the first one itself."""

    submission: Submission
    name: str
    latencies: dict[LatencyKind, dict[str, float]]  # of each kind that is known, ms
    against_first: Comparison | None
    sentence: str  # that says it in words; empty for the first one


@dataclass(frozen=True, slots=True)
class Table:
    """Two or more sides with all their facts."""

    sides: tuple[Side, ...]
    differing: tuple[FactRow, ...]
    same: tuple[FactRow, ...]
    workload_differences: tuple[str, ...]  # "consistency level", ...; empty: one workload


def load(ids: Sequence[int]) -> list[Submission]:
    """The published ones among `ids`, in that order; two queries."""
    trials = Prefetch("trials", Trial.objects.defer("histograms"))
    found = Submission.objects.published().filter(pk__in=ids).select_related("workload").prefetch_related(trials)
    by_id = {submission.pk: submission for submission in found}
    return [by_id[pk] for pk in ids if pk in by_id]


def name_of(submission: Submission) -> str:
    """Number and system, in few words."""
    return f"#{submission.pk} ({system_name(submission)})"


def system_name(submission: Submission) -> str:
    return f"{submission.node_count} x {submission.instance_type}, {submission.provider}"


def measured(submission: Submission) -> Measured:
    """What a comparison needs of a submission with its trials."""
    trials = list(submission.trials.all())
    p99s = [trial.latency_p99_ms for trial in trials]
    kind = LatencyKind(submission.latency_kind)
    is_of_one_kind = all(trial.latency_kind == kind for trial in trials)
    is_relative = submission.throughput_ops_s is None
    rates = [trial.relative_throughput if is_relative else trial.throughput_ops_s for trial in trials]
    return Measured(
        name=name_of(submission),
        workload=submission.workload.fingerprint,
        throughputs=tuple(rate for rate in rates if rate is not None),
        ops_per_usd=_relative_value(submission) if is_relative else submission.ops_per_usd,
        p99_ms=submission.latency_p99_ms,
        trial_p99s_ms=tuple(p99 for p99 in p99s if p99 is not None) if is_of_one_kind else (),
        latency_kind=kind,
        relative_base=submission.relative_base if is_relative else "",
    )


def against(first: Submission, others: Sequence[Submission]) -> list[Side]:
    """Each of the others against the first. Two queries, see `workload_spreads`."""
    spreads = workload_spreads(first.workload_id, LatencyKind(first.latency_kind))
    base, measures = measured(first), [measured(other) for other in others]
    return [
        Side(other, name_of(other), latencies_by_kind(other), comparison, sentence(base, measure, comparison))
        for other, measure, comparison in zip(others, measures, compare_all(base, measures, spreads), strict=True)
    ]


def table(submissions: Sequence[Submission]) -> Table:
    """Side by side, each against the first."""
    first, *others = submissions
    rows = fact_rows([submission.document for submission in submissions])
    return Table(
        sides=(Side(first, name_of(first), latencies_by_kind(first), None, ""), *against(first, others)),
        differing=tuple(row for row in rows if not row.is_same),
        same=tuple(row for row in rows if row.is_same),
        workload_differences=_workload_differences(submissions),
    )


def _relative_value(submission: Submission) -> Decimal | None:
    """Relative throughput per dollar: only its ratio to one of the same base means something."""
    if submission.hourly_usd is None or submission.relative_throughput is None:
        return None
    return ops_per_usd(hourly_usd=submission.hourly_usd, throughput_ops_s=submission.relative_throughput)


def _workload_differences(submissions: Sequence[Submission]) -> tuple[str, ...]:
    if len({submission.workload_id for submission in submissions}) == 1:
        return ()
    forms: list[dict[str, Any]] = [submission.workload.canonical for submission in submissions]
    names = sorted({name for form in forms for name in form})
    return tuple(
        _WORKLOAD_LABELS.get(name, name.replace("_", " "))
        for name in names
        if any(form.get(name) != forms[0].get(name) for form in forms)
    )
