"""The load of a result in words: its threads, and the rate that the load tool held it to."""

from collections.abc import Iterable
from typing import Protocol

from submissions.choices import LoadMode
from submissions.formatting.names import tool_name
from submissions.formatting.numbers import significant
from submissions.formatting.text import plural

# tool -> (option of a throttle, option of a fixed rate)
_OPTIONS = {
    "ycsb": ("-target", "-target"),
    "go-ycsb": ("target", "target"),
    "cassandra-stress": ("throttle=", "fixed="),
    "cql-stress": ("throttle=", "fixed="),
    "latte": ("--rate", "--rate"),
    "pgbench": ("-R", "-R"),
    "cassandra-easy-stress": ("--rate", "--rate"),
    "cockroach-workload": ("--max-rate", "--max-rate"),
    "ycsb-cpp": ("limit.ops", "limit.ops"),
    "scylla-bench": ("-max-rate", "-max-rate"),
}


class Loaded(Protocol):
    """A Submission."""

    @property
    def tool(self) -> str: ...
    @property
    def threads(self) -> int | None: ...
    @property
    def fixed_rate_ops_s(self) -> float | None: ...
    @property
    def limit_ops_s(self) -> float | None: ...
    @property
    def is_throttled(self) -> bool: ...
    @property
    def load_mode(self) -> str | None: ...


def held(row: Loaded) -> str:
    """ "limited to 7,000 ops/s"; empty for a rate that the load tool did not limit, or that was not reached."""
    if not row.is_throttled:
        return ""
    if row.load_mode == LoadMode.CURVE:
        return "limited to each rate of its load curve"
    return f"limited to {rate_words(row.limit_ops_s)}" if row.limit_ops_s else "limited to a rate that is not stated"


def held_by(row: Loaded) -> str:
    """ "limited to 7,000 ops/s by -target"."""
    if not row.is_throttled:
        return ""
    if row.load_mode == LoadMode.CURVE:
        return held(row)
    throttle, fixed = _OPTIONS.get(row.tool, (tool_name(row.tool), tool_name(row.tool)))
    return f"{held(row)} by {fixed if row.fixed_rate_ops_s else throttle}"


def load_words(row: Loaded) -> str:
    """ "200 threads, fixed rate 7,000 ops/s": what results of one workload may differ in."""
    threads = plural(row.threads, "thread") if row.threads else ""
    limit = row.limit_ops_s
    kind = "fixed rate" if row.fixed_rate_ops_s else "limited to"
    return ", ".join(part for part in (threads, f"{kind} {rate_words(limit)}" if limit else "") if part)


def rate_words(ops_s: float | None) -> str:
    """ "7,000 ops/s"."""
    return f"{ops_s:,.0f} ops/s" if ops_s and ops_s >= 1000 else f"{significant(ops_s or 0)} ops/s"


def shows_load(rows: Iterable[Loaded]) -> bool:
    """Whether the results of a table differ in their threads or rates, which readers then have to see."""
    return len({(row.threads, row.limit_ops_s) for row in rows}) > 1
