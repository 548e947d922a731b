"""NoSQLBench's HdrHistogram log (`--log-histograms`): it belongs to the log or summary uploaded with it."""

import re
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime

from submissions.analysis.curves.histograms import HistogramError, Merger
from submissions.choices import LatencyKind
from submissions.ingest.document.readings import Facts, Histogram, LogReading
from submissions.ingest.parsers.errors import ParseError

HEADS = ("#logging histograms for session", "#logging stats for session")

_ROW = re.compile(
    r"Tag=(?P<activity>[^\s,]{1,200}?)[._](?P<metric>result[-_]success|result|cycles[._](?:servicetime|responsetime)),"
    r"[\d.]+,[\d.]+,[\d.]+,(?P<histogram>HIST\S+)"
)
_START = re.compile(r"#\[StartTime: (\d{1,10}(?:\.\d{1,9})?) ")
# Of the timers of service time the first that was logged is read: they measure the same cycles.
_SERVICE = ("result-success", "result", "cycles-servicetime")
_RESPONSE = "cycles-responsetime"
_MAX_SUMS = 100


class NoSqlBenchHdr:
    name = "nosqlbench-hdr"
    label = "NoSQLBench --log-histograms"
    databases: tuple[str, ...] = ()

    def matches(self, head: Sequence[str]) -> bool:
        return any(line.startswith(HEADS) or _ROW.match(line) for line in head)

    def parse(self, lines: Iterable[str]) -> LogReading:
        sums: dict[tuple[str, str], Merger] = {}
        measured_at = None
        for line in lines:
            if row := _ROW.match(line):
                _add(sums, row)
            elif line.startswith(HEADS[1]):
                raise ParseError(
                    "the file of --log-histostats has percentiles of intervals, which cannot be joined: send the log"
                    " or the summary of NoSQLBench, and the file of --log-histograms"
                )
            elif measured_at is None and (start := _START.match(line)):
                measured_at = datetime.fromtimestamp(float(start[1]), UTC)
        histograms, warnings = _histograms({key: merger for key, merger in sums.items() if merger.count})
        return LogReading(
            tool="nosqlbench", facts=Facts(measured_at=measured_at), histograms=histograms, warnings=warnings
        )


def _add(sums: dict[tuple[str, str], Merger], row: re.Match[str]) -> None:
    key = (row["activity"], re.sub("[._]", "-", row["metric"]))
    if key not in sums and len(sums) >= _MAX_SUMS:
        raise ParseError(f"histograms of more than {_MAX_SUMS} metrics")
    try:
        sums.setdefault(key, Merger()).add(row["histogram"])
    except HistogramError as error:
        raise ParseError(f"a row that cannot be decoded: {error}") from error


def _histograms(sums: dict[tuple[str, str], Merger]) -> tuple[tuple[Histogram, ...], tuple[str, ...]]:
    activities = {activity for activity, _ in sums}
    main = [activity for activity in activities if re.search(r"(?:^|[._-])main(?:$|[._-])", activity)] or [*activities]
    if not activities:
        raise ParseError("no recorded latency of a cycle or of its result in the histogram log")
    if len(main) != 1:
        raise ParseError(f"histograms of several activities ({', '.join(sorted(activities))[:300]}): log one of them")
    service = next((sums[main[0], metric] for metric in _SERVICE if (main[0], metric) in sums), None)
    kinds = ((LatencyKind.SERVICE_TIME, service), (LatencyKind.RESPONSE_TIME, sums.get((main[0], _RESPONSE))))
    others = sorted(activities - {main[0]})
    return (
        tuple(Histogram("total", kind, merger.encoded()) for kind, merger in kinds if merger),
        (f"read is the activity {main[0]}; not {', '.join(others)[:300]}",) if others else (),
    )


PARSER = NoSqlBenchHdr()
