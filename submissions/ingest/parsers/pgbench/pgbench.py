"""pgbench, 8.4 to 18: its summary, its scripts and its progress rows. It prints no percentile."""

import re
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime

from submissions.choices import LatencyKind
from submissions.ingest.document.readings import Facts, Latency, LogReading, OperationReading, TrialReading
from submissions.ingest.parsers.errors import ParseError
from submissions.ingest.parsers.numbers import number, whole
from submissions.ingest.parsers.pgbench.progress import Progress, is_progress
from submissions.ingest.parsers.runs import Run, RunReading, is_length_of, read_runs, reading_of

_VERSION = re.compile(r"pgbench \((?P<tool>[^\s,()]{1,40})(?:.{0,200}, server (?P<server>[^\s,()]{1,60}))?")
_IS_POSTGRESQL = re.compile(r"\d{1,3}(?:\.\d{1,4}){0,3}(?:devel|(?:alpha|beta|rc)\d{1,3})?")
_PRODUCTS = {"-YB-": "yugabytedb"}  # that print a version of their own, which is not PostgreSQL's
_FIELDS = {
    "transaction type": re.compile(r"transaction type: (.{1,500})"),
    "scale": re.compile(r"scaling factor: (\d{1,12})"),
    "clients": re.compile(r"number of clients: (\d{1,9})"),
    "duration": re.compile(r"duration: (\d{1,9}) s"),
    "processed": re.compile(r"number of transactions actually processed: (\d{1,18})"),
    "requested": re.compile(r"number of transactions actually processed: \d{1,18}/(\d{1,18})"),
    "failed": re.compile(r"number of failed transactions: (\d{1,18})"),
    "skipped": re.compile(r"number of transactions skipped: (\d{1,18})"),
    "mean": re.compile(r"latency average(?: =|:) ([\d.]{1,30}) ms"),
    "mean with failures": re.compile(r"latency average = .{1,30} (\(including failures\))"),
    "lag": re.compile(r"rate limit schedule lag: avg ([\d.]{1,30})"),
    "tps": re.compile(r"tps = ([\d.]{1,30}) \((?:without|including reconn|excluding)"),
    "tps with connections": re.compile(r"tps = ([\d.]{1,30}) \(including connections"),
}
_SCRIPT = re.compile(r"SQL script \d{1,6}: (.{1,500})")
_SCRIPT_FIELDS = {
    "weight": re.compile(r" - weight: (\d{1,9})"),
    "transactions": re.compile(r" - (\d{1,18}) transactions \("),
    "processed": re.compile(r" - number of transactions actually processed: (\d{1,18})"),
    "failed": re.compile(r" - number of failed transactions: (\d{1,18})"),
    "tps": re.compile(r" - .{1,200}tps = ([\d.]{1,30})\)"),
    "mean": re.compile(r" - latency average = ([\d.]{1,30}) ms"),
}
_ABORTED = "Run was aborted; the above results are incomplete"
_INITIALISED = re.compile(r"done in [\d.]{1,20} s \(|\d+ of \d+ tuples \(\d+%\)")
# The names that `-b` takes; until 9.6 the summary had them without <builtin: >.
_BUILTINS = {
    "TPC-B (sort of)": "tpcb-like",
    "simple update": "simple-update",
    "Update only pgbench_accounts": "simple-update",
    "select only": "select-only",
    "SELECT only": "select-only",
}
# By itself each shows the format, in a log without its head
_SUMMARY = (
    "number of transactions actually processed: ",
    "number of transactions per client: ",
    "query mode: ",
)
_BEGUN = "starting vacuum"
_TPS = re.compile(r"tps = [\d.]{1,30} \(")
_ERROR = re.compile(r"pgbench: (?:fatal|error): (.{1,300})|(?:pgbench: )?([Cc]lient \d{1,9} .{0,80}aborted.{0,200})")
_LOOKS_LIKE_RESULT = ("tps = ", "latency average", "number of transactions actually", "progress: ")
_FIRST_OF_RUN = frozenset({"transaction type", "processed", "tps", "tps with connections", "clients"})
_ROWS_PER_SCALE = 100_000  # pgbench_accounts
_MAX_SCRIPTS = 1000
_SAME_RATE = 0.9  # opening connections once costs less than this of a run worth the name


class Pgbench:
    name = "pgbench"
    label = "pgbench"
    databases: tuple[str, ...] = ("postgresql",)

    def matches(self, head: Sequence[str]) -> bool:
        return any(
            line.startswith(("pgbench (", "pgbench: ", "transaction type: ", *_SUMMARY))
            or is_progress(line)
            or _TPS.match(line)
            or _INITIALISED.match(line)
            for line in head
        )

    def parse(self, lines: Iterable[str]) -> LogReading:
        return reading_of(self.name, read_runs(lines, _Run))


class _Run(Run):
    """One run, as far as it was read."""

    def __init__(self) -> None:
        super().__init__()
        self._versions: re.Match[str] | None = None
        self._fields: dict[str, str] = {}
        self._scripts: list[tuple[str, dict[str, str]]] = []
        self._progress = Progress()
        self._was_initialised = self._was_begun = False
        self._was_aborted = False
        self._error: str | None = None

    def read(self, line: str) -> bool:
        if self._begins_another(line):
            return False
        if self._progress.add(line):
            return True
        self._was_aborted |= _ABORTED in line
        if self._error is None and _ABORTED not in line and (error := _ERROR.match(line)):
            self._error = (error[1] or error[2]).strip()
        if self._versions is None and (versions := _VERSION.match(line)):
            self._versions = versions
        elif script := _SCRIPT.match(line):
            if len(self._scripts) >= _MAX_SCRIPTS:
                raise ParseError(f"more than {_MAX_SCRIPTS} scripts")
            self._scripts.append((script[1].strip(), {}))
        elif self._scripts and line.startswith(" - "):
            _read_fields(line, _SCRIPT_FIELDS, self._scripts[-1][1])
        elif not _read_fields(line, _FIELDS, self._fields):
            self._was_initialised |= _INITIALISED.match(line) is not None
            self._was_begun |= line.startswith(_BEGUN)
            if line.startswith(_LOOKS_LIKE_RESULT):
                self.not_read.add(line)
        return True

    def _begins_another(self, line: str) -> bool:
        """A head, a row or a summary after this run's own; its head may be printed after its rows."""
        if line.startswith("pgbench ("):
            return bool(self._fields or self._versions)
        if not self._fields and not self._progress:
            return False
        if line.startswith(_BEGUN):
            return True
        if line.startswith("progress: "):
            return bool(self._fields) or self._progress.falls_at(line)
        return any(name in self._fields and _FIELDS[name].match(line) for name in _FIRST_OF_RUN)

    def takes(self, following: "_Run") -> bool:
        if self._progress or following._fields or following._versions or not (self._fields and following._progress):
            return False
        seconds, tps = following._progress.seconds(is_from_start=False), self._tps()
        operations = self._whole("processed")
        if not seconds or not tps or not operations or not is_length_of(seconds, operations / tps):
            return False
        self._progress = following._progress
        return True

    def readings(self) -> Sequence[RunReading]:
        if not self._fields and not self._progress and self._was_initialised and self._versions is None:
            raise ParseError("the output of pgbench -i, which fills the tables: no run in it")
        trial = self._trial() if "processed" in self._fields or self._tps() else self._truncated_trial()
        return [RunReading(self._facts(), trial, tuple(self._warnings()))]

    def _trial(self) -> TrialReading:
        operations, errors = self._whole("processed"), self._whole("failed")
        if operations == 0:
            if errors:
                raise ParseError(f"all {errors:,} transactions failed: there is no result to record")
            raise ParseError(f"no transaction was processed{self._quoted_error()}")
        tps = self._tps()
        if not tps:
            raise ParseError(f"no tps in the pgbench summary{self._quoted_error()}")
        return TrialReading(
            throughput_ops_s=tps,
            operations=operations,
            errors=errors,
            # What the summary calls duration is the requested one; tps is over the measured time.
            duration_s=round(operations / tps, 6) if operations else None,
            printed_ops_s=tps,
            threads=self._whole("clients"),
            latency_kind=self._latency_kind(),
            latency=Latency(mean=number(self._fields.get("mean"))),
            by_operation=self._by_operation(tps),
            intervals=self._progress.intervals(),
            truncated=self._was_aborted,
        )

    def _truncated_trial(self) -> TrialReading:
        """Of a killed run: what its progress rows say."""
        throughput = self._progress.throughput_ops_s()
        if throughput is None:
            if self._was_initialised:
                raise ParseError("the output of pgbench -i, which fills the tables: no run in it")
            raise ParseError(f"no pgbench summary and no progress row: the run did not finish{self._quoted_error()}")
        return TrialReading(
            throughput_ops_s=throughput,
            errors=self._progress.errors(),
            duration_s=self._progress.seconds(is_from_start=self._versions is not None or self._was_begun),
            latency_kind=self._latency_kind(),
            intervals=self._progress.intervals(),
            truncated=True,
        )

    def _quoted_error(self) -> str:
        return f'; pgbench says: "{self._error}"' if self._error else ""

    def _tps(self) -> float | None:
        """The rate without the time to connect, as every version since 14 prints it.

        Older ones print two rates and do not say whether each transaction had a connection of its
        own (-C): then, and only then, they are far apart and connecting is a part of the work.
        """
        without = number(self._fields.get("tps"))
        including = number(self._fields.get("tps with connections"))
        if without and including and including < without * _SAME_RATE:
            return including
        return without or including

    def _latency_kind(self) -> LatencyKind:
        """With --rate the clock starts when a transaction was due, else when it begins.

        With --latency-limit the ones that are late at their start are skipped and not measured,
        which is neither.
        """
        if self._whole("skipped") or self._progress.skipped():
            return LatencyKind.UNKNOWN
        return LatencyKind.RESPONSE_TIME if self._has_schedule() else LatencyKind.SERVICE_TIME

    def _has_schedule(self) -> bool:
        """Of --rate, which the output does not state."""
        return "lag" in self._fields or self._progress.has_lag()

    def _by_operation(self, tps: float) -> tuple[OperationReading, ...]:
        if not self._scripts:
            name = self._single_script()
            if name is None:
                return ()
            reading = OperationReading(
                name=name,
                operations=self._whole("processed"),
                errors=self._whole("failed"),
                throughput_ops_s=tps,
                latency=Latency(mean=number(self._fields.get("mean"))),
            )
            return (reading,)
        return tuple(_script_reading(name, fields) for name, fields in self._scripts)

    def _facts(self) -> Facts:
        versions = self._versions
        is_builtin = self._is_builtin()
        scale = self._whole("scale")
        duration = self._whole("duration")
        return Facts(
            service=next((name for mark, name in _PRODUCTS.items() if mark in self._server()), None),
            service_version=self._server() if _IS_POSTGRESQL.fullmatch(self._server()) else None,
            tool_version=versions["tool"] if versions else None,
            operations=self._shares(),
            threads=self._whole("clients"),
            key_count=scale * _ROWS_PER_SCALE if scale and is_builtin else None,
            key_distribution="uniform" if is_builtin else None,
            has_unknown_limit=self._has_schedule() or None,
            requested_operations=self._whole("requested"),
            requested_duration_s=float(duration) if duration else None,
            measured_at=self._measured_at(),
        )

    def _server(self) -> str:
        """Its version: the header names it only when it differs from pgbench's."""
        versions = self._versions
        return (versions["server"] or versions["tool"]) if versions else ""

    def _shares(self) -> dict[str, float] | None:
        if not self._scripts:
            name = self._single_script()
            return {name: 1.0} if name else None
        weights: dict[str, int] = {}
        for name, fields in self._scripts:
            weight = whole(fields.get("weight")) or 0
            weights[_slug(name)] = weights.get(_slug(name), 0) + weight
        total = sum(weights.values())
        return {name: weight / total for name, weight in weights.items()} if total else None

    def _single_script(self) -> str | None:
        kind = self._fields.get("transaction type", "").strip()
        # Before 9.6 a script of one's own had no name in the summary.
        return _slug(kind) if kind and kind not in ("multiple scripts", "Custom query") else None

    def _is_builtin(self) -> bool:
        names = [name for name, _ in self._scripts] or [self._fields.get("transaction type", "")]
        return all(_slug(name.strip()) in _BUILTINS.values() for name in names)

    def _measured_at(self) -> datetime | None:
        epoch_s = self._progress.started_at_s()
        return None if epoch_s is None else datetime.fromtimestamp(epoch_s, UTC)

    def _whole(self, name: str) -> int | None:
        return whole(self._fields.get(name))

    def _warnings(self) -> Iterable[str]:
        if self._server() and not _IS_POSTGRESQL.fullmatch(self._server()):
            yield f'the server calls itself "{self._server()}", which is no version of PostgreSQL'
        if self._was_aborted:
            yield f"pgbench aborted the run: clients stopped at an error before its end{self._quoted_error()}"
        if skipped := self._whole("skipped"):
            yield f"{skipped:,} transactions were late and skipped: no latency counts them"
        if "mean with failures" in self._fields and self._whole("failed"):
            yield "the mean latency includes the failed transactions"


def _read_fields(line: str, patterns: dict[str, re.Pattern[str]], fields: dict[str, str]) -> bool:
    """Whether the line is a field; the first of a name counts."""
    is_field = False
    for name, pattern in patterns.items():
        if match := pattern.match(line):
            fields.setdefault(name, match[1])
            is_field = True
    return is_field


def _script_reading(name: str, fields: dict[str, str]) -> OperationReading:
    return OperationReading(
        name=_slug(name),
        # Until 16 "transactions" are the processed ones; since then they include the failed.
        operations=whole(fields.get("processed") or fields.get("transactions")),
        errors=whole(fields.get("failed")),
        throughput_ops_s=number(fields.get("tps")),
        latency=Latency(mean=number(fields.get("mean"))),
    )


def _slug(kind: str) -> str:
    """tpcb-like of <builtin: TPC-B (sort of)>, read.sql of /home/me/read.sql."""
    inner = kind.removeprefix("<builtin: ").removesuffix(">")
    return _BUILTINS.get(inner) or inner.rpartition("/")[2].lower()


PARSER = Pgbench()
