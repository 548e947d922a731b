"""What fio prints without --output-format=json, 2.x and 3.x."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from submissions.ingest.document.readings import DiskTestReading, Latency, LogReading
from submissions.ingest.parsers.errors import ParseError
from submissions.ingest.parsers.fio import fio
from submissions.ingest.parsers.numbers import number, whole

_OPTIONS = re.compile(
    r"(?P<name>.{1,200}?): \(g=(?P<group>\d{1,6})\): rw=(?P<rw>[a-z]{1,20}), bs=(?P<bs>.{1,150}?), ioengine=\S{1,30},"
    r" iodepth=(?P<depth>\d{1,9})"
)
_VERSION = re.compile(r"fio-(?P<version>\d[\w.-]{0,40})$")
_JOB = re.compile(
    r"(?P<name>.{1,200}?): \(groupid=(?P<group>\d{1,6}), jobs=(?P<jobs>\d{1,9})\): err= {0,3}(?P<error>\d{1,6})"
)
_SIDE = re.compile(
    r" {1,6}(?P<direction>read|write) ?:"
    r" (?:IOPS=(?P<iops>[\d.]{1,20}[kMG]?), BW=(?P<bw>[\d.]{1,20})(?P<unit>[KMGT]?i?B)/s.{0,60}/(?P<ms>\d{1,15})msec\)"
    r"|io=.{1,20}, bw=(?P<old_bw>[\d.]{1,20})(?P<old_unit>[KMGT]?B)/s, iops= ?(?P<old_iops>[\d.]{1,20}[kMG]?) ?,"
    r" runt= {0,12}(?P<old_ms>\d{1,15})msec)"
)
_CLAT = re.compile(
    r" {2,8}clat \((?P<unit>[num]?sec)\): ?min= {0,9}[\d.]{1,20}[kMG]?, max= {0,9}(?P<max>[\d.]{1,20}[kMG]?),"
    r" avg= {0,9}(?P<mean>[\d.]{1,20}[kMG]?),"
)
_PERCENTILES = re.compile(r" {2,8}clat percentiles \((?P<unit>[num]?sec)\):")
_LEVEL = re.compile(r"(?P<level>\d{1,3}\.\d\d)th=\[ {0,12}(?P<value>\d{1,18})\]")
_BLOCK = re.compile(
    r"(?:\((?P<direction>[RWT])\) )?(?P<low>[\d.]{1,12}[KMGkmg]?i?B?)-(?P<high>[\d.]{1,12}[KMGkmg]?i?B?)"
)
_LEVELS = {50.0: "p50", 95.0: "p95", 99.0: "p99", 99.9: "p999"}
_PER_MS = {"nsec": 1e6, "usec": 1e3, "msec": 1.0, "sec": 1e-3}
_SCALES = {"": 1.0, "k": 1e3, "M": 1e6, "G": 1e9}
_MAX_JOBS = 200


class FioText:
    name = "fio-text"
    label = "fio text (as a disk test)"
    databases: tuple[str, ...] = ()

    def matches(self, head: Sequence[str]) -> bool:
        is_json = any('"fio version"' in line for line in head)
        return not is_json and any(_OPTIONS.match(line) or _JOB.match(line) or _VERSION.match(line) for line in head)

    def parse(self, lines: Iterable[str]) -> LogReading:
        log = _Log()
        for line in lines:
            log.read(line.rstrip())
        return log.reading()


@dataclass
class _Side:
    """One direction of one job."""

    job: re.Match[str]
    figures: re.Match[str]
    latency: dict[str, float] = field(default_factory=dict)


class _Log:
    """The file as far as it was read."""

    def __init__(self) -> None:
        self._version: str | None = None
        self._options: dict[tuple[str, str], re.Match[str]] = {}
        self._job: re.Match[str] | None = None
        self._sides: list[_Side] = []
        self._per_ms: float | None = None  # while in a list of percentiles
        self._failed = 0

    def read(self, line: str) -> None:
        if version := _VERSION.match(line):
            self._version = version["version"]
        elif options := _OPTIONS.match(line):
            if len(self._options) < _MAX_JOBS:
                self._options.setdefault((options["name"], options["group"]), options)
        elif job := _JOB.match(line):
            self._failed += job["error"] != "0"
            self._job = job if job["error"] == "0" else None
        elif self._job and (side := _SIDE.match(line)):
            if len(self._sides) >= _MAX_JOBS:
                raise ParseError(f"more than {_MAX_JOBS} results in the file")
            self._sides.append(_Side(self._job, side))
        elif self._job and self._sides:
            self._read_latency(line, self._sides[-1].latency)

    def _read_latency(self, line: str, latency: dict[str, float]) -> None:
        if clat := _CLAT.match(line):
            for name in ("mean", "max"):
                latency.setdefault(name, _scaled(clat[name]) / _PER_MS[clat["unit"]])
        elif title := _PERCENTILES.match(line):
            self._per_ms = _PER_MS[title["unit"]]
        elif self._per_ms and line.lstrip().startswith("|"):
            for each in _LEVEL.finditer(line):
                if name := _LEVELS.get(float(each["level"]), ""):
                    latency.setdefault(name, int(each["value"]) / self._per_ms)
        else:
            self._per_ms = None

    def reading(self) -> LogReading:
        tests = tuple(self._test(side) for side in self._sides)
        if not tests:
            raise ParseError(f"all {self._failed} jobs of fio ended with an error" if self._failed else fio.NOTHING)
        warnings = ["sizes of files and direct I/O are only in fio's JSON: prefer --output-format=json"]
        if self._failed:
            warnings.append(f"{self._failed} jobs of fio ended with an error and were left out")
        return LogReading(tool=fio.TOOL, disk_tests=tests, warnings=tuple(warnings))

    def _test(self, side: _Side) -> DiskTestReading:
        figures, job = side.figures, side.job
        options = self._options.get((job["name"], job["group"]))
        mode = options["rw"] if options else ""
        rate, unit = figures["bw"] or figures["old_bw"], figures["unit"] or figures["old_unit"]
        direction = figures["direction"]
        milliseconds = number(figures["ms"] or figures["old_ms"])
        return DiskTestReading(
            pattern=fio.PATTERNS[direction, mode.startswith("rand")],
            mb_s=round(_bytes(rate, unit, is_old=figures["bw"] is None) / 1e6, 4) or None,
            iops=_scaled(figures["iops"] or figures["old_iops"]) or None,
            latency_ms=fio.ordered(side.latency) if side.latency else Latency(),
            name=job["name"],
            tool_version=self._version,
            block_bytes=_block(options["bs"], direction) if options else None,
            jobs=whole(job["jobs"]) or None,
            queue_depth=(whole(options["depth"]) or None) if options else None,
            duration_s=milliseconds / 1000 if milliseconds else None,
        )


def _block(text: str, direction: str) -> int | None:
    """Of `(R) 4096B-4096B, (W) 4096B-4096B, ...` or `4K-4K/64K-64K/4K-4K`; None where it is a range."""
    blocks = list(_BLOCK.finditer(text))
    wanted = [block for block in blocks if block["direction"] == direction[0].upper()]
    block = next(iter(wanted), None) or (blocks[min(direction == "write", len(blocks) - 1)] if blocks else None)
    return fio.size_of(block["low"]) if block and block["low"] == block["high"] else None


def _bytes(rate: str, unit: str, *, is_old: bool) -> float:
    """2.x prints KB/s and means KiB/s."""
    base = 1024 if is_old or "i" in unit else 1000
    return (number(rate) or 0.0) * float(base ** max(0, "BKMGT".find(unit[0])))


def _scaled(text: str) -> float:
    unit = text[-1] if text[-1:] in _SCALES else ""
    return (number(text.removesuffix(unit)) or 0.0) * _SCALES[unit]


PARSER = FioText()
