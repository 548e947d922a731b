"""All runs of one log: which belong together, and what they state about the workload."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from submissions.choices import LatencyKind
from submissions.ingest.document.readings import Facts, LogReading, TrialReading
from submissions.ingest.parsers.cassandra_stress.reasons import Reasons
from submissions.ingest.parsers.cassandra_stress.settings import Settings
from submissions.ingest.parsers.cassandra_stress.trial import RunBlock
from submissions.ingest.parsers.errors import ParseError
from submissions.ingest.parsers.not_read import NotRead
from submissions.ingest.parsers.runs import RunReading, joined

TOOL = "cassandra-stress"
_CQL_STRESS = "cql-stress"
# Settings in which runs of the same workload may differ: the load, its length, and where results are written.
_NO_DIFFERENCE = ("Rate/", "Graph/", "Log/", "Reporting/", "Command/Count", "Command/Duration")
_COARSE_SECONDS = 50  # below, a second that was cut off is more than 2 %


@dataclass(slots=True)
class Run:
    """One start of the tool: settings, and a block for each thread count of `-rate auto`."""

    settings: Settings = field(default_factory=Settings)
    blocks: list[RunBlock] = field(default_factory=lambda: [RunBlock()])

    @property
    def is_empty(self) -> bool:
        return all(block.is_empty for block in self.blocks)


def reading(runs: Sequence[Run], reasons: Reasons, not_read: NotRead) -> LogReading:
    """Everything in the log; raises ParseError when it holds no result, with the tool's reason."""
    measured = [run for run in runs if not run.is_empty]
    if not measured:
        return _without_rows(runs[-1].settings, reasons.of_no_start)
    blocks = [(run.settings, block) for run in measured for block in run.blocks if not block.is_empty]
    warnings: list[str] = []
    readings: list[RunReading] = []
    refused: list[str] = []
    for number, (settings, block) in enumerate(blocks):
        if block.threads is None:
            block.threads = settings.threads
        try:
            trial = block.trial(settings)
        except ParseError as error:
            refused.append(str(error))
            continue
        facts = _facts(settings, block, trial)
        readings.append(RunReading(facts, trial, start=number, settings=_own_settings(settings)))
        warnings += _of_trial(block, trial, settings)
    if not readings:
        raise ParseError(_with_reason(refused[0], reasons.of_no_success))
    warnings += [f"A run of the log is excluded: {text}." for text in refused]
    warnings += [text for run in measured for text in _of_replication(run.settings)]
    is_cql_stress = any(block.summary.is_cql_stress for _, block in blocks)
    tool = _CQL_STRESS if is_cql_stress else TOOL
    return joined(tool, readings, warnings=warnings, not_read=not_read)


def _own_settings(settings: Settings) -> frozenset[tuple[str, str]] | None:
    """None where none were printed."""
    if not settings.values:
        return None
    return frozenset((key, value) for key, value in settings.values.items() if not key.startswith(_NO_DIFFERENCE))


def _without_rows(settings: Settings, reason: str | None) -> LogReading:
    file = settings.values.get("Log/File", "null")
    if reason is None and file != "null":
        return LogReading(
            tool=TOOL,
            facts=_facts(settings, RunBlock(threads=settings.threads), None),
            warnings=(f"The rows are in the file {file[:200]} (-log file=): upload it as well.",),
        )
    raise ParseError(_with_reason("the log contains no result and no interval row", reason))


def _with_reason(text: str, reason: str | None) -> str:
    return f'{text}; the tool says: "{reason}"' if reason else text


def _facts(settings: Settings, block: RunBlock, trial: TrialReading | None) -> Facts:
    is_response_time = trial is not None and trial.latency_kind == LatencyKind.RESPONSE_TIME
    requested = settings.requested_operations or block.requested_operations
    return Facts(
        operations=settings.ratios or _operations(block),
        consistency_level=settings.consistency_level,
        replication_factor=settings.replication_factor,
        threads=block.threads,
        fixed_rate_ops_s=(settings.rate_limit or None) if is_response_time else None,
        # or a fixed rate that was reached: the settings do not tell which
        throttle_ops_s=None if is_response_time else settings.rate_limit or None,
        columns=settings.columns,
        value_bytes=settings.value_bytes,
        key_count=settings.key_count,
        key_distribution=settings.key_distribution,
        requested_operations=requested,
        requested_duration_s=settings.requested_duration_s or block.requested_duration_s,
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
