"""How YCSB names what it measures: READ, READ-FAILED, Intended-READ, READ-MODIFY-WRITE."""

from functools import lru_cache

_MOST_NAMES = 1024  # in memory; a status line has a dozen, and a log the same ones in each of 100,000 lines
# Longest first: READ-MODIFY-WRITE begins like a kind of READ.
OPERATIONS = ("READ-MODIFY-WRITE", "INSERT", "UPDATE", "DELETE", "READ", "SCAN")
_INTENDED = "Intended-"
_COMBINED = "-COMB"


@lru_cache(_MOST_NAMES)
def strip_intended(name: str) -> tuple[str, bool]:
    """(READ, True) of Intended-READ: measured from when the request was scheduled to start."""
    return name.removeprefix(_INTENDED), name.startswith(_INTENDED)


@lru_cache(_MOST_NAMES)
def operation_of(name: str) -> str | None:
    """READ of READ and of its failures (READ-FAILED, READ-NOT_FOUND); None of CLEANUP, OVERALL.

    With `reportlatencyforeacherror` forks print READ-COMB too: READ and its failures once more.
    """
    if name.endswith(_COMBINED):
        return None
    return next((op for op in OPERATIONS if name == op or name.startswith(f"{op}-")), None)
