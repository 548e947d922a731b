"""The p99 of a result as every page writes it: "≤ 22.6 ms (reads, the slowest operation)"; without one, its mean."""

from typing import Protocol

from submissions.formatting.numbers import latency

AT_MOST = "≤ "
_PLURALS = {
    name: f"{name}s" for name in ("read", "insert", "update", "write", "scan", "delete", "read-modify-write", "select")
}


class WithP99(Protocol):
    """A Submission."""

    @property
    def latency_p99_at_most_ms(self) -> float | None: ...
    @property
    def latency_p99_is_bound(self) -> bool: ...
    @property
    def latency_p99_bound_of(self) -> str: ...
    @property
    def latency_mean_ms(self) -> float | None: ...


def p99_sign(row: WithP99) -> str:
    """ "≤ " before a bound, else empty."""
    return AT_MOST if row.latency_p99_is_bound else ""


def p99_latency(row: WithP99) -> str:
    """ "≤ 22.6 ms"; empty where it is unknown."""
    value = row.latency_p99_at_most_ms
    return "" if value is None else f"{p99_sign(row)}{latency(value)}"


def p99_note(row: WithP99) -> str:
    """ "reads, the slowest operation"; empty where it is no bound."""
    if not row.latency_p99_is_bound:
        return ""
    name = row.latency_p99_bound_of
    return f"{_PLURALS.get(name, name)}, the slowest operation" if name else "the slowest operation"


def p99_words(row: WithP99) -> str:
    """ "≤ 22.6 ms (reads, the slowest operation)"; empty where it is unknown."""
    figure, note = p99_latency(row), p99_note(row)
    return f"{figure} ({note})" if figure and note else figure


def mean_instead_ms(row: WithP99) -> float | None:
    """The mean of a result without any p99, which says so wherever it is shown: no limit, order or rank goes by it."""
    return row.latency_mean_ms if row.latency_p99_at_most_ms is None else None


def shows_latency(row: WithP99) -> bool:
    return row.latency_p99_at_most_ms is not None or row.latency_mean_ms is not None


def p99_label(row: WithP99) -> str:
    """Before the figure where the column has no head: a mean never follows "p99"."""
    return "p99" if mean_instead_ms(row) is None else "latency"
