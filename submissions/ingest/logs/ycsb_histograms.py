"""The .hdr files of YCSB beside its logs: a file for each operation of each client."""

from collections.abc import Iterable, Sequence
from itertools import zip_longest

from submissions.analysis.curves import histograms
from submissions.choices import LatencyKind
from submissions.ingest.document.readings import Histogram, TrialReading
from submissions.ingest.logs.trial_results import TrialResult
from submissions.ingest.parsers.ycsb.properties import READ_MODIFY_WRITE

TOOL = "ycsb-hdr"
SAME_COUNT = 0.01
NO_COMMON_PERCENTILES = (
    "YCSB prints percentiles for each operation type, none for all of them: "
    "its .hdr files (-p hdrhistogram.fileoutput=true), uploaded with the log, add them"
)


def client_sets(
    readings: Sequence[TrialReading], files: Sequence[Histogram]
) -> tuple[list[list[Histogram]], str | None]:
    """A set for each client, with the total of its operations; none, and the reason, where files are missing.

    Which file is of which client does not matter: their sets are added up.
    """
    by_operation = _by_operation(readings, files)
    for (operation, _), encoded in by_operation.items():
        if fault := _fault(operation, encoded, readings):
            return [], f"The .hdr files were not used: {fault}"
    for operation in _operations(readings):
        if files and not any(operation == name for name, _ in by_operation):
            return [], f"The .hdr files were not used: there is none of {operation.upper()}"
    columns = [[Histogram(*key, each) for each in encoded] for key, encoded in by_operation.items()]
    sets = [[each for each in client if each] for client in zip_longest(*columns)]
    return [[*client, *_totals(client)] for client in sets], None


def lacks_percentiles(trial: TrialResult) -> bool:
    return trial.latency.p99 is None and sum(bool(operation.operations) for operation in trial.by_operation) > 1


def _by_operation(
    readings: Sequence[TrialReading], files: Sequence[Histogram]
) -> dict[tuple[str, LatencyKind], list[str]]:
    kinds = {reading.latency_kind for reading in readings}
    logged = kinds.pop() if len(kinds) == 1 else LatencyKind.UNKNOWN
    has_intended = any(file.kind == LatencyKind.RESPONSE_TIME for file in files)
    found: dict[tuple[str, LatencyKind], list[str]] = {}
    for file in files:
        kind = _kind(file, logged, has_intended=has_intended)
        if kind is not None:
            found.setdefault((file.operation, kind), []).append(file.encoded)
    return found


def _kind(file: Histogram, logged: LatencyKind, *, has_intended: bool) -> LatencyKind | None:
    """None: without a schedule the intended start of a request is its start, and the file the same as the other."""
    if file.kind == LatencyKind.RESPONSE_TIME:
        return file.kind if logged == LatencyKind.RESPONSE_TIME else None
    return LatencyKind.SERVICE_TIME if has_intended else logged


def _operations(readings: Sequence[TrialReading]) -> Iterable[str]:
    return dict.fromkeys(each.name for reading in readings for each in reading.by_operation if each.operations)


def _fault(operation: str, encoded: Sequence[str], readings: Sequence[TrialReading]) -> str | None:
    """Why these files are not those of the logs; a log without its summary says nothing of an operation."""
    done = [each for reading in readings for each in reading.by_operation if each.name == operation and each.operations]
    if not all(reading.by_operation for reading in readings):
        return None if len(encoded) == len(readings) else _count(operation, len(encoded), len(readings))
    if len(encoded) != len(done):
        return _count(operation, len(encoded), len(done))
    recorded = sum(histograms.count(each) for each in encoded)
    succeeded = sum(each.operations or 0 for each in done)
    tried = succeeded + sum(each.errors or 0 for each in done)
    if (1 - SAME_COUNT) * succeeded <= recorded <= (1 + SAME_COUNT) * tried:
        return None
    return f"{operation.upper()} has {recorded:,} recorded latencies, the log {succeeded:,} operations"


def _count(operation: str, files: int, clients: int) -> str:
    return f"of {operation.upper()} there are {files}, for {clients} logs with such operations"


def _totals(client: Sequence[Histogram]) -> Iterable[Histogram]:
    """Over all operations; a read-modify-write is recorded as the read and the update in it, too."""
    parts = [each for each in client if each.operation != READ_MODIFY_WRITE]
    for kind in sorted({each.kind for each in parts}):
        yield Histogram("total", kind, histograms.merge(each.encoded for each in parts if each.kind == kind))
