"""Command lines of cassandra-stress for a plan: pure, each a list of words, correct for the version of the tool.

No word contains a space: the start script of the tool splits its arguments again.
"""

import math
import re
from collections.abc import Sequence
from typing import Any

import yaml

from runners.databases.cassandra_nodes import DATACENTER, release
from runners.load_tools.job_parts import share_of_rate
from runners.plan_schema.run_plan import RunPlan

PROFILE_PATH = "bin/profile.yaml"
DEFAULT_KEYS = 1_000_000  # of a run by duration without a number of keys
DEFAULT_THREADS = 100  # per client; by default the tool searches for the best number, which is not a trial

OPERATIONS = ("write", "read", "mixed", "counter_write", "counter_read", "user")
_READS = frozenset({"read", "counter_read", "mixed"})
_WORD = re.compile(r"[A-Za-z0-9_]{1,48}")


def check(plan: RunPlan) -> None:
    """Raises ValueError for an operation, a profile or its weights that the tool cannot run.

    The start script splits its arguments again: any other word could be an option that reads or writes a file.
    """
    if plan.workload.operation not in OPERATIONS:
        raise ValueError(f"cassandra-stress supports the operations {', '.join(OPERATIONS)}")
    profile(plan)
    _operations_of_profile(plan)


def trial(plan: RunPlan, client: int, clients: int, contacts: Sequence[str], *, version: str, hdr: str) -> list[str]:
    """One client's measured part of a trial."""
    workload = plan.workload
    first, last = key_range(plan, client, clients)
    population = f"dist=UNIFORM({first}..{last})" if workload.operation in _READS else f"seq={first}..{last}"
    log = ["-log", "interval=1s"]
    if release(version) >= (3, 11):
        log.append(f"hdrfile={hdr}")
    return [
        *_operation(plan),
        _amount(plan, clients),
        *_level(plan),
        *_columns(plan),
        "-pop",
        population,
        *_schema(plan),
        "-rate",
        f"threads={workload.threads or DEFAULT_THREADS}",
        *([f"fixed={share_of_rate(workload.fixed_rate_ops_s, clients)}/s"] if workload.fixed_rate_ops_s else []),
        "-errors",
        "ignore",
        *log,
        *_connection(version, contacts),
    ]


def schema(plan: RunPlan, contacts: Sequence[str], *, version: str) -> list[str]:
    """Writes one row, which creates keyspace and tables, before several clients start together."""
    return [
        *_insert(plan),
        "n=1",
        "no-warmup",
        "cl=ALL",
        *_columns(plan),
        *_schema(plan),
        "-rate",
        "threads=1",
        *_connection(version, contacts),
    ]


def prefill(plan: RunPlan, client: int, clients: int, contacts: Sequence[str], *, version: str) -> list[str]:
    """One client's share of the preloaded rows, written to every replica."""
    first, last = key_range(plan, client, clients)
    return [
        *_insert(plan),
        f"n={last - first + 1}",
        "no-warmup",
        "cl=ALL",
        *_columns(plan),
        "-pop",
        f"seq={first}..{last}",
        *_schema(plan),
        "-rate",
        f"threads={plan.workload.threads or DEFAULT_THREADS}",
        *_connection(version, contacts),
    ]


def needs_prefill(plan: RunPlan) -> bool:
    if plan.workload.prefill is not None:
        return plan.workload.prefill > 0
    return plan.workload.operation in _READS


def key_range(plan: RunPlan, client: int, clients: int) -> tuple[int, int]:
    """The keys of one client: disjoint, and equally many for each, so that their logs agree."""
    keys = plan.workload.prefill or plan.workload.operations or DEFAULT_KEYS
    share = math.ceil(keys / clients)
    return client * share + 1, (client + 1) * share


def profile(plan: RunPlan) -> bytes | None:
    """The user's profile with the plan's replication in its keyspace definition. Raises ValueError."""
    if plan.workload.profile is None:
        return None
    try:
        content = yaml.safe_load(plan.workload.profile)
        keyspace = content.get("keyspace") if isinstance(content, dict) else None
        if isinstance(keyspace, str) and _WORD.fullmatch(keyspace):
            replication = f"{{'class': 'NetworkTopologyStrategy', '{DATACENTER}': {plan.workload.replication_factor}}}"
            content["keyspace_definition"] = f"CREATE KEYSPACE {keyspace} WITH replication = {replication};\n"
            return yaml.safe_dump(content, sort_keys=False, width=1000).encode()
    except (yaml.YAMLError, ValueError, RecursionError) as error:  # an impossible date, lists in lists in lists
        raise ValueError(f"the profile is not valid YAML: {error}") from error
    raise ValueError("the profile has no keyspace")


def _operation(plan: RunPlan) -> list[str]:
    workload = plan.workload
    if workload.operation == "mixed":
        share = workload.read_share or 0.0
        reads = round(share * 100)
        return ["mixed", "ratio(" + ",".join(f"{name}={n}" for name, n in _ratio(reads)) + ")"]
    if workload.operation == "user":
        return _user(_operations_of_profile(plan))
    return [workload.operation]


def _ratio(reads: int) -> list[tuple[str, int]]:
    common = math.gcd(reads, 100) or 1
    pairs = [("write", (100 - reads) // common), ("read", reads // common)]
    return [pair for pair in pairs if pair[1]]


def _insert(plan: RunPlan) -> list[str]:
    """The operation that fills the tables of the plan's operation."""
    operation = plan.workload.operation
    if operation == "user":
        return _user({"insert": 1})
    return ["counter_write" if operation.startswith("counter") else "write"]


def _user(operations: dict[str, Any]) -> list[str]:
    ops = ",".join(f"{name}={weight}" for name, weight in operations.items())
    return ["user", f"profile={PROFILE_PATH}", f"ops({ops})"]


def _operations_of_profile(plan: RunPlan) -> dict[str, Any]:
    """settings["cassandra-stress"]["ops"]: the operations of the profile and their weights; inserts by default."""
    tool = plan.settings.get("cassandra-stress")
    stated = tool.get("ops") if isinstance(tool, dict) else None
    if stated is None:
        return {"insert": 1}
    usable = isinstance(stated, dict) and all(
        _WORD.fullmatch(str(name)) and isinstance(weight, int) and weight > 0 for name, weight in stated.items()
    )
    if not usable or not stated:
        raise ValueError(
            "settings: cassandra-stress.ops must give each operation of the profile a whole number as its weight"
        )
    return dict(stated)


def _amount(plan: RunPlan, clients: int) -> str:
    if plan.workload.operations is not None:
        return f"n={math.ceil(plan.workload.operations / clients)}"
    return f"duration={plan.workload.duration_seconds}s"


def _level(plan: RunPlan) -> list[str]:
    level = plan.workload.consistency_level
    return [f"cl={level.value}"] if level else []


def _columns(plan: RunPlan) -> list[str]:
    workload = plan.workload
    if workload.operation == "user" or (workload.columns is None and workload.value_bytes is None):
        return []
    words = ["-col"]
    if workload.columns is not None:
        words.append(f"n=FIXED({workload.columns})")
    if workload.value_bytes is not None:
        words.append(f"size=FIXED({workload.value_bytes})")
    return words


def _schema(plan: RunPlan) -> list[str]:
    if plan.workload.operation == "user":
        return []  # it is in the keyspace definition of the profile
    factor = plan.workload.replication_factor
    return ["-schema", f"replication(strategy=NetworkTopologyStrategy,{DATACENTER}={factor})"]


def _connection(version: str, addresses: Sequence[str]) -> list[str]:
    # Thrift was the default until 4.0 removed it
    mode = ["-mode", "native", "cql3"] if release(version) < (4,) else []
    return [*mode, "-node", ",".join(addresses)]
