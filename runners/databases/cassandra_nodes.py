"""The settings of a Cassandra node: addresses, seeds, racks, an evenly divided ring, the plan's overrides."""

import json
import re
import shlex
from collections.abc import Mapping, Sequence
from typing import Any

from runners.databases import cassandra_yaml, jvm_options
from runners.load_tools.base import Member, Traces
from runners.plan_schema.run_plan import RunPlan

DATACENTER = "dc1"
MAX_CONTACTS = 16  # the driver finds the other nodes; 288 addresses would make a command line unreadable
TOKENS = 16  # per node, the default since 4.0
MAX_SEEDS = 3
_RING = 2**64
_HOME = "dist/apache-cassandra-*"  # with conf/ for a node that was started, without for the load tool
TRACES = Traces(
    process="[o]rg.apache.cassandra.service.CassandraDaemon",
    unit="benchsite-cassandra.service",
    files=(
        *("log/stdout", "log/system.log", "log/hs_err*", f"{_HOME}/hs_err*", f"{_HOME}/logs/hs_err*"),
        *("log/gc.log*", f"{_HOME}/logs/gc.log*", "log/debug.log"),
        *(f"{_HOME}/conf/cassandra.yaml", f"{_HOME}/conf/cassandra-rackdc.properties", f"{_HOME}/conf/jvm*.options"),
        *("cassandra.env", "overrides.json"),
    ),
)
_HEAP = re.compile(r"([1-9]\d{0,5})([MG])")

# A stress profile's CQL is the user's own: it must not bring code. The names before and since 4.1
_USER_CODE = (
    *("enable_user_defined_functions", "enable_scripted_user_defined_functions"),
    *("user_defined_functions_enabled", "scripted_user_defined_functions_enabled"),
)


def refusal(settings: Mapping[str, Any]) -> str | None:
    """Why a node cannot have the settings of a plan, in one sentence; None when it can."""
    heap = settings.get("heap")
    if heap is not None and heap_mib(heap) is None:
        return 'settings: heap must be like "8G" or "384M"'
    return jvm_options.refusal(settings) or cassandra_yaml.refusal(settings)


def heap_mib(heap: object) -> int | None:
    """MiB of a heap such as "8G"; None when it is something else."""
    match = _HEAP.fullmatch(str(heap))
    return int(match[1]) * (1024 if match[2] == "G" else 1) if match else None


def overrides(plan: RunPlan, database: Sequence[Member], index: int) -> bytes:
    """overrides.json of a node for scripts/configure.py. Raises ValueError for settings that a plan may not change."""
    _check(plan)
    stated: Mapping[str, Any] = plan.settings.get(cassandra_yaml.KEY, {})
    member = database[index]
    seeds = [seed.address for seed in seeds_of(database)]
    count = stated.get(cassandra_yaml.TOKENS, TOKENS)
    ours = {
        "cluster_name": "benchsite",
        "listen_address": member.address,
        "rpc_address": member.address,
        "endpoint_snitch": "GossipingPropertyFileSnitch",
        "seed_provider": [
            {
                "class_name": "org.apache.cassandra.locator.SimpleSeedProvider",
                "parameters": [{"seeds": ",".join(seeds)}],
            }
        ],
        "num_tokens": count,
        "initial_token": tokens(index, len(database), count),
        "auto_bootstrap": False,
    }
    content = {
        "known": {"auto_snapshot": False, **dict.fromkeys(_USER_CODE, False)},
        "yaml": {**stated, **ours},
        "rackdc": {"dc": DATACENTER, "rack": member.zone or "rack1"},
    }
    return json.dumps(content, sort_keys=True, indent=1).encode()


def tokens(index: int, nodes: int, count: int) -> str:
    """The tokens of a node: those of the cluster divide the ring evenly, and neighbors belong to different nodes.

    So every node owns the same share in every run, all nodes can start at once, and consecutive nodes, which
    alternate between the zones, are replicas of each other.
    """
    step = _RING // (nodes * count)
    return ",".join(str((turn * nodes + index) * step - _RING // 2) for turn in range(count))


def seeds_of(database: Sequence[Member]) -> list[Member]:
    """One node per zone, at most three; without zones, the first three."""
    by_zone = {member.zone: member for member in reversed(database)}
    first = sorted(by_zone.values(), key=lambda member: member.index)
    rest = [member for member in database if member not in first]
    return sorted((first + rest)[:MAX_SEEDS], key=lambda member: member.index)


def contacts(addresses: Sequence[str]) -> list[str]:
    """Some addresses of the database, spread evenly over all nodes."""
    if len(addresses) <= MAX_CONTACTS:
        return list(addresses)
    return [addresses[index * len(addresses) // MAX_CONTACTS] for index in range(MAX_CONTACTS)]


def release(version: str) -> tuple[int, ...]:
    """4.0-alpha2 -> (4, 0); () if it is not a version."""
    match = re.match(r"\d+(?:\.\d+)*", version)
    return tuple(int(part) for part in match[0].split(".")) if match else ()


def environment(plan: RunPlan) -> bytes:
    """cassandra.env: heap and other JVM options; without a heap in the settings, Cassandra chooses it.

    Raises ValueError for what a plan may not set.
    """
    _check(plan)
    lines = []
    heap = plan.settings.get("heap")
    if heap is not None and (mebibytes := heap_mib(heap)):
        lines += [f"MAX_HEAP_SIZE={mebibytes}M", f"HEAP_NEWSIZE={max(1, mebibytes // 4)}M"]
    if options := plan.settings.get(jvm_options.KEY):
        lines.append(f"JVM_EXTRA_OPTS={shlex.quote(' '.join(options))}")
    return "".join(f"{line}\n" for line in lines).encode()


def java(plan: RunPlan, mirror: str | None) -> dict[str, str]:
    """Environment of prepare.sh: OpenJDK of the distribution, or the tarball of another vendor from the mirror."""
    vendor = plan.jdk.vendor if plan.jdk else None
    version = plan.jdk.version if plan.jdk else None
    if vendor in (None, "openjdk"):
        return {"JAVA_MAJOR": java_major(version) if version else _default_java(plan)}
    if not mirror:
        raise ValueError(
            f"the JDK of {vendor} needs JDK_MIRROR: without it, only OpenJDK of the distribution is available"
        )
    if not version or not re.fullmatch(r"[0-9A-Za-z._+-]+", version):
        raise ValueError(f"the JDK of {vendor} needs a version")
    return {"JAVA_URL": f"{mirror.rstrip('/')}/{vendor}/{vendor}-{version}.tar.gz"}


def java_major(version: str) -> str:
    """8u292 -> 8, 1.8.0 -> 8, 17.0.9 -> 17. Raises ValueError for anything else."""
    match = re.match(r"(?:1\.)?(\d{1,2})(?!\d)", version)
    if not match:
        raise ValueError(f"{version!r} is not a version of Java")
    return match[1]


def _default_java(plan: RunPlan) -> str:
    """The newest release of Java that the version of Cassandra supports."""
    major = release(plan.service.version or "")[:1]
    return "17" if major >= (5,) else "11" if major == (4,) else "8"


def _check(plan: RunPlan) -> None:
    if reason := refusal(plan.settings):
        raise ValueError(reason)
