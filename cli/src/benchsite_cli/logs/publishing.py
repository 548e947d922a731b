"""Sending groups of files, and what became of each file."""

import re
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from benchsite_cli import errors
from benchsite_cli.errors import NO_SITE, Failure, Fault, Refused
from benchsite_cli.logs.grouping import Group
from benchsite_cli.logs.reading import Reading, send
from benchsite_cli.metadata.facts import Facts
from benchsite_cli.site import Json, Site

PUBLISHED, KNOWN, CHECKED, DUPLICATE = "published", "known", "checked", "duplicate"
REFUSED, ALREADY_PUBLISHED, NOT_SENT = "refused", "already_published", "not_sent"
DUPLICATE_STATUS = 409  # a log is part of another result, with other facts
GOOD = frozenset({PUBLISHED, KNOWN, CHECKED, DUPLICATE})
POLL_SECONDS = 2.0
_PAGE = re.compile(r"/submissions/(\d+)/")


@dataclass(frozen=True, slots=True)
class Row:
    """One file; `results` are those it is part of, and the same for all files of a group."""

    file: str
    outcome: str
    tool: str | None = None
    results: tuple[Json, ...] = ()
    reasons: tuple[str, ...] = ()
    own_ops_s: float | None = None
    own_p99_ms: float | None = None
    together_with: tuple[str, ...] = ()

    def as_json(self) -> Json:
        kept = ("id", "url", "throughput_ops_s", "latency_p99_ms", "ops_per_usd", "trials_count", "flags", "warnings")
        kept += ("workload", "unranked_until")
        return {
            "file": self.file,
            "outcome": self.outcome,
            "tool": self.tool,
            "throughput_ops_s": self.own_ops_s,
            "latency_p99_ms": self.own_p99_ms,
            "reasons": list(self.reasons),
            "together_with": list(self.together_with),
            "submissions": [{name: each[name] for name in kept if name in each} for each in self.results],
        }


@dataclass(slots=True)
class Outcome:
    rows: list[Row] = field(default_factory=list)
    ranks: Mapping[int, str] = field(default_factory=dict)  # by the number of the result
    next: Json = field(default_factory=dict)  # addresses

    def as_json(self) -> Json:
        files = [row.as_json() for row in self.rows]
        for each in (submission for file in files for submission in file["submissions"] if "id" in submission):
            each["rank"] = self.ranks.get(each["id"])
        return {"files": files, "next": self.next}

    @property
    def exit_code(self) -> int:
        outcomes = {row.outcome for row in self.rows}
        return NO_SITE if NOT_SENT in outcomes else errors.REFUSED if outcomes - GOOD else 0

    @property
    def results(self) -> list[Json]:
        """Each once, in the order of the files."""
        return list({each.get("id", id(each)): each for row in self.rows for each in row.results}.values())


def publish(
    site: Site,
    groups: Sequence[Group],
    facts: Facts,
    *,
    is_dry_run: bool,
    is_one_trial: bool,
    allows_duplicates: bool,
    advance: Callable[[], None],
) -> list[Row]:
    """Each group by itself: what one of them lacks stops no other, and what was published before a break is known."""
    rows: list[Row] = []
    broken = ""
    for group in groups:
        if broken:
            rows += [_row(reading, NOT_SENT, reasons=(broken,), group=group) for reading in group.readings]
            continue
        try:
            metadata = facts.document(group.tool)
            how = {"is_dry_run": is_dry_run, "is_one_trial": is_one_trial, "allows_duplicates": allows_duplicates}
            rows += _publish(site, group, metadata, **how)
        except (Failure, KeyboardInterrupt) as error:
            broken = str(error) or "interrupted"
            rows += [_row(reading, NOT_SENT, reasons=(broken,), group=group) for reading in group.readings]
        advance()
    return rows


def refused_rows(readings: Sequence[Reading]) -> list[Row]:
    return [_row(reading, REFUSED, reasons=tuple(map(str, reading.faults))) for reading in readings]


def _publish(site: Site, group: Group, metadata: Json, **how: bool) -> list[Row]:
    try:
        status, answer = send(site, group.files, metadata, **how)
        results = _when_read(site, answer["status_url"]) if status == 202 else answer["submissions"]
    except Refused as error:
        if error.exit_code == NO_SITE:
            raise
        return _refused(group, error.faults, ALREADY_PUBLISHED if error.status == DUPLICATE_STATUS else REFUSED)
    outcome = CHECKED if how["is_dry_run"] else KNOWN if status == 200 else PUBLISHED
    return [_row(reading, outcome, tuple(results), group=group) for reading in group.readings]


def _when_read(site: Site, status_url: str) -> list[Json]:
    """The results of what a worker reads. Raises Refused."""
    while True:
        status = site.get(status_url)
        if status["status"] == "failed":
            raise Refused(400, tuple(Fault(each["pointer"], each["detail"]) for each in status["errors"]))
        if status["status"] == "done":
            ids = [match[1] for url in status["submissions"] if (match := _PAGE.search(url))]
            return [site.get(f"submissions/{number}/") for number in ids]
        time.sleep(POLL_SECONDS)


def _refused(group: Group, faults: Sequence[Fault], outcome: str) -> list[Row]:
    """Each file with its own reasons; where it has none, with those of the group."""
    of_all = tuple(str(fault) for fault in faults)
    rows = []
    for index, reading in enumerate(group.readings):
        place = f"#/log/{index}"
        own = tuple(str(fault) for fault in faults if fault.pointer == place or fault.pointer.startswith(f"{place}/"))
        rows.append(_row(reading, outcome, reasons=own or of_all, group=group))
    return rows


def _row(
    reading: Reading,
    outcome: str,
    results: tuple[Json, ...] = (),
    *,
    reasons: tuple[str, ...] = (),
    group: Group | None = None,
) -> Row:
    own: dict[str, Any] = reading.results[0] if len(reading.results) == 1 else {}
    names = [file.name for file in group.files] if group else []
    return Row(
        file=reading.file.name,
        outcome=outcome,
        tool=reading.tool,
        results=results,
        reasons=reasons,
        own_ops_s=own.get("throughput_ops_s"),
        own_p99_ms=own.get("latency_p99_ms"),
        together_with=tuple(name for name in names if name != reading.file.name),
    )
