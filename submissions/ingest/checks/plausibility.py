"""What looks wrong in numbers that are valid: flags, shown beside the figures, never a correction."""

from collections import defaultdict
from collections.abc import Sequence
from itertools import pairwise

from submissions.choices import Flag, LatencyKind, LoadMode, is_same_rate
from submissions.ingest.document.load import limits_of, load_mode
from submissions.ingest.document.readings import OperationReading
from submissions.ingest.document.submission import SubmissionDocument, WorkloadDocument
from submissions.ingest.logs.trial_results import PERCENTILES, TrialResult
from submissions.metrics import has_many_errors

RATE_TOLERANCE = 0.05
LITTLES_FACTOR = 2.0
SHORT_SECONDS = 60.0
PRECISION = 0.001  # of a histogram's percentile beside one that the tool printed
DONE_SHARE = 0.95  # of what a client was requested to do; a tool may stop a little early


def flags_of(
    document: SubmissionDocument,
    trials: Sequence[TrialResult],
    repetitions: Sequence[TrialResult] | None = None,
    *,
    has_unknown_limit: bool = False,
    is_masked: bool = False,
) -> tuple[Flag, ...]:
    """The flags that hold for any trial, in the order of the list of flags.

    `repetitions` are the trials that the figures are made of, by default all: what is wrong beyond the peak of a load
    curve is no fault of its figures. Only whether the rate was held to a limit shows in all trials together.
    `has_unknown_limit`: the tool limited the rate, and nobody states to what. `is_masked`: a file or the document
    held secrets.
    """
    repetitions = trials if repetitions is None else repetitions
    limit = limits_of(document).ops_s
    is_limited = has_unknown_limit or limit is not None or any(trial.offered_ops_s for trial in repetitions)
    # threads that were held back do not describe the load
    closed_loop = load_mode(document) in (LoadMode.THREADS, LoadMode.CURVE) and not is_limited
    holds = {
        Flag.RATE_MISMATCH: any(rate_mismatch(trial) for trial in repetitions),
        Flag.LITTLES_LAW: closed_loop
        and any(
            breaks_littles_law(trial, document.workload.threads, document.workload.pipeline) for trial in repetitions
        ),
        Flag.ERRORS: any(trial.has_failures for trial in repetitions),
        Flag.NOT_FOUND: any(has_many_errors(trial.operations, trial.not_found) for trial in repetitions),
        Flag.PERCENTILE_ORDER: any(has_disorder(trial.by_operation) for trial in repetitions),
        Flag.SHORT: any(trial.duration_s is not None and trial.duration_s < SHORT_SECONDS for trial in repetitions),
        Flag.INCOMPLETE: any(is_incomplete(trial, document.workload) for trial in repetitions),
        Flag.MIXED_CPUS: has_mixed_cpus(document),
        Flag.TRUNCATED: any(trial.is_truncated for trial in repetitions),
        Flag.FAILED: any(trial.is_failed for trial in repetitions),
        Flag.NOT_MERGEABLE: any(not trial.is_mergeable for trial in repetitions),
        Flag.SECRETS_MASKED: is_masked,
        Flag.THROTTLED: (has_unknown_limit and limit is None) or is_throttled(trials, limit),
    }
    return tuple(flag for flag in Flag if holds.get(flag))


def is_throttled(trials: Sequence[TrialResult], limit: float | None) -> bool:
    """Whether the rate is within 5 % of what the load tool limited it to: the system could have done more.

    Of trials with limits of their own, where a single one below its limit shows the capacity.
    """
    rates = [trial.throughput_ops_s for trial in trials]
    limits = [trial.offered_ops_s or limit for trial in trials]
    if None in rates or None in limits:
        return False
    pairs = [(rate, own) for rate, own in zip(rates, limits, strict=True) if rate is not None and own is not None]
    if len(set(limits)) > 1:
        return all(is_same_rate(*pair) for pair in pairs)
    return is_same_rate(sum(rate for rate, _ in pairs) / len(pairs), pairs[0][1])


def rate_mismatch(trial: TrialResult) -> bool:
    """Whether the printed or stated rate is over 5 % from operations / time.

    A tool may count failed operations in the rate that it prints; a stated rate counts successful ones only.
    """
    stated = trial.printed_ops_s or trial.throughput_ops_s
    if not (stated and trial.operations and trial.duration_s):
        return False
    tried = trial.operations + (trial.errors or 0) if trial.printed_ops_s else trial.operations
    rates = (trial.operations / trial.duration_s, tried / trial.duration_s)
    return all(abs(stated - rate) > RATE_TOLERANCE * rate for rate in rates)


def breaks_littles_law(trial: TrialResult, threads: int | None, pipeline: int | None = None) -> bool:
    """Little's law for a closed loop: threads x pipeline = throughput x mean latency, within a factor of two.

    Only service time obeys it: response time also counts the wait before a thread was free.
    """
    per_client = trial.threads or threads
    mean_ms = trial.latency.mean
    if not (per_client and trial.client_count and mean_ms and trial.throughput_ops_s):
        return False
    if trial.latency_kind == LatencyKind.RESPONSE_TIME:
        return False
    in_flight = trial.throughput_ops_s * mean_ms / 1000
    ratio = per_client * (pipeline or 1) * trial.client_count / in_flight
    return not 1 / LITTLES_FACTOR <= ratio <= LITTLES_FACTOR


def is_incomplete(trial: TrialResult, workload: WorkloadDocument) -> bool:
    """Whether far fewer operations were tried than each client was requested to do, although the log is complete.

    A tool whose reporting dies early still prints results and exits 0. A run that lasted as long as it was
    requested to is complete, however many operations it was allowed.
    """
    requested, limit_s = workload.requested_operations, workload.requested_duration_s
    if not (requested and trial.operations) or trial.is_truncated or trial.is_failed or trial.ended_by_time:
        return False
    if limit_s and trial.duration_s and trial.duration_s >= DONE_SHARE * limit_s:
        return False
    tried = trial.operations + (trial.errors or 0)
    return tried < DONE_SHARE * requested * (trial.client_count or 1)


def has_disorder(operations: Sequence[OperationReading]) -> bool:
    """Whether a type's percentiles, as the tool printed them, fall from one to the next."""
    for operation in operations:
        known = [getattr(operation.latency, name) for name in (*PERCENTILES, "max")]
        values = [value for value in known if value is not None]
        if any(after < before * (1 - PRECISION) for before, after in pairwise(values)):
            return True
    return False


def has_mixed_cpus(document: SubmissionDocument) -> bool:
    """Whether nodes of one role and instance type have different CPU models."""
    models = defaultdict(set)
    for group in document.nodes:
        if group.cpu_model:
            models[group.role, group.instance_type].add(group.cpu_model.casefold())
    return any(len(known) > 1 for known in models.values())
