"""The registry of log formats: which parser reads a file, and with how long lines."""

import hashlib
from collections.abc import Sequence
from functools import cache
from pathlib import Path

from submissions.ingest.document.readings import Parser
from submissions.ingest.parsers import (
    benchbase,
    cassandra_stress,
    db_bench,
    hdr_log,
    iozone,
    oltpbench_console,
    redis_benchmark,
    sparecores,
)
from submissions.ingest.parsers.cockroach import workload as cockroach_workload
from submissions.ingest.parsers.easy_stress import easy_stress
from submissions.ingest.parsers.errors import ParseError
from submissions.ingest.parsers.fio import fio, fio_text
from submissions.ingest.parsers.go_tpc import go_tpc
from submissions.ingest.parsers.hammerdb import hammerdb, hammerdb_report
from submissions.ingest.parsers.latte import latte
from submissions.ingest.parsers.line_prefix import Unwrapping, doubled, unwrappings
from submissions.ingest.parsers.memtier import memtier, memtier_json
from submissions.ingest.parsers.nosqlbench import nosqlbench, nosqlbench_hdr
from submissions.ingest.parsers.perfkit import perfkit
from submissions.ingest.parsers.pgbench import pgbench
from submissions.ingest.parsers.scylla_bench import scylla_bench
from submissions.ingest.parsers.sysbench import sysbench
from submissions.ingest.parsers.ycsb import go_ycsb, ycsb, ycsb_cpp, ycsb_hdr

HEAD_LINES = 400
_MANY = 0.5  # of the lines are a format's by themselves: nothing stands before them
_FEW = 0.2  # of the lines are a format's by themselves: others may be, without the text that all begin with
LINE_CHARACTERS = 20_000

# The first that matches reads the file: the formats that begin with an unmistakable line come
# before those that are known by one line among others.
PARSERS: tuple[Parser, ...] = (
    nosqlbench_hdr.PARSER,
    ycsb_hdr.PARSER,
    hdr_log.PARSER,
    latte.JSON_PARSER,
    *sparecores.PARSERS,
    memtier_json.PARSER,
    benchbase.PARSER,
    oltpbench_console.PARSER,
    db_bench.PARSER,
    perfkit.PARSER,
    hammerdb_report.PARSER,
    fio.JSON_PARSER,
    latte.LOG_PARSER,
    scylla_bench.PARSER,
    *easy_stress.PARSERS,
    cockroach_workload.PARSER,
    go_tpc.PARSER,
    go_ycsb.PARSER,
    ycsb_cpp.PARSER,
    ycsb.PARSER,
    *cassandra_stress.PARSERS,
    pgbench.PARSER,
    sysbench.PARSER,
    memtier.PARSER,
    redis_benchmark.PARSER,
    hammerdb.PARSER,
    nosqlbench.PARSER,
    fio_text.PARSER,
    fio.TERSE_PARSER,
    iozone.PARSER,
)

# Recognized only to say what to upload instead.
_REFUSED: tuple[Parser, ...] = (latte.LOG_PARSER, fio.TERSE_PARSER)
FORMAT_LABELS = tuple(sorted((each.label for each in PARSERS if each not in _REFUSED), key=str.casefold))

UNKNOWN_FORMAT = (
    "not a benchmark log that we can read. The supported formats are listed at /submissions/new/; results of another"
    " tool can be sent as numbers: JSON to POST /api/v1/submissions/"
)


def detect(head: Sequence[str]) -> Parser:
    """The parser of a file that begins with these lines (at most HEAD_LINES are looked at), as they are.

    Raises ParseError, which says what else can be done, when there is none.
    """
    head = _shortened(head)
    parser = _first_match(head)
    if parser is None:
        raise ParseError(UNKNOWN_FORMAT)
    return parser


def recognize(head: Sequence[str]) -> tuple[Parser, Unwrapping]:
    """The same, and how to read the lines: without what was put before them, where more of them match without it."""
    head = _shortened(head)
    best, parser = Unwrapping(), _first_match(head)
    most = -1 if parser is None else len(_matching(parser, head))
    first = None
    filled = [line for line in head if line.strip()]
    is_plain = most > _MANY * len(filled) and any(not line[0].isspace() for line in filled[1:])
    for unwrapping in () if is_plain else unwrappings(head, with_any_text=most < _FEW * len(head)):
        first = first or unwrapping
        lines = [unwrapping.line(line) for line in head]
        candidate = _first_match(lines)
        if candidate is None:
            continue
        count = len(_matching(candidate, lines))
        if count > most or (count == most and candidate is parser and unwrapping.is_sure):
            best, parser, most = unwrapping, candidate, count
    if parser is None:
        raise ParseError(_unknown_format(first))
    _refuse_several_sources(parser, best, head)
    lines = [best.line(line) for line in head]
    is_doubled = line_characters(parser) == LINE_CHARACTERS and doubled(lines)
    others = tuple(
        each.label for each in PARSERS if each is not parser and each not in _REFUSED and each.matches(lines)
    )
    return parser, Unwrapping(best.layers, is_doubled, others)


def _shortened(head: Sequence[str]) -> list[str]:
    lines = [line[:LINE_CHARACTERS] for line in head[:HEAD_LINES]]
    if not any(line.strip() for line in lines):
        raise ParseError("the file is empty")
    return lines


def _first_match(head: Sequence[str]) -> Parser | None:
    return next((parser for parser in PARSERS if parser.matches(head)), None)


def _matching(parser: Parser, lines: Sequence[str]) -> list[int]:
    """The lines that are this format's by themselves, whatever stands around them."""
    is_certain = getattr(parser, "is_certain", None) or (lambda line: parser.matches([line]))
    return [place for place, line in enumerate(lines) if is_certain(line)]


def _unknown_format(unwrapping: Unwrapping | None) -> str:
    if unwrapping is None:
        return UNKNOWN_FORMAT
    return (
        f"{UNKNOWN_FORMAT}. Without {unwrapping.words} of its lines it is not known either; if there is more before"
        " each line of the tool, take it off (with cut or sed)"
    )


def _refuse_several_sources(parser: Parser, unwrapping: Unwrapping, head: Sequence[str]) -> None:
    if not unwrapping.layers:
        return
    places = _matching(parser, [unwrapping.line(line) for line in head])
    sources = sorted({source for place in places if (source := unwrapping.source(head[place]))})
    if len(sources) > 1:
        raise ParseError(
            f"lines of several sources are mixed in the file ({', '.join(sources)[:200]}): send those of each as a file"
        )


def databases_of(tool: str) -> tuple[str, ...]:
    """Whose protocols a load tool speaks; empty: any, or a tool without a parser."""
    return next((parser.databases for parser in PARSERS if parser.name == tool), ())


def line_characters(parser: Parser) -> int:
    """How much of a line `parser` needs: its `line_characters`, where it has one.

    Only formats that put a whole document in a line have; for a log a short cut keeps a hostile
    line harmless.
    """
    return getattr(parser, "line_characters", LINE_CHARACTERS)


@cache
def version() -> str:
    """Changes with the code of the parsers: a reading made by another version is not used again."""
    folder = Path(__file__).parent
    sources = [*sorted(folder.rglob("*.py")), folder.parent / "document" / "readings.py"]
    return hashlib.sha256(b"".join(path.read_bytes() for path in sources)).hexdigest()[:16]
