"""Command lines of latte for a plan: pure, each a list of words. A cycle is one request, of scripts/rows.rn."""

import math
from collections.abc import Sequence

from runners.databases.cassandra_nodes import DATACENTER
from runners.load_tools.job_parts import share_of_rate
from runners.plan_schema.run_plan import RunPlan
from submissions.choices import ConsistencyLevel

SCRIPT = "bin/rows.rn"
OPERATIONS = ("write", "read", "mixed")
DEFAULT_ROWS = 100_000
DEFAULT_THREADS = 100  # requests under way per client; latte's own default is 128
DEFAULT_COLUMNS, DEFAULT_VALUE_BYTES = 5, 34  # those of cassandra-stress
_MOST_WORKERS = 8
_LEAST_UNDER_WAY = 16  # of each worker, before there is another
_CYCLES_OF_CLIENT = 2**40  # the keys of a cycle follow from its number: each client and trial has its own numbers
_NOT_SUPPORTED = (ConsistencyLevel.SERIAL, ConsistencyLevel.LOCAL_SERIAL)


def check(plan: RunPlan) -> None:
    """Raises ValueError, in one sentence, for a load that latte cannot run."""
    workload = plan.workload
    if workload.operation not in OPERATIONS:
        raise ValueError(f"latte supports the operations {', '.join(OPERATIONS)}, not {workload.operation!r}")
    unsupported = ("profile", "scale") if workload.operation == "mixed" else ("profile", "scale", "read_share")
    if stated := [name for name in unsupported if getattr(workload, name) is not None]:
        raise ValueError(f"latte has no {', '.join(stated)} with {workload.operation}")
    if workload.consistency_level in _NOT_SUPPORTED:
        raise ValueError(f"latte does not support the consistency level {workload.consistency_level}")
    if workload.prefill == 0 and workload.operation != "write":
        raise ValueError("latte reads rows that exist: prefill must be at least 1")
    if columns(plan) * value_bytes(plan) > 10**7:
        raise ValueError("a row of more than 10 MB is too large for latte")


def schema(plan: RunPlan, contacts: Sequence[str]) -> list[str]:
    replication = _parameters(replicas=plan.workload.replication_factor, datacenter=f'"{DATACENTER}"')
    return ["schema", SCRIPT, *_of_rows(plan), *replication, *contacts]


def fill(plan: RunPlan, contacts: Sequence[str]) -> list[str]:
    """All rows, written to every replica by the first client alone: `latte load` has no part of the keys."""
    return ["load", SCRIPT, "--quiet", f"--consistency={ConsistencyLevel.ALL.value}", *_of_rows(plan), *contacts]


def trial(plan: RunPlan, trial: int, client: int, clients: int, contacts: Sequence[str], *, report: str) -> list[str]:
    """One client's measured part of a trial; `report`: the file that it writes."""
    workload = plan.workload
    workers = _workers(under_way(plan))
    if workload.operations is not None:
        amount = str(math.ceil(workload.operations / clients))
    else:
        amount = f"{workload.duration_seconds}s"
    level, rate = workload.consistency_level, workload.fixed_rate_ops_s
    return [
        "run",
        SCRIPT,
        "--quiet",
        f"--functions={_functions(plan)}",
        f"--duration={amount}",
        f"--threads={workers}",
        f"--concurrency={under_way(plan) // workers}",
        *([f"--rate={share_of_rate(rate, clients)}"] if rate else []),
        *([f"--consistency={level.value}"] if level else []),
        "--sampling=1s",
        f"--start-cycle={(trial * clients + client) * _CYCLES_OF_CLIENT}",
        f"--output={report}",
        *_of_rows(plan),
        *contacts,
    ]


def needs_fill(plan: RunPlan) -> bool:
    return plan.workload.operation != "write" or bool(plan.workload.prefill)


def rows(plan: RunPlan) -> int:
    """The keys of the load."""
    return plan.workload.prefill or DEFAULT_ROWS


def columns(plan: RunPlan) -> int:
    return plan.workload.columns or DEFAULT_COLUMNS


def value_bytes(plan: RunPlan) -> int:
    return plan.workload.value_bytes or DEFAULT_VALUE_BYTES


def under_way(plan: RunPlan) -> int:
    """The requests under way of a client: what other tools call threads."""
    return plan.workload.threads or DEFAULT_THREADS


def _workers(requests: int) -> int:
    """The threads of latte: as many as share the requests evenly, and leave each enough of them."""
    return max(
        (
            count
            for count in range(2, _MOST_WORKERS + 1)
            if requests % count == 0 and requests >= count * _LEAST_UNDER_WAY
        ),
        default=1,
    )


def _functions(plan: RunPlan) -> str:
    """read:0.9,write:0.1"""
    share = {"write": 0.0, "read": 1.0}.get(plan.workload.operation, plan.workload.read_share or 0.0)
    weights = {"read": share, "write": round(1 - share, 12)}
    return ",".join(f"{name}:{weight:.12g}" for name, weight in weights.items() if weight)


def _of_rows(plan: RunPlan) -> list[str]:
    return _parameters(rows=rows(plan), columns=columns(plan), bytes=value_bytes(plan))


def _parameters(**values: object) -> list[str]:
    return [word for name, value in values.items() for word in ("-P", f"{name}={value}")]
