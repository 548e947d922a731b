"""Command lines of YCSB on Cassandra for a plan: pure, each a list of words."""

import math
from collections.abc import Mapping, Sequence

from runners.databases.cassandra_nodes import DATACENTER
from runners.load_tools.job_parts import share_of_rate
from runners.plan_schema.run_plan import RunPlan
from submissions.choices import ConsistencyLevel

KEY = "ycsb"  # in the plan's settings
DEFAULT_ROWS = 100_000  # of 1,000 bytes each; YCSB's own 1,000 rows are read from memory alone
DEFAULT_THREADS = 100  # per client; YCSB's own default is one
DEFAULT_COLUMNS, DEFAULT_VALUE_BYTES = 10, 100  # YCSB's own
DEFAULT_LEVEL = ConsistencyLevel.QUORUM  # that of YCSB's own binding
TABLE = "usertable"
BINDING = "benchsite.CassandraBinding"
_MOST = 2**31 - 1  # YCSB counts operations of a client in an int
WARM_UP_READS = 10_000  # of the binding's own connection, before YCSB's clock starts; five seconds at most
_ATTEMPTS = 10  # to insert a row before the first trial

_MIXES: Mapping[str, Mapping[str, float]] = {
    "workloada": {"read": 0.5, "update": 0.5},
    "workloadb": {"read": 0.95, "update": 0.05},
    "workloadc": {"read": 1.0},
    "workloadd": {"read": 0.95, "insert": 0.05},
    "workloadf": {"read": 0.5, "readmodifywrite": 0.5},
}
OPERATIONS = (*_MIXES, "mixed")
_PROPORTIONS = ("read", "update", "insert", "scan", "readmodifywrite")
# The name that YCSB measures each under; a read-modify-write is measured as its read and its update, too
_MEASURED = {
    "read": ("READ",),
    "update": ("UPDATE",),
    "insert": ("INSERT",),
    "readmodifywrite": ("READ", "UPDATE", "READ-MODIFY-WRITE"),
}
_DISTRIBUTIONS = ("uniform", "zipfian", "latest")
_FLAGS = ("readallfields", "writeallfields")
_ONE_SIDED = (ConsistencyLevel.ANY, ConsistencyLevel.SERIAL, ConsistencyLevel.LOCAL_SERIAL)


def check(plan: RunPlan) -> None:
    """Raises ValueError, in one sentence, for a load that YCSB cannot run."""
    workload = plan.workload
    if workload.operation not in OPERATIONS:
        raise ValueError(f"YCSB supports the operations {', '.join(OPERATIONS)}, not {workload.operation!r}")
    unsupported = ("profile", "scale") if workload.operation == "mixed" else ("profile", "scale", "read_share")
    if stated := [name for name in unsupported if getattr(workload, name) is not None]:
        raise ValueError(f"YCSB has no {', '.join(stated)} with {workload.operation}")
    if (level := workload.consistency_level) in _ONE_SIDED:
        raise ValueError(f"YCSB reads and writes at the same consistency level, and {level} is not for both")
    if workload.prefill == 0:
        raise ValueError("YCSB reads and updates rows: prefill must be at least 1")
    for name in ("prefill", "operations"):
        if (getattr(workload, name) or 0) > _MOST:
            raise ValueError(f"YCSB supports at most {_MOST:,} {name}")
    if (workload.columns or 0) * (workload.value_bytes or 0) > 10**7:
        raise ValueError("a row of more than 10 MB is too large for YCSB")
    _chosen(plan)


def schema(plan: RunPlan, contacts: Sequence[str]) -> list[str]:
    """The arguments of the binding's own program, which creates keyspace and table."""
    workload = plan.workload
    columns = workload.columns or DEFAULT_COLUMNS
    return [",".join(contacts), str(workload.replication_factor), DATACENTER, TABLE, str(columns)]


def rows(plan: RunPlan, clients: int) -> int:
    """The rows before the first trial: equally many from each client."""
    return _share_of_rows(plan, clients) * clients


def fill(plan: RunPlan, client: int, clients: int, contacts: Sequence[str]) -> list[str]:
    """The number of rows to write, and one client's part of the load phase, written to every replica."""
    share = _share_of_rows(plan, clients)
    properties = {
        **_of_rows(plan, clients),
        "insertstart": client * share,
        "insertcount": share,
        "core_workload_insertion_retry_limit": _ATTEMPTS,
        **_access(contacts, ConsistencyLevel.ALL),
    }
    return [str(share), "-load", "-s", *_client(plan), *_words(properties)]


def trial(plan: RunPlan, client: int, clients: int, contacts: Sequence[str], *, folder: str) -> list[str]:
    """One client's measured part of a trial; `folder`: of its histograms.

    At a fixed rate YCSB also measures from when each operation was due, and the log and the histograms have both.
    """
    workload = plan.workload
    rate = workload.fixed_rate_ops_s
    mix = mix_of(plan)
    properties: dict[str, object] = {
        **_of_rows(plan, clients),
        **{f"{name}proportion": f"{mix.get(name, 0):.12g}" for name in _PROPORTIONS},
        "requestdistribution": "latest" if workload.operation == "workloadd" else "zipfian",
        **_chosen(plan),
    }
    if workload.operations is not None:
        properties["operationcount"] = math.ceil(workload.operations / clients)
    else:
        properties |= {"operationcount": _MOST, "maxexecutiontime": workload.duration_seconds}
    properties |= {
        "status.interval": 1,
        "measurementtype": "hdrhistogram",
        "measurement.interval": "both" if rate else "op",
        "hdrhistogram.percentiles": "50,95,99,99.9",
        "hdrhistogram.fileoutput": "true",
        "hdrhistogram.output.path": f"{folder}/",
        "warmupreads": WARM_UP_READS,
        **_access(contacts, workload.consistency_level or DEFAULT_LEVEL),
    }
    target = ["-target", str(share_of_rate(rate, clients))] if rate else []
    return ["-t", "-s", *_client(plan), *target, *_words(properties)]


def measured_names(plan: RunPlan) -> list[str]:
    """What YCSB measures, which names its histogram files."""
    names = dict.fromkeys(name for part in mix_of(plan) for name in _MEASURED[part])
    return [*names, *(f"Intended-{name}" for name in names if plan.workload.fixed_rate_ops_s)]


def mix_of(plan: RunPlan) -> dict[str, float]:
    """The share of each operation that the plan has."""
    share = plan.workload.read_share or 0.0
    mix = _MIXES.get(plan.workload.operation, {"read": share, "update": round(1 - share, 12)})
    return {name: part for name, part in mix.items() if part}


def _client(plan: RunPlan) -> list[str]:
    return ["-db", BINDING, "-threads", str(plan.workload.threads or DEFAULT_THREADS)]


def _share_of_rows(plan: RunPlan, clients: int) -> int:
    return math.ceil((plan.workload.prefill or DEFAULT_ROWS) / clients)


def _of_rows(plan: RunPlan, clients: int) -> dict[str, object]:
    return {
        "workload": "site.ycsb.workloads.CoreWorkload",
        "table": TABLE,
        "recordcount": rows(plan, clients),
        "fieldcount": plan.workload.columns or DEFAULT_COLUMNS,
        "fieldlength": plan.workload.value_bytes or DEFAULT_VALUE_BYTES,
    }


def _access(contacts: Sequence[str], level: ConsistencyLevel) -> dict[str, object]:
    return {
        "cassandra.readconsistencylevel": level.value,
        "cassandra.writeconsistencylevel": level.value,
        "hosts": ",".join(contacts),
    }


def _chosen(plan: RunPlan) -> dict[str, object]:
    """settings["ycsb"]: the properties of the workload that a plan may choose. Raises ValueError for any other."""
    stated = plan.settings.get(KEY, {})
    if not isinstance(stated, Mapping):
        raise ValueError(f"settings: {KEY} must be an object of properties")
    for name, value in stated.items():
        if name == "requestdistribution" and value in _DISTRIBUTIONS:
            continue
        if name in _FLAGS and isinstance(value, bool):
            continue
        raise ValueError(
            f"settings: {KEY} may have requestdistribution ({', '.join(_DISTRIBUTIONS)}), readallfields and "
            "writeallfields (true or false)"
        )
    return {name: str(value).lower() for name, value in sorted(stated.items())}


def _words(properties: Mapping[str, object]) -> list[str]:
    return [word for name, value in properties.items() for word in ("-p", f"{name}={value}")]
