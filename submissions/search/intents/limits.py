"""Limits in a search, such as "p99 under 10 ms", "50k ops/s" and "$500 a month"."""

import re
from dataclasses import dataclass
from decimal import Decimal

_LESS = r"(?:under|below|within|less than|at most|max(?:imum)?|<=|<|≤)"
_NUMBER = r"(\d{1,9}(?:,\d{3})*(?:\.\d{1,6})?)"
_P99 = re.compile(
    rf"(?:\b(?:p99|latency)\b\s*(?:latency\s*)?{_LESS}?|{_LESS})\s*{_NUMBER}\s*(ms|us|µs|s)\b(?:\s*(?:p99|latency)\b)?",
    re.IGNORECASE,
)
_RATE = re.compile(rf"(?<![\w.]){_NUMBER}\s*([km])?\s*(?:ops/s|ops/sec|op/s|ops|qps|rps|tps)(?![\w/])", re.IGNORECASE)
_BUDGET = re.compile(
    rf"{_LESS}?\s*(?:\$\s*{_NUMBER}|(?<![\w.]){_NUMBER}\s*(?:\$|usd|dollars)(?!\w))\s*((?:/|a|per)?\s*(?:month|mo)\b)?",
    re.IGNORECASE,
)
_MS = {"ms": Decimal(1), "us": Decimal("0.001"), "µs": Decimal("0.001"), "s": Decimal(1000)}
_TIMES = {"": 1, "k": 1_000, "m": 1_000_000}


@dataclass(frozen=True, slots=True)
class Limits:
    """None where a search has none; as the fields of the recommendation take them."""

    max_p99_ms: Decimal | None = None
    target_ops_s: Decimal | None = None
    budget_usd_month: Decimal | None = None

    @property
    def fields(self) -> dict[str, str]:
        values = {
            "target_ops_s": self.target_ops_s,
            "max_p99_ms": self.max_p99_ms,
            "budget_usd_month": self.budget_usd_month,
        }
        return {name: _plain(value) for name, value in values.items() if value is not None}


def limits_of(text: str) -> tuple[Limits, str]:
    """The limits of a text, and what is left of it."""
    p99 = _P99.search(text)
    if p99:
        text = _without(p99, text)
    rate = _RATE.search(text)
    if rate:
        text = _without(rate, text)
    budget = _BUDGET.search(text)
    if budget:
        text = _without(budget, text)
    return (
        Limits(
            max_p99_ms=_decimal(p99[1]) * _MS[p99[2].lower()] if p99 else None,
            target_ops_s=_decimal(rate[1]) * _TIMES[(rate[2] or "").lower()] if rate else None,
            budget_usd_month=_decimal(budget[1] or budget[2]) if budget else None,
        ),
        " ".join(text.split()),
    )


def _without(match: re.Match[str], text: str) -> str:
    return f"{text[: match.start()]} {text[match.end() :]}"


def _decimal(text: str) -> Decimal:
    return Decimal(text.replace(",", ""))


def _plain(value: Decimal) -> str:
    text = f"{value:f}"
    return text.rstrip("0").rstrip(".") if "." in text else text
