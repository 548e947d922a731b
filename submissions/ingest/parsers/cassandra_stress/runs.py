"""All runs of one log: which belong together, and what they state about the workload."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from submissions.choices import LatencyKind
from submissions.ingest.document.readings import Facts, LogReading, TrialReading
from submissions.ingest.parsers.cassandra_stress.reasons import Reasons
from submissions.ingest.parsers.cassandra_stress.settings import Settings
from submissions.ingest.parsers.cassandra_stress.trial import RunBlock
from submissions.ingest.parsers.errors import ParseError

TOOL = "cassandra-stress"
_CQL_STRESS = "cql-stress"
# Settings in which repetitions may differ; each thread count is a trial set of its own.
_NO_DIFFERENCE = ("Rate/Thread Count", "Graph/", "Log/", "Reporting/")
_COARSE_SECONDS = 50  # below, a second that was cut off is more than 2 %


@dataclass(slots=True)
class Run:
    """One start of the tool: settings, and a block for each thread count of `-rate auto`."""

    settings: Settings = field(default_factory=Settings)
    blocks: list[RunBlock] = field(default_factory=lambda: [RunBlock()])

    @property
    def is_empty(self) -> bool:
        return all(block.is_empty for block in self.blocks)


def reading(runs: Sequence[Run], reasons: Reasons) -> LogReading:
    """Everything in the log; raises ParseError when it holds no result, with the tool's reason.

    Runs with the same settings in one file are repetitions: trials of one set. Another thread
    count makes another set.
    """
    measured = [run for run in runs if not run.is_empty]
    if not measured:
        return _without_rows(runs[-1].settings, reasons.of_no_start)
    _refuse_different_runs(measured)
    settings = measured[0].settings
    blocks = [(run.settings, block) for run in measured for block in run.blocks if not block.is_empty]
    warnings: list[str] = []
    sets: dict[int | None, list[TrialReading]] = {}
    refused: list[str] = []
    for own, block in blocks:
        if block.threads is None:
            block.threads = own.threads
        try:
            trial = block.trial(own)
        except ParseError as error:
            refused.append(str(error))
            continue
        sets.setdefault(block.threads, []).append(trial)
        warnings += _of_trial(block, trial, own)
    if not sets:
        raise ParseError(_with_reason(refused[0], reasons.of_no_success))
    warnings += [f"A run of the log is excluded: {text}." for text in refused]
    warnings += _of_replication(settings)
    trials = [trial for group in sets.values() for trial in group]
    is_cql_stress = any(block.summary.is_cql_stress for _, block in blocks)
    return LogReading(
        tool=_CQL_STRESS if is_cql_stress else TOOL,
        facts=_facts(settings, [block for _, block in blocks], trials),
        trial_sets=tuple(tuple(group) for group in sets.values()),
        warnings=tuple(dict.fromkeys(warnings)),
    )


def _without_rows(settings: Settings, reason: str | None) -> LogReading:
    file = settings.values.get("Log/File", "null")
    if reason is None and file != "null":
        return LogReading(
            tool=TOOL,
            facts=_facts(settings, [RunBlock(threads=settings.threads)], []),
            warnings=(f"The rows are in the file {file[:200]} (-log file=): upload it as well.",),
        )
    raise ParseError(_with_reason("the log contains no result and no interval row", reason))


def _with_reason(text: str, reason: str | None) -> str:
    return f'{text}; the tool says: "{reason}"' if reason else text


def _refuse_different_runs(runs: Sequence[Run]) -> None:
    first = runs[0].settings.values
    blocks = [block for run in runs for block in run.blocks if not block.is_empty]
    # the tool prints the types of one and the same mix in any order
    names = {"+".join(sorted(block.operation_names)) or "unnamed" for block in blocks}
    if len(names) > 1:
        shown = ", ".join(sorted(names))[:200]
        raise ParseError(f"the file contains runs of different operations ({shown}): upload a file for each")
    for run in runs[1:]:
        keys = first.keys() | run.settings.values.keys()
        differing = sorted(key for key in keys if first.get(key) != run.settings.values.get(key))
        for key in differing:
            if not key.startswith(_NO_DIFFERENCE):
                raise ParseError(f"the file contains runs with different settings ({key[:100]}): upload one file each")


def _facts(settings: Settings, blocks: Sequence[RunBlock], trials: Sequence[TrialReading]) -> Facts:
    counts = {block.threads for block in blocks}
    is_response_time = any(trial.latency_kind == LatencyKind.RESPONSE_TIME for trial in trials)
    requested = settings.requested_operations or blocks[0].requested_operations
    return Facts(
        operations=settings.ratios or _operations(blocks[0]),
        consistency_level=settings.consistency_level,
        replication_factor=settings.replication_factor,
        threads=counts.pop() if len(counts) == 1 else None,
        fixed_rate_ops_s=(settings.rate_limit or None) if is_response_time else None,
        # or a fixed rate that was reached: the settings do not tell which
        throttle_ops_s=None if is_response_time else settings.rate_limit or None,
        columns=settings.columns,
        value_bytes=settings.value_bytes,
        key_count=settings.key_count,
        key_distribution=settings.key_distribution,
        requested_operations=requested,
        requested_duration_s=settings.requested_duration_s or blocks[0].requested_duration_s,
        node_count=settings.node_count,
    )


def _operations(block: RunBlock) -> dict[str, float] | None:
    """Share of each type as it was measured, when no ratio is printed."""
    names = block.operation_names
    if len(names) < 2:
        return dict.fromkeys(names, 1.0) or None
    totals = {name: block.operations_of(name) for name in names}
    counted = {name: total for name, total in totals.items() if total is not None}
    whole = sum(counted.values())
    if whole <= 0 or len(counted) < len(totals):
        return None
    return {name: total / whole for name, total in counted.items()}


def _of_trial(block: RunBlock, trial: TrialReading, settings: Settings) -> list[str]:
    warnings = []
    if trial.truncated and not block.summary.is_result:
        warnings.append("The log stops before its results: the figures come from its interval rows.")
    if block.legacy and block.is_py_stress:
        warnings.append("py_stress prints no end mark: whether the run was complete is not known.")
    if block.legacy and trial.duration_s and trial.duration_s < _COARSE_SECONDS:
        high = 100 / trial.duration_s
        warnings.append(
            f"The tool cuts elapsed_time to whole seconds: the throughput may be up to {high:.0f} % too high."
        )
    if block.failed and block.summary.is_result:
        warnings.append("The tool printed results, but ended with FAILURE.")
    elif block.failed:
        warnings.append("The tool ended with FAILURE and without results: the figures come from its interval rows.")
    if block.series.dropped:
        warnings.append(f"The last {block.series.dropped:,} interval rows are not stored; all count in the totals.")
    if trial.latency_kind == LatencyKind.UNKNOWN:
        limit = settings.rate_limit
        warnings.append(
            f"The settings limit the rate to {limit:,.0f} op/s, but do not tell fixed= (response "
            "time) from throttle= (service time)."
            if limit
            else "Without the settings the log does not tell service time from response time."
        )
    return warnings


def _of_replication(settings: Settings) -> list[str]:
    if settings.is_default_replication and settings.replication_factor is None:
        return [
            "The settings show the tool's default replication factor 1, which an existing keyspace "
            "overrides: the replication factor is not known."
        ]
    return []
