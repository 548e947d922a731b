"""How a load was held: by its threads, by a limit on their rate, or by a schedule of its own."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from submissions.choices import LoadMode
from submissions.ingest.document.submission import SubmissionDocument, WorkloadDocument

_NUMBER = r"[=\s]+(?P<n>\d{1,12}(?:\.\d{1,6})?)(?:/s)?(?!\S)"
_START = r"(?<!\S)"
# Options of which each client has its own, and which are facts of a trial, not of a workload
_LONG = re.compile(
    rf"{_START}--(?:threads?|clients?|connections|concurrency|jobs|rate|rate-limiting|target)(?:[=\s]+\S+)"
)
_COUNTS: Mapping[str, re.Pattern[str]] = {
    "cassandra-stress": re.compile(
        rf"{_START}(?:threads(?:>=|<=|=)\S+|throttle=\S+|fixed=\S+|limit=\S+|auto(?!\S))|{_START}-t\s+\d+(?!\S)"
    ),
    "cockroach-workload": re.compile(rf"{_START}--max-rate[=\s]+\S+"),
    "ycsb": re.compile(rf"{_START}(?:-threads|-target)\s+\S+|(?:{_START}-p\s+)?{_START}(?:threadcount|target)=\S+"),
    "pgbench": re.compile(rf"{_START}-[cjR]\s*\d\S*"),
    "latte": re.compile(rf"{_START}-[rtp]\s*\d\S*"),
    "scylla-bench": re.compile(rf"{_START}--?(?:concurrency|connection-count|max-rate)[=\s]+\S+"),
}
_FAMILIES = {"go-ycsb": "ycsb", "ycsb-cpp": "ycsb", "cql-stress": "cassandra-stress"}
_IS_SCHEDULE = re.compile(r"measurement\.interval=(?:intended|both)(?!\S)")


@dataclass(frozen=True, slots=True)
class RateLimits:
    """Operations a second of all clients together: at most one of the two."""

    throttle_ops_s: float | None = None  # of a closed loop
    fixed_rate_ops_s: float | None = None  # of a schedule

    @property
    def ops_s(self) -> float | None:
        return self.fixed_rate_ops_s or self.throttle_ops_s

    def times(self, clients: int) -> "RateLimits":
        """Of so many clients with these limits each."""
        return RateLimits(
            self.throttle_ops_s and self.throttle_ops_s * clients,
            self.fixed_rate_ops_s and self.fixed_rate_ops_s * clients,
        )


def limits_of(document: SubmissionDocument) -> RateLimits:
    """As stated, else as the command line of each client says."""
    workload = document.workload
    if workload.throttle_ops_s is not None or workload.fixed_rate_ops_s is not None:
        return RateLimits(workload.throttle_ops_s, workload.fixed_rate_ops_s)
    offered = {trial.offered_ops_s for trial in document.trials}
    if offered != {None}:
        return RateLimits(None, offered.pop() if len(offered) == 1 else None)
    return limits_in(workload.tool, workload.command or "").times(document.trials[0].client_count or 1)


def load_mode(document: SubmissionDocument) -> LoadMode | None:
    """None where neither threads nor a rate are stated."""
    if len({trial.offered_ops_s for trial in document.trials}) > 1 or _has_several_thread_counts(document):
        return LoadMode.CURVE
    limits = limits_of(document)
    if limits.fixed_rate_ops_s is not None:
        return LoadMode.FIXED_RATE
    is_closed = limits.throttle_ops_s is not None or threads_of(document) is not None
    return LoadMode.THREADS if is_closed else None


def threads_of(document: SubmissionDocument) -> int | None:
    """Threads per client; None where they are unknown, or differ between the trials."""
    stated = {trial.threads or document.workload.threads for trial in document.trials}
    return stated.pop() if len(stated) == 1 else None


def _has_several_thread_counts(document: SubmissionDocument) -> bool:
    known = {trial.threads or document.workload.threads for trial in document.trials}
    return len(known - {None}) > 1


def limits_in(tool: str, command: str) -> RateLimits:
    """Of one client, as its command line says."""
    read = _READERS.get(tool)
    return read(command) if read and command else RateLimits()


def without_load(workload: WorkloadDocument) -> str | None:
    """The command line without threads and rates: what is left is the workload."""
    if workload.command is None:
        return None
    family = _FAMILIES.get(workload.tool, workload.tool)
    text = _LONG.sub(" ", workload.command)
    if family in _COUNTS:
        text = _COUNTS[family].sub(" ", text)
    return " ".join(text.split())


def _rate(pattern: str, command: str) -> float | None:
    match = re.search(_START + pattern + _NUMBER, command)
    return (float(match["n"]) or None) if match else None


def _of_ycsb(command: str) -> RateLimits:
    rate = _rate("(?:-target|target)", command)
    return RateLimits(None, rate) if _IS_SCHEDULE.search(command) else RateLimits(rate)


def _of_go_ycsb(command: str) -> RateLimits:
    return RateLimits(_rate("(?:-target|target)", command))


def _of_cassandra_stress(command: str) -> RateLimits:
    return RateLimits(_rate("(?:throttle|limit)", command), _rate("fixed", command))


def _of_pgbench(command: str) -> RateLimits:
    return RateLimits(None, _rate("(?:-R|--rate)", command))


def _of_latte(command: str) -> RateLimits:
    """Its latencies are service times: the rate only holds its threads back."""
    return RateLimits(_rate("(?:-r|--rate)", command))


def _of_sysbench(command: str) -> RateLimits:
    """Its latencies count the wait in the queue."""
    return RateLimits(None, _rate("--(?:tx-)?rate", command))


def _of_nosqlbench(command: str) -> RateLimits:
    return RateLimits(_rate("cyclerate", command))


def _of_scylla_bench(command: str) -> RateLimits:
    return RateLimits(None, _rate("--?max-rate", command))


def _of_ycsb_cpp(command: str) -> RateLimits:
    """With a file of rates `limit.ops` is only the first of them."""
    return RateLimits() if "limit.file=" in command else RateLimits(_rate("limit.ops", command))


def _of_cockroach(command: str) -> RateLimits:
    return RateLimits(_rate("--max-rate", command))


_READERS: Mapping[str, Callable[[str], RateLimits]] = {
    "ycsb": _of_ycsb,
    "go-ycsb": _of_go_ycsb,
    "cassandra-stress": _of_cassandra_stress,
    "cql-stress": _of_cassandra_stress,
    "pgbench": _of_pgbench,
    "latte": _of_latte,
    "sysbench": _of_sysbench,
    "nosqlbench": _of_nosqlbench,
    "scylla-bench": _of_scylla_bench,
    "cockroach-workload": _of_cockroach,
    "ycsb-cpp": _of_ycsb_cpp,
}
