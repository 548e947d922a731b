"""The histogram files of YCSB (`hdrhistogram.fileoutput=true`): one for each operation, in whole microseconds."""

import re
from collections.abc import Iterable, Sequence
from datetime import datetime

from submissions.analysis.curves.histograms import HistogramError, Merger
from submissions.choices import LatencyKind
from submissions.ingest.document.readings import Facts, Histogram, LogReading
from submissions.ingest.parsers.errors import ParseError
from submissions.ingest.parsers.hdr_log import LINE_CHARACTERS, interval_histogram, started_at
from submissions.ingest.parsers.ycsb.names import operation_of, strip_intended

_NS_PER_US = 1000
_NAME = re.compile(r"#\[Logging for: ([A-Za-z_-]{1,100})\]")


class YcsbHdr:
    name = "ycsb-hdr"
    label = "HdrHistogram log of YCSB (-p hdrhistogram.fileoutput=true)"
    databases: tuple[str, ...] = ()
    line_characters = LINE_CHARACTERS

    def matches(self, head: Sequence[str]) -> bool:
        return any(_NAME.match(line) for line in head)

    def parse(self, lines: Iterable[str]) -> LogReading:
        """Its histogram; none of what is no successful operation: failures, CLEANUP."""
        merger = Merger()
        measured_at: datetime | None = None
        name = broken = None
        for line in lines:
            if histogram := interval_histogram(line):
                if broken:  # the last row may be cut short, a row before it may not
                    raise ParseError(f"a row that cannot be decoded: {broken}")
                broken = _add(merger, histogram)
            elif match := _NAME.match(line):
                if name is not None:
                    raise ParseError("histograms of more than one operation: upload the .hdr files as YCSB wrote them")
                name = match[1]
            else:
                measured_at = measured_at or started_at(line)
        return LogReading(
            tool=self.name,
            facts=Facts(measured_at=measured_at),
            histograms=_histograms(name or "", merger),
            warnings=("the last row of the histogram log is cut short",) if broken else (),
        )


def _add(merger: Merger, histogram: str) -> HistogramError | None:
    try:
        merger.add(histogram)
    except HistogramError as error:
        return error
    return None


def _histograms(name: str, merger: Merger) -> tuple[Histogram, ...]:
    """READ has the latencies of `measurement.interval`, which the log says; Intended-READ is response time."""
    operation, is_intended = strip_intended(name)
    if operation_of(operation) != operation or not merger.count:
        return ()
    kind = LatencyKind.RESPONSE_TIME if is_intended else LatencyKind.UNKNOWN
    scaled = Merger()
    scaled.add_scaled(merger.encoded(), _NS_PER_US)
    return (Histogram(operation=operation.lower(), kind=kind, encoded=scaled.encoded()),)


PARSER = YcsbHdr()
