"""fio's JSON: each job that read or wrote is a disk test, one for each direction."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

from submissions.choices import DiskPattern
from submissions.ingest.document.readings import DiskTestReading, Latency, LogReading
from submissions.ingest.parsers.errors import ParseError
from submissions.ingest.parsers.json_document import MAX_CHARACTERS, at, read_object
from submissions.ingest.parsers.numbers import count, finite, whole

TOOL = "fio"
PATTERNS = {
    ("read", False): DiskPattern.SEQUENTIAL_READ,
    ("read", True): DiskPattern.RANDOM_READ,
    ("write", False): DiskPattern.SEQUENTIAL_WRITE,
    ("write", True): DiskPattern.RANDOM_WRITE,
}
MIXED = ("rw", "readwrite", "randrw")
NOTHING = "no job of fio read or wrote anything: there is no disk test"

_TERSE = re.compile(r"\d;fio-\d")
_SIZE = re.compile(r"(\d{1,15}(?:\.\d{1,6})?)\s?([kmgtp]?)(?:i?b)?", re.IGNORECASE)
_POWERS = {"": 0, "k": 1, "m": 2, "g": 3, "t": 4, "p": 5}
_PERCENTILES = {"p50": "50.000000", "p95": "95.000000", "p99": "99.000000", "p999": "99.900000"}
_DEFAULT_MIX = 50  # rwmixread
_MAX_JOBS = 200
_TOTAL = "All clients"  # of fio --client: what the others add up to


class FioJson:
    name = "fio"
    label = "fio (as a disk test)"
    databases: tuple[str, ...] = ()
    line_characters = MAX_CHARACTERS

    def matches(self, head: Sequence[str]) -> bool:
        return any('"fio version"' in line for line in head)

    def parse(self, lines: Iterable[str]) -> LogReading:
        document = read_object(lines, TOOL)
        version = str(document.get("fio version") or "").removeprefix("fio-")[:50] or None
        jobs = [job for key in ("jobs", "client_stats") for job in _list(document.get(key))][:_MAX_JOBS]
        names = Counter((str(at(job, "jobname")), str(at(job, "groupid"))) for job in jobs)
        tests: list[DiskTestReading] = []
        failed = 0
        for job in jobs:
            if at(job, "error"):
                failed += 1
            elif at(job, "jobname") != _TOTAL:
                is_group = names[str(at(job, "jobname")), str(at(job, "groupid"))] == 1
                tests += _tests(document, job, version, is_group=is_group)
        if not tests:
            raise ParseError(f"all {failed} jobs of fio ended with an error" if failed else NOTHING)
        warnings = (f"{failed} jobs of fio ended with an error and were left out",) if failed else ()
        return LogReading(tool=TOOL, disk_tests=tuple(tests), warnings=warnings)


class FioTerse:
    name = "fio-terse"
    label = "fio --minimal"
    databases: tuple[str, ...] = ()

    def matches(self, head: Sequence[str]) -> bool:
        return any(_TERSE.match(line) for line in head)

    def parse(self, lines: Iterable[str]) -> LogReading:
        """Always raises ParseError: the columns differ between versions."""
        raise ParseError("the terse output of fio: run it with --output-format=json and send that")


def _tests(
    document: Mapping[str, Any], job: Mapping[str, Any], version: str | None, *, is_group: bool
) -> Iterator[DiskTestReading]:
    options = {**_options(document.get("global options")), **_options(job.get("job options"))}
    mode = str(options.get("rw") or options.get("readwrite") or "read").split(":")[0]
    share = whole(str(options.get("rwmixread") or "")) if "rwmixread" in options else _DEFAULT_MIX
    for direction in ("read", "write"):
        side = job.get(direction)
        done, bytes_done = count(at(side, "total_ios")), count(at(side, "io_bytes"))
        if not done or not bytes_done:
            continue
        milliseconds = finite(at(side, "runtime"))
        yield DiskTestReading(
            pattern=PATTERNS[direction, mode.startswith("rand")],
            mb_s=_mb_s(side),
            iops=finite(at(side, "iops")),
            latency_ms=_latency(side),
            name=str(job.get("jobname") or "")[:300],
            tool_version=version,
            host=_text(job.get("hostname"), 100),
            target=_text(options.get("filename") or options.get("directory"), 300),
            read_share=share / 100 if mode in MIXED and share is not None and share <= 100 else None,
            block_bytes=bytes_done // done if bytes_done % done == 0 else None,
            jobs=(whole(str(options.get("numjobs") or 1)) if is_group else 1) or None,
            queue_depth=whole(str(options.get("iodepth") or 1)) or None,
            file_bytes=size_of(str(options.get("size") or "")),
            duration_s=milliseconds / 1000 if milliseconds else None,
            is_direct=str(options.get("direct") or "0") == "1",
            measured_at=_measured_at(document),
        )


def _mb_s(side: Any) -> float | None:
    """Until 2.x only `bw`, in KiB/s."""
    in_bytes, kib = finite(at(side, "bw_bytes")), finite(at(side, "bw"))
    if in_bytes:
        return in_bytes / 1e6
    return kib * 1024 / 1e6 if kib else None


def _latency(side: Any) -> Latency:
    """From submission to completion (`clat`): nanoseconds since 3.0, microseconds before."""
    for key, per_ms in (("clat_ns", 1e6), ("lat_ns", 1e6), ("clat", 1e3), ("lat", 1e3)):
        if (recorded := at(side, key)) and finite(at(recorded, "mean")):
            levels = {name: finite(at(recorded, "percentile", level)) for name, level in _PERCENTILES.items()}
            values = {"mean": finite(at(recorded, "mean")), "max": finite(at(recorded, "max")), **levels}
            return ordered({name: value / per_ms for name, value in values.items() if value is not None})
    return Latency()


def ordered(values: Mapping[str, float]) -> Latency:
    """A percentile of fio is the upper end of a bucket, which may be above the maximum."""
    highest = values.get("max")
    if highest is None:
        return Latency(**values)
    return Latency(**{name: min(value, highest) for name, value in values.items()})


def size_of(text: str) -> int | None:
    """Bytes of 4k, 64KiB, 1g: powers of 1,024, as fio counts; None for a percentage or a range."""
    size = _SIZE.fullmatch(text.strip())
    return (round(float(size[1]) * 1024 ** _POWERS[size[2].lower()]) or None) if size else None


def _measured_at(document: Mapping[str, Any]) -> datetime | None:
    seconds = finite(document.get("timestamp"))
    try:
        return datetime.fromtimestamp(seconds, UTC) if seconds and seconds > 0 else None
    except (ValueError, OverflowError, OSError):
        return None


def _options(value: object) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}


def _list(value: object) -> list[Mapping[str, Any]]:
    return [item for item in value if isinstance(item, Mapping)] if isinstance(value, list) else []


def _text(value: object, characters: int) -> str | None:
    return value.strip()[:characters] or None if isinstance(value, str) else None


JSON_PARSER = FioJson()
TERSE_PARSER = FioTerse()
