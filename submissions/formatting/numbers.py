"""Numbers as people read them: rounded for display only, the exact value kept beside it."""

from decimal import Context, Decimal

SIGNIFICANT_DIGITS = 3
CENTS = 2

Number = int | float | Decimal


def significant(value: Number, digits: int = SIGNIFICANT_DIGITS) -> str:
    """At most `digits` significant digits, thousands separated, never an exponent: 90748 -> 90,700."""
    rounded = Context(prec=digits).plus(_decimal(value))
    return _plain(rounded)


def exact(value: Number) -> str:
    """Every digit that is stored, thousands separated: 90748.25 -> 90,748.25."""
    return _plain(_decimal(value))


def dollars(value: Number) -> str:
    """USD without the sign: cents from one dollar on, three significant digits below."""
    amount = _decimal(value)
    if abs(amount) >= 1:
        return f"{amount:,.{CENTS}f}"
    rounded = Context(prec=SIGNIFICANT_DIGITS).plus(amount).normalize()
    decimals = max(CENTS, -int(rounded.as_tuple().exponent))
    return f"{rounded:,.{decimals}f}"


def percent(fraction: Number) -> str:
    """0.0493 -> 4.93 %."""
    return f"{significant(_decimal(fraction) * 100)} %"


def signed_percent(fraction: Number) -> str:
    """A change: 0.228 -> +22.8 %, -0.05 -> −5 %."""
    change = _decimal(fraction)
    sign = "−" if change < 0 else "+"
    return f"{sign}{percent(abs(change))}"


def size(size_bytes: int) -> str:
    """Bytes in the largest binary unit that leaves a number of at least one: 2048 -> 2 KiB."""
    amount, unit = Decimal(size_bytes), "bytes"
    for larger in ("KiB", "MiB", "GiB", "TiB"):
        if amount < 1024:
            break
        amount, unit = amount / 1024, larger
    return f"{significant(amount)} {unit}"


def decimal_text(value: Decimal | None) -> str | None:
    """Every digit that matters, never an exponent: 0E-23 becomes "0", 0.720000000 "0.72"; unknown stays None."""
    if value is None:
        return None
    text = f"{abs(value) if value.is_zero() else value:f}"  # there is no -0 USD
    return text.rstrip("0").rstrip(".") if "." in text else text


def _decimal(value: Number) -> Decimal:
    # repr of a float is its shortest exact form: 0.1 stays 0.1
    return Decimal(repr(value)) if isinstance(value, float) else Decimal(value)


def _plain(value: Decimal) -> str:
    text = f"{value:,f}"
    return text.rstrip("0").rstrip(".") if "." in text else text
