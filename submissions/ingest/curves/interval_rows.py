"""The rows of an interval file one by one: the JSON of intervals.py read in pieces, whatever its length."""

import codecs
import json
import re
from collections.abc import Iterator
from typing import Any, NamedTuple

from pydantic_core import from_json

_LONGEST_ROW = 32 * 1024  # characters; a row is an operation's name and a dozen numbers
_HEAD = re.compile(r'\{"columns":(\[[^]]*\]),"trials":\[')
_TRIAL = re.compile(r'\{"index":(\d+),"clients":\[')


class IntervalRow(NamedTuple):
    trial: int  # from 0
    client: int  # from 0
    values: list[Any]


def read_rows(pieces: Iterator[bytes]) -> tuple[list[str], Iterator[IntervalRow]]:
    """The columns and the rows of a file, from the pieces of its JSON."""
    text = _Text(pieces)
    head = text.take(_HEAD)
    return json.loads(head[1]), _rows(text)


class _Text:
    """The part of a long text that is being read; at least the longest row of it is there."""

    def __init__(self, pieces: Iterator[bytes]):
        self._pieces = pieces
        self._decoder = json.JSONDecoder()
        self._decode = codecs.getincrementaldecoder("utf-8")().decode
        self._text, self._at = "", 0
        self._is_plain = True

    def take(self, pattern: re.Pattern[str]) -> re.Match[str]:
        self._fill()
        match = pattern.match(self._text, self._at)
        if match is None:
            raise ValueError("this is no file of intervals")
        self._at = match.end()
        return match

    def next(self) -> str:
        """The character here; empty at the end."""
        self._fill()
        return self._text[self._at : self._at + 1]

    def skip(self) -> None:
        self._at += 1

    def rows(self) -> list[Any]:
        """The row here and those behind it in its array, as far as they are there: together they are read faster."""
        self._fill()
        end = self._text.find("]]", self._at)  # of the last one
        if end < 0:
            end = self._text.rfind("],[", self._at)
        if self._is_plain and end >= 0:
            try:
                rows: list[Any] = from_json(f"[{self._text[self._at : end + 1]}]")
            except ValueError:  # an operation's name has such characters: its file is read row by row
                self._is_plain = False
            else:
                self._at = end + 1
                return rows
        return [self._value()]

    def _value(self) -> Any:
        value, self._at = self._decoder.raw_decode(self._text, self._at)
        return value

    def _fill(self) -> None:
        while len(self._text) - self._at < _LONGEST_ROW and (piece := next(self._pieces, b"")):
            self._text, self._at = self._text[self._at :] + self._decode(piece), 0


def _rows(text: _Text) -> Iterator[IntervalRow]:
    for _ in _elements(text):
        trial = int(text.take(_TRIAL)[1])
        for client in _elements(text):
            text.skip()  # its "["
            for _ in _elements(text):
                for values in text.rows():
                    yield IntervalRow(trial, client, values)
        text.skip()  # its "}"


def _elements(text: _Text) -> Iterator[int]:
    """Goes through the array that `text` is in: the caller reads an element, or several; passes its "]"."""
    count = 0
    while (character := text.next()) != "]":
        if not character:
            raise ValueError("this file of intervals is cut short")
        if character == ",":
            text.skip()
        yield count
        count += 1
    text.skip()
