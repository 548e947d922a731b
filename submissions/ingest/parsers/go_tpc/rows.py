"""The rows of go-tpc: `[Summary] NEW_ORDER - Takes(s): 59.4, Count: 359, ...`, in each of its output styles."""

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property

from submissions.ingest.document.readings import Latency
from submissions.ingest.parsers.numbers import number, whole

SUMMARY, SINCE_START = "Summary", ""
_PLAIN = re.compile(r"(?:\[(?P<kind>Summary|Current)\] )?(?P<name>[A-Z_]{1,40}) *- (?P<pairs>Takes\(s\): .{1,1000})")
_QUERY = re.compile(r"\[(?:Summary|Current)\] Q\d{1,2}(?: *- Count: |: [\d.]{1,12}s)")
_TABLE = re.compile(r"\|\s*(\[(?:Summary|Current)\])\s*\|\s*([A-Z_]{1,40})\s*\|.{1,1000}\|\s*$")
_JSON = re.compile(r'\[\{.{0,300}"Prefix": ?"\[')
_COLUMNS = (
    *("Takes(s)", "Count", "TPM", "Sum(ms)", "Avg(ms)", "50th(ms)"),
    *("90th(ms)", "95th(ms)", "99th(ms)", "99.9th(ms)", "Max(ms)"),
)
_PERCENTILES = {"p50": "50th(ms)", "p95": "95th(ms)", "p99": "99th(ms)", "p999": "99.9th(ms)", "max": "Max(ms)"}
_HIGHEST_MS = 16_000  # --max-measure-latency: what takes longer is recorded with this
_SAME_MEAN = 0.5


@dataclass(frozen=True)
class Row:
    kind: str
    name: str
    takes_s: float
    count: int
    tpm: float
    fields: Mapping[str, str]

    @cached_property
    def mean_ms(self) -> float | None:
        """Of the sum, which is exact: the printed mean is of a histogram with one significant figure."""
        total = number(self.fields.get("Sum(ms)"))
        return round(total / self.count, 6) if total is not None and self.count else None

    @property
    def has_buckets(self) -> bool:
        """Until 2020 percentiles are the ends of 27 buckets: 256, 512, 1000 ms."""
        return "Max(ms)" not in self.fields

    @property
    def contradicts_itself(self) -> bool:
        """Some releases print percentiles below a millisecond, whatever the mean is."""
        printed = number(self.fields.get("Avg(ms)"))
        # 1 ms is the least that is recorded
        return bool(printed is not None and self.mean_ms and self.mean_ms > 1 and printed < _SAME_MEAN * self.mean_ms)

    def latency(self) -> Latency:
        if self.contradicts_itself:
            return Latency(mean=self.mean_ms)
        values = {name: number(self.fields.get(column)) for name, column in _PERCENTILES.items()}
        return Latency(
            mean=self.mean_ms, **{name: value for name, value in values.items() if value and value < _HIGHEST_MS}
        )


def is_query(line: str) -> bool:
    """One of the analytic queries of TPC-H and CH-benCHmark."""
    return _QUERY.match(line) is not None


def rows(line: str) -> Iterator[Row]:
    if plain := _PLAIN.match(line):
        fields = dict(pair.split(": ", 1) for pair in plain["pairs"].split(", ") if ": " in pair)
        yield from _row(plain["kind"] or SINCE_START, plain["name"], fields)
    elif table := _TABLE.match(line):
        cells = [cell.strip() for cell in line.strip().strip("|").split("|")]
        yield from _row(table[1].strip("[]"), table[2], dict(zip(_COLUMNS, cells[2:], strict=False)))
    elif _JSON.match(line):
        for fields in _json_rows(line):
            kind = fields.get("Prefix", "").strip(" []")
            yield from _row(kind, fields.get("Operation", "").strip(), fields)


def _row(kind: str, name: str, fields: Mapping[str, str]) -> Iterator[Row]:
    takes_s, count, tpm = number(fields.get("Takes(s)")), whole(fields.get("Count")), number(fields.get("TPM"))
    if takes_s is not None and count is not None and tpm is not None:
        yield Row(kind, name, takes_s, count, tpm, {key: value.strip() for key, value in fields.items()})


def _json_rows(line: str) -> list[dict[str, str]]:
    try:
        found = json.loads(line)
    except (ValueError, RecursionError):
        return []  # cut short
    return [{str(key): str(value) for key, value in each.items()} for each in found if isinstance(each, dict)]
