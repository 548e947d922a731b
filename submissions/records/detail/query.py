"""Everything that the page of one submission says, gathered in a constant number of queries."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from django.db.models import Prefetch
from django.http import Http404

from submissions.analysis.documents import facts
from submissions.choices import Flag, LatencyKind, Trust
from submissions.formatting.facts import disk_text, field_label, field_text
from submissions.formatting.meanings import FLAG_MEANINGS, LATENCY_KIND_MEANINGS, TRUST_MEANINGS
from submissions.ingest.reproduction import reproduced_by
from submissions.metrics import LATENCIES
from submissions.models import Artifact, NodeGroup, Submission, Trial
from submissions.pricing.clusters import frozen_cost
from submissions.pricing.cost import SystemCost
from submissions.records.curves import interval_record, percentile_curves
from submissions.records.curves.interval_record import Recorded
from submissions.records.curves.interval_series import IntervalView, view_of
from submissions.records.curves.percentile_curves import Curve
from submissions.records.detail.hosts import HostTable, host_table
from submissions.records.detail.latencies import latencies_by_kind
from submissions.records.lines import has_history

PEERS = 5

# What a reader needs to judge or repeat a result; said by name where the source does not tell.
_WANTED = (
    ("service_version", "the version of the service"),
    ("measured_at", "when it was measured"),
    ("region", "the region"),
    ("cpu_model", "the CPU model of the database nodes"),
    ("disk_kind", "the disks of the database nodes"),
    ("jdk_version", "the version of the JDK"),
    ("client_count", "how many clients there were"),
    ("consistency_level", "the consistency level"),
    ("replication_factor", "the replication factor"),
    ("threads", "the threads of a client"),
    ("latency_p99_ms", "the p99 latency"),
    ("operations", "how many operations were done"),
    ("errors", "how many operations failed"),
    ("hourly_usd", "what the cluster cost"),
)


@dataclass(frozen=True, slots=True)
class LatencyRow:
    """One kind of latency; figures in ms in the order of metrics.LATENCIES."""

    kind: LatencyKind
    meaning: str
    figures: tuple[float | None, ...]


@dataclass(frozen=True, slots=True)
class TrialRow:
    """A trial with its latencies: (ms, range over the clients or None) in the order of LATENCIES."""

    number: int
    trial: Trial
    latencies: tuple[tuple[float | None, list[float] | None], ...]


@dataclass(frozen=True, slots=True)
class OperationRow:
    trial_number: int
    reading: dict[str, Any]  # as in Trial.by_operation
    latencies: tuple[float | None, ...]


@dataclass(frozen=True, slots=True)
class Dossier:
    submission: Submission
    trust_meaning: str
    flags: tuple[tuple[Flag, str], ...]
    latencies: tuple[LatencyRow, ...]
    trials: tuple[TrialRow, ...]
    operations: tuple[OperationRow, ...]
    groups: tuple[tuple[NodeGroup, tuple[str, ...]], ...]  # with their disks in words
    cost: SystemCost
    workload_facts: tuple[tuple[str, str], ...]
    settings: tuple[tuple[str, str], ...]
    command: str | None
    artifacts: tuple[Artifact, ...]
    curves: tuple[Curve, ...]
    no_curve: str  # why there is none
    intervals: IntervalView | None
    recorded: tuple[Recorded, ...]  # the same, of each trial in full
    hosts: HostTable | None
    unknown: tuple[str, ...]
    peers: tuple[Submission, ...]  # the best by value of the same workload
    peer_count: int  # other published submissions of the workload
    has_history: bool  # there are other results of the workload on equal clusters
    reproduced_by: tuple[int, ...]  # published submissions of other accounts that agree with it


def load(pk: int) -> Submission:
    """The submission with all its rows, retracted or not. Raises Http404."""
    submission = (
        Submission.objects.filter(pk=pk)
        .select_related("workload", "submitted_by")
        .prefetch_related(Prefetch("trials", Trial.objects.defer("histograms")), "node_groups", "artifacts")
        .first()
    )
    if submission is None:
        raise Http404(f"There is no submission {pk}.")
    return submission


def dossier(submission: Submission) -> Dossier:
    """Costs three queries more than `load`, and reads the files of intervals and hosts."""
    trials = list(submission.trials.all())
    groups = list(submission.node_groups.all())
    artifacts = list(submission.artifacts.all())
    stated = facts(submission.document)
    others = Submission.objects.listed().filter(workload=submission.workload_id).exclude(pk=submission.pk)
    flags = tuple(Flag(flag) for flag in submission.flags)
    histograms = list(submission.trials.values_list("histograms", flat=True))
    curves = percentile_curves.curves(histograms)
    printed = interval_record.read(artifacts)
    return Dossier(
        submission=submission,
        trust_meaning=TRUST_MEANINGS[Trust(submission.trust)],
        flags=tuple((flag, FLAG_MEANINGS[flag]) for flag in flags),
        latencies=_latency_rows(submission),
        trials=tuple(_trial_row(trial) for trial in trials),
        operations=tuple(row for trial in trials for row in _operation_rows(trial)),
        groups=tuple((group, tuple(disk_text(disk) for disk in group.disks)) for group in groups),
        cost=frozen_cost(groups),
        workload_facts=_section(stated, "workload.", but=("workload.command",)),
        settings=_section(stated, "settings."),
        command=stated.get("workload.command"),
        artifacts=tuple(artifacts),
        curves=curves,
        no_curve="" if curves else percentile_curves.why_none(histograms),
        intervals=view_of(printed),
        recorded=interval_record.recorded(printed),
        hosts=host_table(submission, artifacts, groups),
        unknown=_unknown(submission),
        peers=tuple(others.by_value()[:PEERS]),
        peer_count=others.count(),
        has_history=has_history(submission),
        reproduced_by=tuple(reproduced_by(submission)) if submission.trust == Trust.REPRODUCED else (),
    )


def _latency_rows(submission: Submission) -> tuple[LatencyRow, ...]:
    return tuple(
        LatencyRow(
            kind,
            LATENCY_KIND_MEANINGS[kind],
            tuple(figures.get(metric.key) for metric in LATENCIES),
        )
        for kind, figures in latencies_by_kind(submission).items()
    )


def _trial_row(trial: Trial) -> TrialRow:
    return TrialRow(
        trial.index + 1,
        trial,
        tuple((getattr(trial, metric.key), trial.latency_ranges.get(_short(metric.key))) for metric in LATENCIES),
    )


def _operation_rows(trial: Trial) -> list[OperationRow]:
    return [
        OperationRow(
            trial.index + 1,
            reading,
            tuple((reading.get("latency_ms") or {}).get(_short(m.key)) for m in LATENCIES),
        )
        for reading in trial.by_operation
    ]


def _short(column: str) -> str:
    """latency_p99_ms -> p99, the name inside the JSON columns."""
    return column.removeprefix("latency_").removesuffix("_ms")


def _section(stated: dict[str, Any], prefix: str, but: Sequence[str] = ()) -> tuple[tuple[str, str], ...]:
    return tuple(
        (field_label(field), field_text(field, value) or "")
        for field, value in stated.items()
        if field.startswith(prefix) and field not in but
    )


def _unknown(submission: Submission) -> tuple[str, ...]:
    return tuple(words for column, words in _WANTED if getattr(submission, column) is None)
