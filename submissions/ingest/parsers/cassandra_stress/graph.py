"""The HTML file of `-graph file=`: one line `stats = {...};` with an entry for each revision."""

import json
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import fields, replace
from typing import Any

from submissions.ingest.document.readings import Facts, LogReading, TrialReading
from submissions.ingest.parsers.cassandra_stress import command, table
from submissions.ingest.parsers.cassandra_stress.runs import TOOL
from submissions.ingest.parsers.cassandra_stress.settings import Settings
from submissions.ingest.parsers.cassandra_stress.trial import RunBlock
from submissions.ingest.parsers.errors import ParseError

_START = re.compile(r"\s*stats = (?=\{)")
_REVISION_THREADS = re.compile(r"(.*) - (\d{1,9}) threads")  # of `-rate auto`


class StressGraph:
    """Reads the data that the page draws; see Parser."""

    name = "cassandra-stress-graph"
    label = "cassandra-stress graph (HTML of -graph file=)"
    databases: tuple[str, ...] = ("cassandra", "scylladb")
    # All rows of all revisions stand in one line, of some 90 characters a row.
    line_characters = 4_000_000

    def matches(self, head: Sequence[str]) -> bool:
        """Whether the line with the page's data is in the head."""
        return any(_START.match(line) and '"stats"' in line for line in head)

    def parse(self, lines: Iterable[str]) -> LogReading:
        """A trial set for each revision; see Parser."""
        stats = next((line for line in lines if _START.match(line)), None)
        if stats is None:
            raise ParseError("the page contains no line stats = {...};")
        content = _content(stats)
        entries = [entry for entry in content.get("stats") or [] if _is_result(entry)]
        if not entries:
            raise ParseError("the graph contains no finished run")
        trials, facts, warnings = [], [], []
        for entry in entries:
            try:
                trial, own_facts = _trial(entry)
            except ParseError as error:
                warnings.append(f"{_text(entry, 'revision')[:200]} is excluded: {error}.")
                continue
            trials.append((trial,))
            facts.append(own_facts)
        if not trials:
            raise ParseError(warnings[0].rstrip("."))
        title = content.get("title")
        common = replace(_common(facts), title=title if isinstance(title, str) else None)
        return LogReading(
            tool=TOOL,
            facts=common,
            trial_sets=tuple(trials),
            set_facts=tuple(replace(each, title=common.title) for each in facts),
            warnings=tuple(warnings),
        )


def _content(line: str) -> dict[str, Any]:
    text = _START.sub("", line.strip(), count=1).removesuffix(";")
    try:
        content = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise ParseError(
            f"the page's stats cannot be read after {len(text):,} characters: the line is cut or damaged"
        ) from error
    if not isinstance(content, dict) or not isinstance(content.get("stats"), list):
        raise ParseError("the page's stats hold no list of runs")
    return content


def _is_result(entry: object) -> bool:
    # The tool appends an entry without results after the last run of `-rate auto`.
    return isinstance(entry, dict) and isinstance(entry.get("op rate"), str)


def _trial(entry: dict[str, Any]) -> tuple[TrialReading, Facts]:
    requested = command.parse(_text(entry, "command"))
    revision = _text(entry, "revision")
    by_threads = _REVISION_THREADS.fullmatch(revision)
    facts = requested.facts if requested.text else Facts()
    block = RunBlock(threads=int(by_threads[2]) if by_threads else facts.threads, ended=True)
    for label, text in entry.items():
        if isinstance(text, str):
            block.summary.read(label, text)
    for row in _rows(entry, mixed=len(block.summary.names) > 1):
        block.series.add(row)
    trial = block.trial(Settings())
    kind = requested.latency_kind if requested.text else trial.latency_kind
    return replace(trial, label=revision[:200] or None, latency_kind=kind), facts


def _rows(entry: dict[str, Any], *, mixed: bool) -> Iterator[table.Row]:
    """The rows of all operations. The page drops the types' names: a total follows its types."""
    titles, intervals = entry.get("metrics"), entry.get("intervals")
    if not isinstance(titles, list) or not isinstance(intervals, list):
        return
    columns = table.header(",".join(str(title) for title in titles))
    if columns is None or columns.is_closing:
        return
    waiting: table.Row | None = None
    for cells in intervals:
        row = columns.row(_line(cells)) if isinstance(cells, list) else None
        if row is None:
            continue
        if waiting is not None and not (mixed and waiting.time == row.time):
            yield waiting
        waiting = row
    if waiting is not None:
        yield waiting


def _line(cells: list[Any]) -> str:
    first = table.TOTAL if cells and cells[0] is None else cells[0] if cells else ""
    return ",".join(str(first if i == 0 else cell) for i, cell in enumerate(cells)).replace("None", "NaN")


def _text(entry: dict[str, Any], key: str) -> str:
    value = entry.get(key)
    return value if isinstance(value, str) else ""


def _common(facts: Sequence[Facts]) -> Facts:
    first = facts[0]
    differing = {
        field.name: None
        for field in fields(Facts)
        if any(getattr(each, field.name) != getattr(first, field.name) for each in facts)
    }
    return replace(first, **differing)
