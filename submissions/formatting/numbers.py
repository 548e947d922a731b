"""Numbers as people read them: rounded for display only, the exact value kept beside it.

Amounts come in USD and are shown in the reader's currency (formatting/currency.py): converted, then rounded, once.
"""

from decimal import Context, Decimal

from submissions.formatting import currency

SIGNIFICANT_DIGITS = 3
CENTS = 2
MILLION = 1_000_000

_SCALES = ((10**9, "G"), (MILLION, "M"), (1000, "k"))
_WHOLE_FROM = 100  # of a month's cost
_CONVERTED_DIGITS = 6

Number = int | float | Decimal


def significant(value: Number, digits: int = SIGNIFICANT_DIGITS) -> str:
    """At most `digits` significant digits, thousands separated, never an exponent: 90748 -> 90,700."""
    rounded = Context(prec=digits).plus(_decimal(value))
    return _plain(rounded)


def exact(value: Number) -> str:
    """Every digit that is stored, thousands separated: 90748.25 -> 90,748.25."""
    return _plain(_decimal(value))


def compact(value: Number) -> str:
    """Three significant digits with the letter of the scale: 111034.2 -> 111 k; "940" has none."""
    rounded = Context(prec=SIGNIFICANT_DIGITS).plus(_decimal(value))
    for scale, letter in _SCALES:
        if abs(rounded) >= scale:
            return f"{_plain(rounded / scale)} {letter}"
    return _plain(rounded)


def ops_s(value: Number) -> str:
    """ "111 k ops/s"."""
    return f"{compact(value)} ops/s"


def value_in_millions(per_usd: Number) -> str:
    """Of operations per dollar: 439713157.89 -> 440; values of one column have one scale, `value_unit`."""
    return significant(currency.current().per_unit(_decimal(per_usd)) / MILLION)


def value_unit() -> str:
    """ "M ops/$"; "M ops/€" in euros."""
    return f"M ops/{currency.current().unit}"


def ops_per_usd(value: Number) -> str:
    """ "440 M ops/$"."""
    return f"{value_in_millions(value)} {value_unit()}"


def milliseconds(value: Number) -> str:
    """Two digits below 10, three above: 3 -> 3.0, 0.5234 -> 0.52, 12.345 -> 12.3."""
    amount = _decimal(value)
    digits = SIGNIFICANT_DIGITS if abs(amount) >= 10 else 2
    rounded = Context(prec=digits).plus(amount)
    if rounded.is_zero() or abs(rounded) >= 100:
        return _plain(rounded)
    return f"{rounded:.{max(digits - 1 - rounded.adjusted(), 0)}f}"


def latency(value: Number) -> str:
    """ "3.0 ms"."""
    return f"{milliseconds(value)} ms"


def amount(value: Number) -> str:
    """ "$0.91": cents, and two digits of what is less than ten of them, 0.002273 -> "$0.0023"."""
    return f"{currency.current().sign}{_short(_in_currency(value))}"


def hourly(value: Number) -> str:
    """ "$0.91/h"."""
    return f"{amount(value)}/h"


def monthly(value: Number) -> str:
    """ "$1,374/month"."""
    return _monthly(_in_currency(value), currency.current().sign)


def monthly_budget(usd: Number) -> str:
    """The same of a limit, which is stated in USD and stays so."""
    return _monthly(_decimal(usd), currency.USD.sign)


def usd_per_million_ops(value: Number) -> str:
    """ "$0.0023 per M ops"."""
    return f"{amount(value)} per M ops"


def exact_amount(value: Number) -> str:
    """ "$0.912": every digit that is stored; of another currency the digits that matter, and what it is in USD."""
    own = currency.current()
    if own.is_usd:
        return f"${exact(value)}"
    return f"{own.sign}{significant(_in_currency(value), _CONVERTED_DIGITS)}, ${exact(value)} at the rate of {own.day}"


def dollars(value: Number) -> str:
    """USD without the sign, in any currency of the reader: cents from one dollar on, three significant digits below."""
    return _precise(_decimal(value))


def precise_amount(value: Number) -> str:
    """The same in the reader's currency, without its sign: of the lines of a bill."""
    return _precise(_in_currency(value))


def signed_precise_amount(value: Number) -> str:
    """ "$0.532": with it, of a price in the book."""
    return f"{currency.current().sign}{precise_amount(value)}"


def _in_currency(usd: Number) -> Decimal:
    return currency.current().of_usd(_decimal(usd))


def _monthly(amount: Decimal, sign: str) -> str:
    return f"{sign}{f'{amount:,.0f}' if abs(amount) >= _WHOLE_FROM else _short(amount)}/month"


def _short(amount: Decimal) -> str:
    if amount.is_zero() or abs(amount) >= 1:
        return f"{amount:,.{CENTS}f}"
    rounded = Context(prec=2).plus(amount)
    return f"{rounded:.{max(CENTS, 1 - rounded.adjusted())}f}"


def _precise(amount: Decimal) -> str:
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
