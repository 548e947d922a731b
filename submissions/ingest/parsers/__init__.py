"""The registry of log formats: which parser reads a file, and with how long lines."""

import hashlib
from collections.abc import Sequence
from functools import cache
from pathlib import Path

from submissions.ingest.document.readings import Parser
from submissions.ingest.parsers import cassandra_stress, go_ycsb, hdr_log, latte, pgbench, ycsb
from submissions.ingest.parsers.errors import ParseError

HEAD_LINES = 400
LINE_CHARACTERS = 20_000

# The first that matches reads the file: the formats that begin with an unmistakable line come
# before those that are known by one line among others.
PARSERS: tuple[Parser, ...] = (
    hdr_log.PARSER,
    latte.JSON_PARSER,
    latte.LOG_PARSER,
    go_ycsb.PARSER,
    ycsb.PARSER,
    *cassandra_stress.PARSERS,
    pgbench.PARSER,
)

# The printed output of latte is recognized only to say what to upload instead.
FORMAT_LABELS = tuple(sorted((each.label for each in PARSERS if each is not latte.LOG_PARSER), key=str.casefold))


def detect(head: Sequence[str]) -> Parser:
    """The parser of a file that begins with these lines (at most HEAD_LINES are looked at).

    Raises ParseError, which lists the supported formats, when there is none.
    """
    head = [line[:LINE_CHARACTERS] for line in head[:HEAD_LINES]]
    if not any(line.strip() for line in head):
        raise ParseError("the file is empty")
    for parser in PARSERS:
        if parser.matches(head):
            return parser
    raise ParseError(f"unknown format; supported formats are: {', '.join(FORMAT_LABELS)}")


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
