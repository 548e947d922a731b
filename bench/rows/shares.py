"""How many of the new rows are not plainly public and proven: a site's owners and moderators change some."""

from collections.abc import Mapping
from dataclasses import dataclass

from bench.rows.chance import fraction

# of a thousand rows; the columns of each state are in copies.py
STATES = {
    "retracted": 2.0,
    "hidden": 0.5,
    "unlisted": 3.0,
    "private": 3.0,
    "embargoed": 0.5,
    "unranked": 0.5,
    "new account": 1.0,
    "successor": 2.0,
    "throttled": 10.0,
}
TRUSTS = {"uploaded": 60.0, "historical": 20.0, "run_by_us": 20.0}


@dataclass(frozen=True, slots=True)
class Shares:
    """`times` as many states as usual: a small set of rows shall have some of each."""

    times: float = 1.0

    def state(self, key: str) -> str:
        """SQL: the state of a row, '' for most."""
        return _one_of(STATES, self.times, fraction(key, 21), "''")

    def trust(self, key: str) -> str:
        """SQL: the level of trust of a row, NULL where it is that of its real row."""
        return _one_of(TRUSTS, 1.0, fraction(key, 22), "NULL")


def _one_of(weights: Mapping[str, float], times: float, chance: str, otherwise: str) -> str:
    cases, limit = [], 0.0
    for name, weight in weights.items():
        limit += weight / 1000 * times
        cases.append(f"WHEN {chance} < {limit:.6f} THEN '{name}'")
    return f"CASE {' '.join(cases)} ELSE {otherwise} END"
