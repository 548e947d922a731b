"""Decimals in the JSON of estimates and receipts."""

from decimal import Decimal


def as_text(value: Decimal | None) -> str | None:
    """Every digit that matters, never an exponent: 0E-23 becomes "0", 0.720000000 "0.72"; unknown stays None."""
    if value is None:
        return None
    text = f"{abs(value) if value.is_zero() else value:f}"  # there is no -0 USD
    return text.rstrip("0").rstrip(".") if "." in text else text
