"""Rows by the million: some thousand real ones, multiplied inside PostgreSQL."""

import argparse

_UNITS = {"k": 1_000, "m": 1_000_000}


def row_count(text: str) -> int:
    """1000, 100k or 1M."""
    digits, unit = (text[:-1], _UNITS[text[-1].lower()]) if text[-1:].lower() in _UNITS else (text, 1)
    if not digits.isdecimal() or not int(digits):
        raise argparse.ArgumentTypeError(f"{text!r} is no number of rows such as 1000, 100k or 1M")
    return int(digits) * unit
