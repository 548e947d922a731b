"""iozone: its throughput test (-t) and its table of one file, each result a disk test."""

import re
from collections.abc import Iterable, Sequence

from submissions.choices import DiskPattern
from submissions.ingest.document.readings import DiskTestReading, Latency, LogReading
from submissions.ingest.parsers.errors import ParseError
from submissions.ingest.parsers.numbers import number, whole

_HEAD = "Iozone: Performance Test of File I/O"
_VERSION = re.compile(r"\s+Version \$Revision: (?P<version>[\d.]{1,20}) \$")
_FIELDS = {
    "command": re.compile(r"\s+Command line used: (.{1,2000})"),
    "record_kib": re.compile(r"\s+Record Size (\d{1,12}) k", re.IGNORECASE),
    "file_kib": re.compile(r"\s+File size set to (\d{1,15}) k", re.IGNORECASE),
    "jobs": re.compile(r"\s+Throughput test with (\d{1,7}) (?:process|thread)"),
}
_EACH = re.compile(
    r"\s+Each (?:process|thread) writes a (?P<file>\d{1,15}) k\w{1,6} file in (?P<record>\d{1,12}) k", re.I
)
_CHILDREN = re.compile(
    r"\s+Children see throughput for +(?P<jobs>\d{1,7}) (?P<what>[\w -]{1,40}?)\s+= +(?P<rate>[\d.]{1,30})"
    r" (?P<unit>\w{1,10})/sec"
)
_CHILDREN_DO = {
    "initial writers": DiskPattern.SEQUENTIAL_WRITE,
    "rewriters": DiskPattern.REWRITE,
    "readers": DiskPattern.SEQUENTIAL_READ,
    "re-readers": DiskPattern.REREAD,
    "reverse readers": DiskPattern.REVERSE_READ,
    "stride readers": DiskPattern.STRIDE_READ,
    "random readers": DiskPattern.RANDOM_READ,
    "random writers": DiskPattern.RANDOM_WRITE,
}
_COLUMNS = re.compile(r"\s+kB\s+reclen\s+write\s+rewrite\s+read\s+reread\s", re.IGNORECASE)
# Where the columns of the table end. A test that was not run leaves its column blank; those behind use C's stdio.
_ENDS = (
    (33, DiskPattern.SEQUENTIAL_WRITE),
    (42, DiskPattern.REWRITE),
    (51, DiskPattern.SEQUENTIAL_READ),
    (60, DiskPattern.REREAD),
    (69, DiskPattern.RANDOM_READ),
    (78, DiskPattern.RANDOM_WRITE),
    (87, DiskPattern.REVERSE_READ),
    (97, DiskPattern.RECORD_REWRITE),
    (107, DiskPattern.STRIDE_READ),
)
_CELL = re.compile(r"\d{1,15}")
_KIB = 1024
_MOST_TESTS = 300
_MAX_TESTS = 20_000
_US_PER_OP, _OPS, _KIB_S = "us/op", "ops", "kB"


class Iozone:
    name = "iozone"
    label = "iozone (as a disk test)"
    databases: tuple[str, ...] = ()

    def matches(self, head: Sequence[str]) -> bool:
        return any(line.strip() == _HEAD or _CHILDREN.match(line) for line in head)

    def parse(self, lines: Iterable[str]) -> LogReading:
        log = _Log()
        for line in lines:
            log.read(line.rstrip())
        return log.reading()


class _Log:
    """The file as far as it was read."""

    def __init__(self) -> None:
        self._version: str | None = None
        self._fields: dict[str, str] = {}
        self._unit = _KIB_S
        self._is_direct = self._is_table = False
        self._tests: list[DiskTestReading] = []
        self._skipped: set[str] = set()

    def read(self, line: str) -> None:
        if children := _CHILDREN.match(line):
            self._read_children(children)
        elif self._is_table and _CELL.search(line):
            self._read_row(line)
        elif _COLUMNS.match(line):
            self._is_table = True
        elif each := _EACH.match(line):
            self._fields |= {"file_kib": each["file"], "record_kib": each["record"]}
        else:
            self._read_head(line)

    def _read_head(self, line: str) -> None:
        self._is_table &= bool(line.strip())
        self._is_direct |= "O_DIRECT feature enabled" in line
        if line.strip().startswith("OPS Mode."):
            self._unit = _OPS
        elif line.strip().startswith("Microseconds/op Mode."):
            self._unit = _US_PER_OP
        elif version := _VERSION.match(line):
            self._version = version["version"]
        for name, pattern in _FIELDS.items():
            if match := pattern.match(line):
                self._fields[name] = match[1].strip()

    def _read_children(self, children: re.Match[str]) -> None:
        pattern = _CHILDREN_DO.get(children["what"].strip())
        rate = number(children["rate"])
        if pattern is None:
            self._skipped.add(children["what"].strip())
        elif rate:
            unit = _OPS if children["unit"].lower() == "ops" else _KIB_S
            kib = whole(self._fields.get("record_kib")), whole(self._fields.get("file_kib"))
            self._add(pattern, rate, unit, kib, jobs=int(children["jobs"]))

    def _read_row(self, line: str) -> None:
        cells = list(_CELL.finditer(line))
        if len(cells) < 3 or line.strip("0123456789 \t"):
            return
        file_kib, record_kib = int(cells[0][0]), int(cells[1][0])
        for cell in cells[2:]:
            pattern = next((pattern for end, pattern in _ENDS if abs(cell.end() - end) <= 2), None)
            if pattern and int(cell[0]):
                self._add(pattern, float(cell[0]), self._unit, (record_kib, file_kib), jobs=1)

    def _add(
        self, pattern: DiskPattern, rate: float, unit: str, kib: tuple[int | None, int | None], *, jobs: int
    ) -> None:
        if len(self._tests) >= _MAX_TESTS:
            raise ParseError(f"more than {_MAX_TESTS:,} results in the file")
        record, file = (size * _KIB if size else None for size in kib)
        ops = {_OPS: rate, _US_PER_OP: 1e6 / rate, _KIB_S: rate * _KIB / record if record else None}[unit]
        mb_s = rate * _KIB / 1e6 if unit == _KIB_S else (ops * record / 1e6 if ops and record else None)
        self._tests.append(
            DiskTestReading(
                pattern=pattern,
                mb_s=mb_s,
                iops=ops,
                latency_ms=Latency(mean=rate / 1000) if unit == _US_PER_OP else Latency(),
                tool_version=self._version,
                command=self._fields.get("command"),
                block_bytes=record,
                jobs=jobs,
                file_bytes=file,
                is_direct=self._is_direct,
            )
        )

    def reading(self) -> LogReading:
        if not self._tests:
            raise ParseError("no result in the output of iozone: the test did not finish")
        tests, warnings = self._tests, []
        if len(tests) > _MOST_TESTS:
            largest = max(test.file_bytes or 0 for test in tests)
            tests = [test for test in tests if test.file_bytes == largest][:_MOST_TESTS]
            warnings.append(
                f"only the {len(tests)} results of the largest file were read: those of small files fit in memory"
            )
        if self._skipped:
            warnings.append(f"not read: {', '.join(sorted(self._skipped))[:300]}")
        if not self._is_direct:
            warnings.append("iozone ran without -I (direct I/O): reads may be of the page cache, not of the disk")
        return LogReading(tool="iozone", disk_tests=tuple(tests), warnings=tuple(warnings))


PARSER = Iozone()
