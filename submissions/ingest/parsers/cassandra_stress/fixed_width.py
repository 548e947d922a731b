"""Rows of one width, in which a column is in the same place: nearly all of a long log, whose cells are padded.

They are a matrix of bytes, of which only the wanted digits are turned into numbers. What is not exactly as expected
is left to the readers of uneven rows.
"""

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy

_ZERO, _BLANK, _COMMA, _LINE_END = b"0 ,\n"
_OPERATION = re.compile(rb"[A-Za-z]{1,40},")
_FORM = re.compile(rb"(?: *0+(?:\.0+)?,)* *0+(?:\.0+)?\n")  # of a row without its operation, whose digits are zeros
_DIGITS = bytes.maketrans(b"123456789", b"0" * 9)
_MOST_OPERATIONS = 20
_MOST_DIGITS = 15  # without its point the number is an exact float, so that dividing it by a power of ten rounds once
_JOINED = ((10, "u1"), (100, "u2"), (10**4, "u4"), (10**8, "i8"))  # digits, pairs, fours, eights
_BLANK_VALUE = (_BLANK - _ZERO) & 0xFF


class FixedWidthRows:
    """The rows in some lines that have the form of the first, and as many cells as `columns`.

    `are_even` is to be looked at before anything else is read.
    """

    def __init__(self, data: bytes, width: int, columns: tuple[str, ...]):
        import numpy

        # of a digit it is the digit, of all others more than 9
        values = numpy.frombuffer(data, numpy.uint8) - numpy.uint8(_ZERO)
        self._rows = values.reshape(-1, width)
        self.names: list[str] = []
        self.of_row: Any = None  # the number of the operation of each row, where there are several
        self._varying: set[int] = set()  # places of a blank in some rows and of a digit in others
        self._form = b""
        has_names = columns[0] != "type" or self._take_names(data)
        if has_names:
            first = (self._rows[0] + numpy.uint8(_ZERO)).tobytes()
            self._form = first.translate(_DIGITS)
            self._cells = _cells(self._form, [name for name in columns if name != "type"])
        self.are_even = has_names and _FORM.fullmatch(self._form) is not None and self._have_one_form()

    def __len__(self) -> int:
        return len(self._rows)

    def _take_names(self, data: bytes) -> bool:
        """Put blanks in place of the operations, so that numbers alone are left; False where not all have a name."""
        import numpy

        rows, width = self._rows, self._rows.shape[1]
        number, left = 0, numpy.ones(len(rows), dtype=bool)
        of_row = numpy.zeros(len(rows), dtype=numpy.uint8)
        while number < _MOST_OPERATIONS:
            start = int(left.argmax()) * width
            name = _OPERATION.match(data, start, start + width)
            if name is None:
                return False
            values = numpy.frombuffer(name[0], numpy.uint8) - numpy.uint8(_ZERO)
            mine = (rows[:, : len(values)] == values).all(axis=1)
            of_row[mine] = number
            rows[mine, : len(values)] = _BLANK_VALUE
            self.names.append(name[0][:-1].decode().lower())
            number, left = number + 1, left & ~mine
            if not left.any():
                self.of_row = of_row if number > 1 else None
                return True
        return False

    def _have_one_form(self) -> bool:
        """Whether all rows have the form of the first, but for digits in place of blanks before a number."""
        import numpy

        # a character is itself, and each digit 0
        forms = self._rows & ((self._rows < 10).view(numpy.uint8) - numpy.uint8(1))
        differs = (forms.ravel() != numpy.tile(forms[0], len(forms))).view(numpy.uint8).reshape(forms.shape)
        places = _any_row(differs).nonzero()[0]
        self._varying = set(places.tolist())
        return not len(places) or (self._may_be_padding() and _are_padded(forms.take(places, axis=1), places))

    def _may_be_padding(self) -> bool:
        """Whether what varies is between the blanks before a number and a digit that all rows have."""
        varying, form = self._varying, self._form
        return all(
            (at + 1 in varying or form[at + 1 : at + 2] == b"0")  # nothing is behind the end of a line
            and (at == 0 or at - 1 in varying or form[at - 1] in (_BLANK, _COMMA))
            for at in varying
        )

    def integers(self, name: str) -> "numpy.ndarray[Any, Any] | None":
        """The numbers of a column; None where they have a decimal point, or too many digits."""
        start, end = self._cells[name]
        return None if b"." in self._form[start:end] else self._joined(self._digits(start, end))

    def decimals(self, name: str) -> "numpy.ndarray[Any, Any] | None":
        """The same numbers as `float` makes of the text of each; None where they have too many digits."""
        start, end = self._cells[name]
        point = self._form.find(b".", start, end)
        fraction = [] if point < 0 else list(range(point + 1, end))
        numbers = self._joined(self._digits(start, end if point < 0 else point) + fraction)
        return None if numbers is None else numbers / 10.0 ** len(fraction)

    def _digits(self, start: int, end: int) -> list[int]:
        """The places at which some row has a digit."""
        return [at for at in range(start, end) if self._form[at] == _ZERO or at in self._varying]

    def _joined(self, places: Sequence[int]) -> "numpy.ndarray[Any, Any] | None":
        """Digits side by side as a number: pairs of them, then pairs of pairs, in the shortest type for each."""
        if len(places) > _MOST_DIGITS:
            return None
        parts = [self._rows[:, at] & 15 for at in places]  # 0 for a blank
        for factor, kind in _JOINED:
            alone = len(parts) % 2
            pairs = zip(parts[alone::2], parts[alone + 1 :: 2], strict=True)
            parts = [
                *(part.astype(kind) for part in parts[:alone]),
                *(high.astype(kind) * factor + low for high, low in pairs),
            ]
        return parts[0]


def rows_of(data: bytes, columns: tuple[str, ...]) -> FixedWidthRows | None:
    """The rows in some lines, the last of which has its end; None where they are not even."""
    width = data.find(b"\n") + 1
    if not width or len(data) % width or data.count(b",", 0, width) != len(columns) - 1:
        return None
    rows = FixedWidthRows(data, width, columns)
    return rows if rows.are_even else None


def _cells(form: bytes, columns: Sequence[str]) -> dict[str, tuple[int, int]]:
    """Where each begins and ends in a row."""
    ends = [at for at, character in enumerate(form) if character in (_COMMA, _LINE_END)]
    return dict(zip(columns, zip([0, *(end + 1 for end in ends)], ends, strict=False), strict=False))


def _any_row(rows: Any) -> Any:
    """Of each column whether any row has it: half of the rows are added to the others until there is one."""
    count = len(rows)
    while count > 1:
        half = count // 2
        if count % 2:
            rows[0] |= rows[count - 1]
        rows[:half] |= rows[half : 2 * half]
        count = half
    return rows[0]


def _are_padded(forms: Any, places: Any) -> bool:
    """Whether each row has at these places digits, and blanks which no digit of the same cell precedes."""
    are_blank = forms == _BLANK_VALUE
    if not (are_blank | (forms == 0)).all():
        return False
    is_next = places[1:] == places[:-1] + 1
    return not (are_blank[:, 1:] & ~are_blank[:, :-1] & is_next).any()
