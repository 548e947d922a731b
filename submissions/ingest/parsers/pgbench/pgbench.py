"""pgbench, 8.4 to 18: its summary, its scripts and its progress rows. It prints no percentile."""

import re
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime

from submissions.choices import LatencyKind
from submissions.ingest.document.readings import Facts, Latency, LogReading, OperationReading, TrialReading
from submissions.ingest.parsers.errors import ParseError
from submissions.ingest.parsers.numbers import number, whole
from submissions.ingest.parsers.pgbench.progress import Progress, is_progress

_VERSION = re.compile(r"pgbench \((?P<tool>[^\s,()]{1,40})(?:.{0,200}, server (?P<server>[^\s,()]{1,60}))?")
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
_ROWS_PER_SCALE = 100_000  # pgbench_accounts
_MAX_SCRIPTS = 1000
_SAME_RATE = 0.9  # opening connections once costs less than this of a run worth the name


class Pgbench:
    name = "pgbench"
    label = "pgbench"
    databases: tuple[str, ...] = ("postgresql",)

    def matches(self, head: Sequence[str]) -> bool:
        return any(
            line.startswith(("pgbench (", "pgbench: ", "transaction type: "))
            or is_progress(line)
            or _INITIALISED.match(line)
            for line in head
        )

    def parse(self, lines: Iterable[str]) -> LogReading:
        log = _Log()
        for line in lines:
            log.read(line)
        return log.reading()


class _Log:
    """The file as far as it was read."""

    def __init__(self) -> None:
        self._versions: re.Match[str] | None = None
        self._fields: dict[str, str] = {}
        self._scripts: list[tuple[str, dict[str, str]]] = []
        self._progress = Progress()
        self._was_initialised = False
        self._was_aborted = False

    def read(self, line: str) -> None:
        if self._progress.add(line):
            return
        self._was_aborted |= _ABORTED in line
        if self._versions is None and (versions := _VERSION.match(line)):
            self._versions = versions
        elif script := _SCRIPT.match(line):
            if len(self._scripts) >= _MAX_SCRIPTS:
                raise ParseError(f"more than {_MAX_SCRIPTS} scripts")
            self._scripts.append((script[1].strip(), {}))
        elif self._scripts and line.startswith(" - "):
            _read_fields(line, _SCRIPT_FIELDS, self._scripts[-1][1])
        elif not self._scripts:
            self._was_initialised |= _INITIALISED.match(line) is not None
            if line.startswith("transaction type: ") and "transaction type" in self._fields:
                raise ParseError("more than one run in the file: upload one file per run")
            _read_fields(line, _FIELDS, self._fields)

    def reading(self) -> LogReading:
        trial = self._trial() if "processed" in self._fields else self._truncated_trial()
        return LogReading(
            tool="pgbench",
            facts=self._facts(),
            trial_sets=((trial,),),
            warnings=tuple(self._warnings()),
        )

    def _trial(self) -> TrialReading:
        operations, errors = self._whole("processed") or 0, self._whole("failed")
        if not operations:
            if errors:
                raise ParseError(f"all {errors:,} transactions failed: there is no result to record")
            raise ParseError("no transaction was processed")
        tps = self._tps()
        if not tps:
            raise ParseError("no tps in the pgbench summary")
        return TrialReading(
            throughput_ops_s=tps,
            operations=operations,
            errors=errors,
            # What the summary calls duration is the requested one; tps is over the measured time.
            duration_s=round(operations / tps, 6),
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
        throughput, seconds = self._progress.throughput_ops_s(), self._progress.seconds()
        if throughput is None:
            if self._was_initialised:
                raise ParseError("the output of pgbench -i, which fills the tables: no run in it")
            raise ParseError("no pgbench summary and no progress row: the run did not finish")
        return TrialReading(
            throughput_ops_s=throughput,
            errors=self._progress.errors(),
            duration_s=seconds,
            latency_kind=self._latency_kind(),
            intervals=self._progress.intervals(),
            truncated=True,
        )

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
            # The header names the server only when it differs from pgbench.
            service_version=(versions["server"] or versions["tool"]) if versions else None,
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
        if self._was_aborted:
            yield "pgbench aborted the run: clients stopped at an error before its end"
        if skipped := self._whole("skipped"):
            yield f"{skipped:,} transactions were late and skipped: no latency counts them"
        if "mean with failures" in self._fields and self._whole("failed"):
            yield "the mean latency includes the failed transactions"


def _read_fields(line: str, patterns: dict[str, re.Pattern[str]], fields: dict[str, str]) -> None:
    for name, pattern in patterns.items():
        if name not in fields and (match := pattern.match(line)):
            fields[name] = match[1]


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
