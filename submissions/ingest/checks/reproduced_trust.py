"""Raises and lowers the trust of submissions that other accounts' submissions reproduce."""

from collections.abc import Iterable, Sequence
from itertools import product

from django.db import transaction
from django.db.models import Count, Exists, F, OuterRef, Prefetch, Q, QuerySet

from submissions.analysis.comparison.reproduction import (
    FEWEST_TRIALS,
    LEAST_TRUST,
    Cluster,
    Result,
    jdk_release_of,
    release_of,
    reproduce_each_other,
)
from submissions.choices import ArtifactKind, LatencyKind, Role, Trust
from submissions.ingest.checks.independence import Organisations, distinct, organisations_of
from submissions.ingest.checks.noise import ConfigurationRuns, configuration_runs, noise_books
from submissions.models import Artifact, NodeGroup, Reproduction, Submission, Trial, Workload, is_published
from submissions.pricing.providers import billing_of

MOST_CANDIDATES = 200  # newest ones that a batch of new submissions is compared with

_LEVELS = LEAST_TRUST.and_higher
_RAW = (ArtifactKind.LOAD_LOG, ArtifactKind.HISTOGRAM_LOG)


def hold(workloads: Iterable[int]) -> None:
    """Until the transaction ends, no other looks for reproductions of these workloads; storing goes on."""
    rows = Workload.objects.select_for_update(no_key=True).filter(pk__in=workloads).order_by("pk")
    list(rows.values_list("pk"))


def look_for_reproductions(new: Sequence[Submission]) -> None:
    """Compare new submissions with the published ones of other accounts; both of a pair that agrees rise.

    Call it in the transaction that stored them. Of two transactions that store one workload the second
    waits here for the first, and sees what it stored. Fourteen queries; none where no new one can count, and one
    where no account can.
    """
    chosen = [submission for submission in new if submission.is_open and _may_count(submission)]
    if not chosen:
        return
    accounts = organisations_of(_account(submission) for submission in chosen)
    chosen = [submission for submission in chosen if submission.submitted_by_id in accounts]
    if not chosen:
        return
    workloads = {submission.workload_id for submission in chosen}
    hold(workloads)
    ids = {submission.pk for submission in chosen}
    fresh = _with_parts(Submission.objects.rankable().filter(pk__in=ids))
    known = _with_parts(_candidates(chosen).exclude(pk__in=ids).order_by("-pk")[:MOST_CANDIDATES])
    if not known and len({submission.submitted_by_id for submission in chosen}) == 1:
        return  # most uploads: nobody else has measured the same, and no figures of the workload are needed
    accounts = organisations_of(_account(submission) for submission in (*fresh, *known))
    runs = configuration_runs((*fresh, *known), LatencyKind.UNKNOWN)
    books = noise_books(workloads, LatencyKind.UNKNOWN)
    results = {submission.pk: _result(submission, accounts, runs[submission.pk]) for submission in (*fresh, *known)}
    workload_of = {submission.pk: submission.workload_id for submission in (*fresh, *known)}
    pairs = {
        (min(new_id, other), max(new_id, other))
        for new_id, other in product(sorted(submission.pk for submission in fresh), results)
        if new_id != other
        and workload_of[new_id] == workload_of[other]
        and reproduce_each_other(
            results[new_id], results[other], books[workload_of[other]].of_trust_filter(None).throughput
        )
    }
    if not pairs:
        return
    Reproduction.objects.bulk_create(
        [Reproduction(first_id=first, second_id=second) for first, second in sorted(pairs)], ignore_conflicts=True
    )
    risen = {pk for pair in pairs for pk in pair}
    Submission.objects.filter(pk__in=risen).exclude(trust=Trust.REPRODUCED).update(
        own_trust=F("trust"), trust=Trust.REPRODUCED
    )
    for submission in chosen:
        if submission.pk in risen:
            submission.own_trust, submission.trust = submission.trust, Trust.REPRODUCED


def fall_back(submission: Submission) -> None:
    """After a retraction: submissions that nothing published reproduces any more get their own trust back.

    Call it in the transaction of the retraction, which began with `hold`.
    """
    _lower({pk for pair in _pairs(submission.pk).values_list("first_id", "second_id") for pk in pair})


def compare_again(submission: Submission) -> None:
    """After its facts changed: what agreed with it may not agree any more. As `fall_back`, in one transaction."""
    pairs = _pairs(submission.pk)
    affected = {pk for pair in pairs.values_list("first_id", "second_id") for pk in pair}
    pairs.delete()
    _lower(affected)
    submission.refresh_from_db(fields=["trust", "own_trust"])
    look_for_reproductions([submission])


def _lower(affected: Iterable[int]) -> None:
    """Those of them that nothing published reproduces."""
    Submission.objects.filter(pk__in=affected, trust=Trust.REPRODUCED, own_trust__isnull=False).exclude(
        Exists(_published_pairs(OuterRef("pk")))
    ).update(trust=F("own_trust"), own_trust=None)


def reproduced_by(submission: Submission) -> list[int]:
    """The published submissions that agree with it; empty when it is retracted itself. One query."""
    pairs = _published_pairs(submission.pk).values_list("first_id", "second_id")
    return [second if first == submission.pk else first for first, second in pairs]


def look_again() -> None:
    """Accounts grow old enough, are verified or banned: what they change, in both directions. Once a day."""
    _lower_unsupported()
    repeated = Submission.objects.rankable().filter(
        submitted_by__isnull=False, trust__in=_LEVELS, trials_count__gte=FEWEST_TRIALS
    )
    shared = repeated.order_by().values("workload").annotate(accounts=Count("submitted_by", distinct=True))
    for workload in shared.filter(accounts__gte=2).values_list("workload", flat=True):
        with transaction.atomic():
            look_for_reproductions(list(repeated.filter(workload=workload).order_by("-pk")[:MOST_CANDIDATES]))


def agreeing_accounts(submission: Submission) -> int:
    """How many accounts agree, its own among them; those of one organisation count once. Two queries."""
    accounts = Submission.objects.filter(pk__in=[submission.pk, *reproduced_by(submission)])
    found = organisations_of(pk for pk in accounts.values_list("submitted_by", flat=True) if pk is not None)
    return distinct(found.values())


def _lower_unsupported() -> None:
    """Give their own trust back to submissions whose accounts, or those of all that agree, count no more."""
    reproduced = Submission.objects.filter(trust=Trust.REPRODUCED, own_trust__isnull=False)
    rows = list(_valid_pairs().values_list("first", "second", "first__submitted_by", "second__submitted_by"))
    accounts = organisations_of(account for row in rows for account in row[2:] if account is not None)
    supported = {
        pk
        for first, second, one, other in rows
        if one in accounts and other in accounts and not accounts[one] & accounts[other]
        for pk in (first, second)
    }
    reproduced.exclude(pk__in=supported).update(trust=F("own_trust"), own_trust=None)


def _published_pairs(pk: int | OuterRef) -> QuerySet[Reproduction]:
    """The pairs of a submission both of which are published, and that no moderator took from the boards."""
    return _valid_pairs().filter(_is_one(pk))


def _valid_pairs() -> QuerySet[Reproduction]:
    return Reproduction.objects.filter(
        is_published("first__"), is_published("second__"), first__unranked_at=None, second__unranked_at=None
    )


def _pairs(pk: int | OuterRef) -> QuerySet[Reproduction]:
    return Reproduction.objects.filter(_is_one(pk))


def _is_one(pk: int | OuterRef) -> Q:
    return Q(first=pk) | Q(second=pk)


def _may_count(submission: Submission) -> bool:
    """What is known without its trials; `analysis.comparison.reproduction` has the rule."""
    return (
        submission.submitted_by_id is not None
        and submission.trust in _LEVELS
        and submission.trials_count >= FEWEST_TRIALS
        and not submission.is_excluded
    )


def _candidates(chosen: Sequence[Submission]) -> QuerySet[Submission]:
    alike = Q()
    for submission in chosen:
        alike |= Q(
            workload=submission.workload_id,
            provider=submission.provider,
            instance_type=submission.instance_type,
            node_count=submission.node_count,
        )
    rows = Submission.objects.rankable().filter(
        alike, submitted_by__isnull=False, trust__in=_LEVELS, trials_count__gte=FEWEST_TRIALS
    )
    accounts = {submission.submitted_by_id for submission in chosen}
    # its own ones reproduce nothing, and an account that measures every night would have all of the newest
    return rows if len(accounts) > 1 else rows.exclude(submitted_by__in=accounts)


def _with_parts(rows: QuerySet[Submission]) -> list[Submission]:
    return list(
        rows.defer("document", "notes").prefetch_related(
            Prefetch("trials", Trial.objects.repetitions().only("submission_id", "index", "throughput_ops_s")),
            Prefetch("node_groups", NodeGroup.objects.filter(role__in=Role.SYSTEM_UNDER_TEST)),
            Prefetch("artifacts", Artifact.objects.filter(kind__in=_RAW)),
        )
    )


def _account(submission: Submission) -> int:
    assert submission.submitted_by_id is not None  # noqa: S101 - nobody's submissions were left out before
    return submission.submitted_by_id


def _result(submission: Submission, accounts: Organisations, runs: ConfigurationRuns) -> Result:
    trials = list(submission.trials.all())
    return Result(
        account=submission.submitted_by_id,
        organisations=accounts.get(_account(submission), frozenset()),
        trust=Trust(submission.own_trust or submission.trust),
        is_excluded=submission.is_excluded,
        throughputs=tuple(trial.throughput_ops_s for trial in trials if trial.throughput_ops_s),
        cluster=_cluster(submission),
        raw_files=frozenset(artifact.sha256 for artifact in submission.artifacts.all()),
        configuration=submission.configuration,
        runs=runs.throughput,
    )


def _cluster(submission: Submission) -> Cluster | None:
    hardware = None
    if not billing_of(submission.provider).has_list_prices:
        # its instance types are names that each submitter gives
        if submission.cpu_model is None or submission.vcpus is None or submission.memory_gib is None:
            return None
        hardware = (submission.cpu_model, submission.vcpus, submission.memory_gib)
    groups = [(group.role, group.instance_type, group.count) for group in submission.node_groups.all()]
    return Cluster(
        provider=submission.provider,
        groups=tuple(sorted(groups)),
        disk_kind=submission.disk_kind,
        service_version=release_of(submission.service_version),
        jdk=(submission.jdk_vendor, jdk_release_of(submission.jdk_version)),
        network=(submission.network_kind, submission.network_encryption),
        hardware=hardware,
    )
