"""Everything that the page of one submission shows, gathered in a constant number of queries."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from django.contrib.auth.models import AnonymousUser, User
from django.http import Http404

from submissions import facts
from submissions.aggregates.workloads import beside
from submissions.analysis.curves.interval_curves import WarmUpTest
from submissions.analysis.documents import facts as facts_of_document
from submissions.choices import ArtifactKind, Flag, LatencyKind, Outcome, Trust
from submissions.formatting.facts import disk_text, fact_text, field_label, field_text
from submissions.formatting.meanings import FLAG_MEANINGS, LATENCY_KIND_MEANINGS, TRUST_MEANINGS
from submissions.ingest.checks.reproduced_trust import agreeing_accounts, reproduced_by
from submissions.load_curves.form import LimitForm
from submissions.metrics import LATENCIES
from submissions.models import Artifact, ModerationDecision, NodeGroup, Submission, Trial
from submissions.pricing.bill import Bill, bill_of
from submissions.pricing.clusters import frozen_cost, measured_on
from submissions.pricing.cost import SystemCost
from submissions.records.curves.activity_series import activity_series
from submissions.records.curves.interval_record import RecordedTrial, curves_of, recorded_trials
from submissions.records.curves.interval_series import IntervalView, interval_view
from submissions.records.curves.percentile_curves import Curve, percentile_curves, why_no_curve
from submissions.records.detail.data import DataWords, data_words
from submissions.records.detail.hosts import HostTable, host_table
from submissions.records.detail.latencies import latencies_by_kind
from submissions.records.detail.load_curve import LoadCurve, load_curve
from submissions.records.detail.profiles import Profile, profiles_of
from submissions.records.detail.rows import histograms_of, peers_of, submission_for
from submissions.records.hosts import host_summary
from submissions.records.lines import has_history

TAKES_AWAY = (Outcome.UNRANKED, Outcome.HIDDEN, Outcome.BYTES_REMOVED)

# What a reader needs to judge or repeat a result: each is named where the source does not state it.
_WANTED = {
    **{
        fact.column: fact.noun
        for fact in (
            facts.SERVICE_VERSION,
            facts.MEASURED_AT,
            facts.REGION,
            facts.CPU_MODEL,
            facts.DISK_KIND,
            facts.JDK_VERSION,
            facts.CLIENT_COUNT,
            facts.CONSISTENCY_LEVEL,
            facts.REPLICATION_FACTOR,
            facts.THREADS,
            facts.DATA_BYTES,
            facts.OPERATIONS_DONE,
            facts.ERRORS,
        )
    },
    "latency_p99_at_most_ms": "p99 latency",
    "hourly_usd": "cluster cost",
}


# What other parts of the page show, the facts of the workload apart.
_SHOWN_APART = frozenset(
    {
        *("title", "notes", "source", "source_url", "measured_at", "measured_at_source", "trust", "flag", "trials"),
        *("license", "pack", "attribution", "service", "service_version", "provider", "region", "zones"),
        *("instance_type", "cpu_model", "vcpus", "memory_gib", "disk_kind", "pricing_model"),
        *("node_count", "cache_node_count", "client_count"),
        *("jdk_vendor", "jdk_version", "network_kind", "network_encryption"),
        *("workload", "operation", "load_mode", "latency_kind", "operations_done", "errors"),
        *("data_to_memory", "data_fit"),
    }
)
_OF_CLUSTER = tuple(
    fact for fact in facts.BY_COLUMN.values() if fact.key not in _SHOWN_APART and not fact.place.startswith("workload.")
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
class SubmissionDetail:
    submission: Submission
    trust_meaning: str
    flags: tuple[tuple[Flag, str], ...]
    latencies: tuple[LatencyRow, ...]
    trials: tuple[TrialRow, ...]
    operations: tuple[OperationRow, ...]
    groups: tuple[tuple[NodeGroup, tuple[str, ...]], ...]  # each with its disks in words
    cluster_facts: tuple[tuple[str, str], ...]  # beside those that have a place of their own
    cost: SystemCost
    bill: Bill
    data: DataWords
    workload_facts: tuple[tuple[str, str], ...]
    settings: tuple[tuple[str, str], ...]
    command: str | None
    artifacts: tuple[Artifact, ...]
    load_curve: LoadCurve | None
    curves: tuple[Curve, ...]
    no_curve: str  # why there is no percentile curve
    intervals: IntervalView | None  # of a load curve at its peak
    recorded: tuple[RecordedTrial, ...]  # the same intervals, of each whole trial
    warm_up: WarmUpTest | None
    hosts: HostTable | None
    profiles: tuple[Profile, ...]
    not_stated: tuple[str, ...]
    peers: tuple[Submission, ...]  # the best by value of the same workload
    peer_count: int  # other published submissions of the workload
    has_history: bool  # there are other results of the workload on equal clusters
    reproduced_by: tuple[int, ...]  # published submissions of other accounts that agree with it
    agreeing_accounts: int  # at least the pair; its own among them, those of one organisation count once

    @property
    def has_undrawn_intervals(self) -> bool:
        """Whether it has intervals that no chart shows: too many, or of no operation over all types."""
        return self.intervals is None and any(file.kind == ArtifactKind.INTERVALS for file in self.artifacts)


def load_submission(pk: int, user: User | AnonymousUser | None = None, keys: Sequence[str] = ()) -> Submission:
    """One that the user (None: anybody) may open with these keys, with all its rows, retracted or not.

    Raises Http404.
    """
    submission = submission_for(user or AnonymousUser(), keys, pk)
    if submission is None:
        raise Http404(f"There is no submission {pk}.")
    return submission


def submission_detail(submission: Submission, limit_form: LimitForm | None = None) -> SubmissionDetail:
    """Four queries more than `load_submission`, five of a load curve; one of intervals; reads the file of hosts."""
    trials = list(submission.trials.all())
    groups = list(submission.node_groups.all())
    artifacts = list(submission.artifacts.all())
    stated = facts_of_document(submission.document)
    around = beside(submission)
    flags = tuple(Flag(flag) for flag in submission.flags)
    histograms = histograms_of(submission.pk)
    curves = percentile_curves(histograms)
    printed = curves_of(submission, artifacts)
    hosts = host_table(submission, host_summary(artifacts), groups)
    return SubmissionDetail(
        submission=submission,
        trust_meaning=TRUST_MEANINGS[Trust(submission.trust)],
        flags=tuple((flag, FLAG_MEANINGS[flag]) for flag in flags),
        latencies=_latency_rows(submission),
        trials=tuple(_trial_row(trial) for trial in trials),
        operations=tuple(row for trial in trials for row in _operation_rows(trial)),
        groups=tuple((group, tuple(disk_text(disk) for disk in group.disks)) for group in groups),
        cluster_facts=_cluster_facts(submission),
        cost=frozen_cost(groups, measured_on(submission)),
        bill=bill_of(submission.bill),
        data=data_words(submission, trials),
        workload_facts=_section(stated, "workload.", without=(facts.COMMAND.place, facts.DATA_BYTES.place)),
        settings=_section(stated, "settings."),
        command=stated.get("workload.command"),
        artifacts=tuple(artifacts),
        load_curve=load_curve(submission, limit_form),
        curves=curves,
        no_curve="" if curves else why_no_curve(histograms),
        intervals=interval_view(
            printed.trials, activity_series(hosts.activity if hosts else (), printed.trials, trials)
        ),
        recorded=recorded_trials(printed.trials),
        warm_up=printed.warm_up,
        hosts=hosts,
        profiles=profiles_of(artifacts),
        not_stated=_not_stated(submission),
        peers=peers_of(submission, around.levels),
        peer_count=around.published,
        has_history=has_history(submission, around.levels),
        reproduced_by=tuple(reproduced_by(submission)) if submission.trust == Trust.REPRODUCED else (),
        agreeing_accounts=max(2, agreeing_accounts(submission)) if submission.trust == Trust.REPRODUCED else 0,
    )


def moderation_of(submission: Submission) -> ModerationDecision | None:
    """The last decision that took something away from it; none, and no query, where nothing is."""
    if submission.hidden_at is None and submission.unranked_at is None:
        return None
    return submission.decisions.filter(outcome__in=TAKES_AWAY).first()


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


def _section(stated: dict[str, Any], prefix: str, without: Sequence[str] = ()) -> tuple[tuple[str, str], ...]:
    return tuple(
        (field_label(field), field_text(field, value) or "")
        for field, value in stated.items()
        if field.startswith(prefix) and field not in without
    )


def _cluster_facts(submission: Submission) -> tuple[tuple[str, str], ...]:
    """(label, value) of those that are known."""
    values = ((fact, fact_text(fact, getattr(submission, fact.column))) for fact in _OF_CLUSTER)
    return tuple((fact.label_with_unit, text) for fact, text in values if text)


def _not_stated(submission: Submission) -> tuple[str, ...]:
    return tuple(noun for column, noun in _WANTED.items() if getattr(submission, column) is None)
