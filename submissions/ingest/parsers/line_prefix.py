"""What lies between the tool and the file: something before each line, an indent, quotes, each line twice.

It is recognized in the first lines alone. A file where nothing of it is there is read as it is.
"""

import json
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby, takewhile

_NEARLY_ALL = 0.75  # of the lines: a line of the shell before, or a trace that the logger did not split
_MOST_LAYERS = 5
_MOST_SHOWN = 60

_DAY = r"(?:\d{4}[-/]\d\d[-/]\d\d|\d\d[-/.]\d\d[-/.]\d{2,4})"
_CLOCK = r"\d\d:\d\d:\d\d(?:[.,]\d{1,9})?"
# Not the colon before the milliseconds, by which YCSB's own status lines are known.
_TIME = rf"{_DAY}[T ]{_CLOCK}(?: ?(?:Z|UTC|GMT|[+-]\d\d:?\d\d))?"
_SYSLOG_TIME = rf"(?:[A-Z][a-z]{{2}} )?[A-Z][a-z]{{2}} [ \d]\d (?:\d{{4}} )?{_CLOCK}"
_LEVEL = r"(?:TRACE|DEBUG|INFO|WARN|WARNING|ERROR|FATAL|CRITICAL|NOTICE)"
_SHAPES = tuple(
    re.compile(pattern)
    for pattern in (
        r"< ?t:.{1,300}? p:[A-Z]{1,10} {0,8}>(?: |$)",  # scylla-cluster-tests
        rf"(?:{_SYSLOG_TIME}|{_TIME}) (?P<source>[\w.-]{{1,100}}) [\w./@-]{{1,100}}\[\d{{1,9}}\]:(?: |$)",  # journald
        rf"{_SYSLOG_TIME} (?P<source>[\w.-]{{1,100}}) [\w./@-]{{1,100}}:(?: |$)",  # syslog
        r"\[(?P<source>(?:pod|container)/[^\]]{1,200})\](?: |$)",  # kubectl logs --prefix
        rf"(?:{_SYSLOG_TIME}|{_TIME})(?: -)?(?: |\t|$)",
        rf"\[(?:{_SYSLOG_TIME}|{_TIME})\](?: |\t|$)",
        rf"(?:{_CLOCK}|\[{_CLOCK}\])(?: |\t|$)",
        r"\d{10}(?:\.\d{1,9})?(?: |\t|$)",
        r"\[ {0,8}\d{1,8}\.\d{3,9}\](?: |$)",
        r"(?:stdout|stderr) [FP](?: |$)",  # container runtimes
        r"(?P<source>[A-Za-z0-9][\w.-]{0,100}) {0,80}\|(?: |$)",  # docker compose
        rf"{_LEVEL} {{0,6}}[-|:](?: |$)",
        rf"(?:{_LEVEL}|\[ {{0,3}}{_LEVEL} {{0,3}}\]|<{_LEVEL}>):?(?: |\t|$)",
        rf"{_LEVEL}:[\w.]{{1,60}}:",  # Python's logging without a format
        r"\[[^\]]{1,100}\](?: |$)",  # a thread or a logger
        r"(?P<source>[\w./+-]{1,200}\.\w{1,8}):\d{1,7}:",  # grep -n, of several files
        r"(?P<source>[\w./+-]{1,200}\.\w{1,8}):",
        r"[\w.$/-]{1,120}(?::\d{1,6})? {0,3}(?:[-|]|:(?=\s|$))(?: |$)",  # a logger
        r" {0,8}\d{1,7}(?:[\t:]|$)",  # cat -n, grep -n
        r"[^\t]{1,100}\t[^\t]{1,100}\t",  # gh run view --log
        r">(?: |$)",
        r"E(?: {3}|$)",  # pytest
        r"(?:#|//|\*)(?: |$)",
    )
)
_QUOTED = re.compile(r'\s*"(?P<text>(?:[^"\\]|\\.){0,20000})",?\s*$')
_BRACKETS = re.compile(r"(?:.{0,200}[\s:>])?[][{},]{1,3}\s*$")
_MESSAGES = ("log", "message", "msg", "MESSAGE", "line", "textPayload")


@dataclass(frozen=True, slots=True)
class Layer:
    """One thing that stands before or around each line. `take` gives the rest of a line, None where it is not there."""

    take: Callable[[str], str | None]
    words: str  # "the prefix "ycsb-1  | ""
    source: Callable[[str], str | None] = lambda line: None  # the container or file that a line is from
    is_sure: bool = False  # no tool prints it


@dataclass(frozen=True, slots=True)
class Unwrapping:
    """How the lines of a file are read."""

    layers: tuple[Layer, ...] = ()
    is_doubled: bool = False
    others: tuple[str, ...] = ()  # labels of formats that have lines in the file, too, and are not read

    def __bool__(self) -> bool:
        return bool(self.layers) or self.is_doubled

    def line(self, line: str) -> str:
        for layer in self.layers:
            rest = layer.take(line)
            line = line if rest is None else rest
        return line

    def lines(self, lines: Iterable[str]) -> Iterator[str]:
        unwrapped = map(self.line, lines)
        return _halved(unwrapped) if self.is_doubled else unwrapped

    def source(self, line: str) -> str | None:
        for layer in self.layers:
            if source := layer.source(line):
                return source
            line = layer.take(line) or line
        return None

    @property
    def is_sure(self) -> bool:
        return all(layer.is_sure for layer in self.layers)

    @property
    def words(self) -> str:
        return ", ".join(layer.words for layer in self.layers)

    def sentences(self) -> Iterator[str]:
        if self.layers:
            yield f"the lines were read without {self.words}; the stored file is as it was sent"
        if self.is_doubled:
            yield "each line is in the file twice: it is counted once"
        if self.others:
            others = ", ".join(self.others)
            yield f"the file has lines of {others}, too, which are not read: send them as a file of their own"


def doubled(head: Sequence[str]) -> bool:
    """Whether each line is there at least twice, one after the other."""
    lengths = [len(list(same)) for line, same in groupby(head) if line.strip()]
    return bool(lengths) and sum(length > 1 for length in lengths) >= 0.9 * len(lengths)


def _halved(lines: Iterable[str]) -> Iterator[str]:
    """One of two equal lines: some, as buckets of a histogram, are there twice before they are doubled."""
    for line, same in groupby(lines):
        count = sum(1 for _ in same)
        yield from (line for _ in range(max(1, count // 2)))


def unwrappings(head: Sequence[str], *, with_any_text: bool) -> Iterator[Unwrapping]:
    """With one layer more each, as far as there are some; also of any text that nearly all lines begin with."""
    layers: list[Layer] = []
    lines = [line for line in head if line.strip()]
    while len(layers) < _MOST_LAYERS and (layer := _layer_of(lines, with_any_text)) is not None:
        layers.append(layer)
        lines = [line for line in map(Unwrapping((layer,)).line, lines) if line.strip()]
        yield Unwrapping(tuple(layers))


def _layer_of(lines: Sequence[str], with_any_text: bool) -> Layer | None:
    layer = _messages(lines) or _shape(lines) or _indent(lines) or _quotes(lines)
    return layer or (_constant(lines) if with_any_text else None)


def _shape(lines: Sequence[str]) -> Layer | None:
    for shape in _SHAPES:
        matches = [match for line in lines if (match := shape.match(line))]
        if matches and len(matches) >= _NEARLY_ALL * len(lines):
            return Layer(_after(shape), f"the prefix {_shown(matches[0][0])}", _source_in(shape))
    return None


def _after(shape: re.Pattern[str]) -> Callable[[str], str | None]:
    def take(line: str) -> str | None:
        match = shape.match(line)
        return line[match.end() :] if match else None

    return take


def _source_in(shape: re.Pattern[str]) -> Callable[[str], str | None]:
    def source(line: str) -> str | None:
        match = shape.match(line)
        return match.groupdict().get("source") if match else None

    return source


def _indent(lines: Sequence[str]) -> Layer | None:
    """The blanks that nearly all lines have in common; a line with fewer is not cut further.

    A text that was marked and copied may begin behind those of its first line.
    """
    widths = [len(line) - len(line.lstrip(" \t")) for line in lines]
    lowest = min(widths[1:] or widths, default=0)
    width = lowest or (sorted(widths)[int(len(widths) * (1 - _NEARLY_ALL) / 2)] if widths else 0)
    if not width:
        return None
    return Layer(
        lambda line: line[min(width, len(line) - len(line.lstrip(" \t"))) :],
        f"the indent of {width} blanks",
        is_sure=lowest > 0,
    )


def _quotes(lines: Sequence[str]) -> Layer | None:
    """A JSON list of lines, as Ansible prints it."""
    texts = [line for line in lines if not _BRACKETS.match(line)]
    quoted = [line for line in texts if _QUOTED.match(line)]
    return Layer(_unquoted, "the quotes around it") if quoted and len(quoted) >= _NEARLY_ALL * len(texts) else None


def _unquoted(line: str) -> str | None:
    match = _QUOTED.match(line)
    if match is None:
        return None
    try:
        return str(json.loads(f'"{match["text"]}"'))
    except ValueError:
        return match["text"]


def _messages(lines: Sequence[str]) -> Layer | None:
    """A JSON object a line, as Docker and journald keep them."""
    taken = [_message(line) for line in lines]
    is_json = any(taken) and sum(text is not None for text in taken) >= _NEARLY_ALL * len(lines)
    return Layer(_message, "the JSON around it") if is_json else None


def _message(line: str) -> str | None:
    if not line.lstrip().startswith('{"'):
        return None
    try:
        entry = json.loads(line)
    except (ValueError, RecursionError):
        return None
    text = next((entry[key] for key in _MESSAGES if isinstance(entry.get(key), str)), None)
    return None if text is None else text.rstrip("\r\n")


def _constant(lines: Sequence[str]) -> Layer | None:
    """Any other text that nearly all lines begin with, to its last blank."""
    if len(lines) < 2:
        return None
    ordered = sorted(lines)
    margin = int(len(ordered) * (1 - _NEARLY_ALL) / 2)
    first, last = ordered[margin], ordered[-1 - margin]
    same = takewhile(lambda pair: pair[0] == pair[1], zip(first, last, strict=False))
    prefix = first[: first.rfind(" ", 0, sum(1 for _ in same)) + 1]
    prefix = prefix.rstrip()  # blanks behind it may be the tool's own
    if not prefix:
        return None

    def take(line: str) -> str | None:
        return line[len(prefix) :].removeprefix(" ") if line.startswith(prefix) else None

    return Layer(take, f"the prefix {_shown(prefix)}")


def _shown(text: str) -> str:
    return f'"{text[:_MOST_SHOWN]}"'
