"""The registry of log formats: which parser reads a file, and with how long lines."""

from collections.abc import Sequence

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


def detect(head: Sequence[str]) -> Parser:
    """The parser of a file that begins with these lines (at most HEAD_LINES are looked at).

    Raises ParseError, which lists the recognised formats, when there is none.
    """
    head = [line[:LINE_CHARACTERS] for line in head[:HEAD_LINES]]
    if not any(line.strip() for line in head):
        raise ParseError("the file is empty")
    for parser in PARSERS:
        if parser.matches(head):
            return parser
    labels = ", ".join(parser.label for parser in PARSERS)
    raise ParseError(f"the format was not recognised; recognised formats are: {labels}")


def line_characters(parser: Parser) -> int:
    """How much of a line `parser` needs: its `line_characters`, where it has one.

    Only formats that put a whole document in a line have; for a log a short cut keeps a hostile
    line harmless.
    """
    return getattr(parser, "line_characters", LINE_CHARACTERS)
