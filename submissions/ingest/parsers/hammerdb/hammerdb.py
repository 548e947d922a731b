"""HammerDB TPROC-C: what hammerdbcli prints, one trial for each timed run."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace

from submissions.choices import LatencyKind
from submissions.ingest.document.readings import Facts, Latency, LogReading, OperationReading, TrialReading
from submissions.ingest.parsers.errors import ParseError
from submissions.ingest.parsers.not_read import NotRead
from submissions.ingest.parsers.numbers import number, whole
from submissions.ingest.parsers.runs import RunReading, joined

TOOL = "hammerdb"
NEW_ORDER = "neword"

_VERSION = re.compile(r"HammerDB (?:CLI )?v(?P<version>\d[\w.]{0,20})")
# Until 3.2 TPM was printed first.
_RESULTS = (
    re.compile(
        r"(?:Vuser 1:)?TEST RESULT : System achieved (?P<nopm>\d{1,15}) (?:.{1,30} )?NOPM"
        r" from (?P<tpm>\d{1,15}) (?P<db>.{1,30}) TPM"
    ),
    re.compile(
        r"(?:Vuser 1:)?TEST RESULT : System achieved (?P<tpm>\d{1,15}) (?P<db>.{1,30}) TPM at (?P<nopm>\d{1,15}) NOPM"
    ),
)
_USERS = re.compile(r"(?:Vuser 1:)?(?P<users>\d{1,7}) Active Virtual Users configured")
_MINUTES = re.compile(r"(?:Vuser 1:)?Timing test period of (?P<minutes>\d{1,6}) in minutes")
# `jobs <id> result` and `jobs <id> timing` print JSON: a list of lines, and an object for each procedure
_QUOTED = re.compile(r'\s{0,20}"(?P<text>.{1,400})",?\s{0,5}$')
_JOB_PROCEDURE = re.compile(r'\s{0,20}"(?P<name>[A-Z]{1,30})": \{')
_JOB_MEASURE = re.compile(r'\s{0,20}"(?P<name>calls|avg_ms|max_ms|p99_ms|p95_ms|p50_ms)": "?(?P<value>[\d.]{1,30})"?')
_LOAD_LINE = '"Vuser 1:4 Active Virtual Users configured"'
_LOOKS_LIKE_RESULT = re.compile(r".{0,200}TEST RESULT|.{0,200}\d NOPM")
_FAILED = re.compile(r"Vuser \d{1,7}:FINISHED FAILED")
_QUERIES = re.compile(r"(?:Vuser \d{1,7}:)?(?:Completed \d{1,4} query set|query \d{1,3} completed in)")
_SUMMARY = re.compile(r">>>>> (?:SUMMARY OF \d{1,7} ACTIVE VIRTUAL USERS|COMBINED METRICS ACROSS ALL USERS)")
_USER_PROFILE = re.compile(r">>>>> VIRTUAL USER ")
_PROCEDURE = re.compile(r">>>>> PROC: (?P<name>[A-Z]{1,30})")
_MEASURES = re.compile(r"(?P<name>CALLS|AVG|MAX|P99|P95|P50): ?(?P<value>[\d.]{1,30})")
# Drivers of one product. Those of PostgreSQL and MySQL are only the protocol: Aurora or TiDB is tested with them too.
_SERVICES = {"mariadb": "mariadb", "oracle": "oracle", "sql server": "sql-server", "db2": "db2"}
_PROTOCOLS = {"postgresql": ("postgresql",), "mysql": ("mysql",)}
_MAX_RUNS = 100


class HammerDb:
    """The rate is NOPM, new orders a minute: TPM counts what each database calls a transaction.

    Latency, where the time profile is in the log, is that of the new order: the stored procedure from its call to its
    answer, which is service time.
    """

    name = TOOL
    label = "HammerDB TPROC-C"
    databases: tuple[str, ...] = ("oracle", "sql-server", "db2", "mysql", "mariadb", "postgresql")

    def matches(self, head: Sequence[str]) -> bool:
        return any(
            _VERSION.match(line)
            or line.startswith(("Hammerdb Log @ ", "Vuser 1:", "Vuser 1 created"))
            or _result(_unquoted(line))
            or _JOB_PROCEDURE.fullmatch(line.rstrip())
            for line in head
        )

    def parse(self, lines: Iterable[str]) -> LogReading:
        log = _Log()
        for line in lines:
            log.read(line)
        return log.reading()


@dataclass
class Run:
    """One timed run."""

    nopm: int
    tpm: int
    database: str
    users: int | None = None
    minutes: float | None = None
    profile: dict[str, dict[str, float]] = field(default_factory=dict)  # of each procedure


class _Log:
    """The file as far as it was read."""

    def __init__(self) -> None:
        self.not_read = NotRead()
        self._job_profile: dict[str, dict[str, float]] = {}  # of the run whose lines are before or behind it
        self._version: str | None = None
        self._runs: list[Run] = []
        self._users: int | None = None
        self._minutes: float | None = None
        self._failed = 0
        self._has_queries = self._is_summary = False
        self._procedure: str | None = None

    def read(self, line: str) -> None:
        if job := _JOB_PROCEDURE.match(line):
            self._procedure, self._is_summary = job["name"].lower(), False
            self._job_profile[self._procedure] = {}
            return
        if self._procedure in self._job_profile and (measure := _JOB_MEASURE.match(line)):
            if (value := number(measure["value"])) is not None:
                self._job_profile[self._procedure or ""][measure["name"].removesuffix("_ms").upper()] = value
            return
        line = _unquoted(line)
        if version := _VERSION.search(line[:200]):
            self._version = self._version or version["version"]
        elif users := _USERS.match(line):
            self._users = whole(users["users"])
        elif minutes := _MINUTES.match(line):
            self._minutes = number(minutes["minutes"])
        elif result := _result(line):
            self._add(result)
        elif line.startswith(">>>>>"):
            self._read_profile_head(line)
        elif self._is_summary and self._procedure and self._runs:
            measures = {
                each["name"]: float(each["value"]) for each in _MEASURES.finditer(line[:500]) if number(each["value"])
            }
            self._runs[-1].profile.setdefault(self._procedure, {}).update(measures)
        else:
            if _LOOKS_LIKE_RESULT.match(line):
                self.not_read.add(line)
            self._failed += _FAILED.match(line) is not None
            self._has_queries |= _QUERIES.match(line) is not None

    def _add(self, result: re.Match[str]) -> None:
        if len(self._runs) >= _MAX_RUNS:
            raise ParseError(f"more than {_MAX_RUNS} runs in the file")
        self._runs.append(
            Run(int(result["nopm"]), int(result["tpm"]), result["db"].strip(), self._users, self._minutes)
        )
        self._users = self._procedure = None
        self._is_summary = False

    def _read_profile_head(self, line: str) -> None:
        if _SUMMARY.match(line):
            self._is_summary = True
        elif _USER_PROFILE.match(line):
            self._is_summary = False
        procedure = _PROCEDURE.match(line)
        self._procedure = procedure["name"].lower() if procedure else None

    def reading(self) -> LogReading:
        if not self._runs and self._job_profile:
            raise ParseError(
                "response times of a job of HammerDB (jobs <id> timing) without its result: put the lines of"
                " jobs <id> result into the same file"
            )
        if len(self._runs) == 1 and self._job_profile:
            self._runs[0].profile = self._job_profile
        if not self._runs:
            if self._has_queries:
                raise ParseError(
                    "a log of TPROC-H: its result is a time for 22 queries, not a rate; only TPROC-C is read"
                )
            raise ParseError("no TEST RESULT with NOPM in the log of HammerDB: the timed run did not finish")
        warnings = [warning_about_rate(self._runs)]
        if self._failed:
            warnings.append(f"virtual users that failed: {self._failed}; the rate is that of the others")
        return reading(self._runs, version=self._version, warnings=warnings, not_read=self.not_read)


def reading(
    runs: Sequence[Run], *, version: str | None, warnings: Sequence[str], not_read: NotRead | None = None
) -> LogReading:
    """Runs with the same number of virtual users are trials of one submission."""
    readings = [RunReading(_facts(run, version), _trial(run), start=start) for start, run in enumerate(runs)]
    return joined(TOOL, readings, warnings=warnings, not_read=not_read, load_line=_LOAD_LINE)


def _facts(run: Run, version: str | None) -> Facts:
    return Facts(
        service=_SERVICES.get(run.database.lower()),
        databases=_PROTOCOLS.get(run.database.lower()),
        tool_version=version,
        operations={NEW_ORDER: 1.0},
        requested_duration_s=run.minutes * 60 if run.minutes else None,
    )


def warning_about_rate(runs: Sequence[Run]) -> str:
    nopm = ", ".join(f"{run.nopm:,}" for run in runs[:10])
    tpm = ", ".join(f"{run.tpm:,}" for run in runs[:10])
    return (
        f"the rate is HammerDB's NOPM ({nopm} new orders a minute) as new orders a second; TPM ({tpm}) is what"
        f" {runs[0].database} itself counts as transactions, and not comparable"
    )


def _trial(run: Run) -> TrialReading:
    if not run.nopm:
        raise ParseError("0 NOPM: no new order was completed, there is no result to record")
    return TrialReading(
        throughput_ops_s=run.nopm / 60,
        operations=round(run.nopm * run.minutes) if run.minutes else None,
        duration_s=run.minutes * 60 if run.minutes else None,
        threads=run.users,
        latency_kind=LatencyKind.SERVICE_TIME if NEW_ORDER in run.profile else LatencyKind.UNKNOWN,
        # without a mean: new orders are less than half of what the users do, so Little's law does not hold for them
        latency=replace(_latency(run.profile.get(NEW_ORDER, {})), mean=None),
        by_operation=tuple(
            OperationReading(name=name, operations=round(measures.get("CALLS", 0)) or None, latency=_latency(measures))
            for name, measures in run.profile.items()
        ),
    )


def _latency(measures: dict[str, float]) -> Latency:
    return Latency(
        mean=measures.get("AVG"),
        p50=measures.get("P50"),
        p95=measures.get("P95"),
        p99=measures.get("P99"),
        max=measures.get("MAX"),
    )


def _unquoted(line: str) -> str:
    match = _QUOTED.match(line)
    return match["text"] if match else line


def _result(line: str) -> re.Match[str] | None:
    if "TEST RESULT" not in line[:40]:
        return None
    return next((match for pattern in _RESULTS if (match := pattern.match(line))), None)


PARSER = HammerDb()
