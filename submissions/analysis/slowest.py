"""The p99 of a result: over all operations, else that of its slowest type of operation, which it does not exceed."""

from collections.abc import Sequence
from statistics import median
from typing import NamedTuple


class P99(NamedTuple):
    """`at_most_ms` is null where neither the p99 over all operations nor that of each type is known."""

    at_most_ms: float | None = None
    is_bound: bool = False  # it is that of the slowest of several types
    bound_of: str = ""  # of which type; "": not of the same one in all trials, or no bound


UNKNOWN_P99 = P99()


def p99_of_trial(over_all_ms: float | None, of_types: Sequence[tuple[str, float | None]]) -> P99:
    """`of_types`: the name and the p99 of each type that has operations; of a single one it is that over all."""
    if over_all_ms is not None:
        return P99(over_all_ms)
    known = [(p99, name) for name, p99 in of_types if p99 is not None]
    if not known or len(known) < len(of_types):
        return UNKNOWN_P99
    highest, name = max(known, key=lambda pair: pair[0])
    return P99(highest, is_bound=True, bound_of=name) if len(known) > 1 else P99(highest)


def p99_of_trials(trials: Sequence[P99]) -> P99:
    """The median over the trials; unknown as soon as it is unknown of one."""
    known = [trial.at_most_ms for trial in trials if trial.at_most_ms is not None]
    if not known or len(known) < len(trials):
        return UNKNOWN_P99
    names = {trial.bound_of for trial in trials}
    return P99(
        median(known),
        is_bound=any(trial.is_bound for trial in trials),
        bound_of=names.pop() if len(names) == 1 else "",
    )
