"""What the jobs of every load tool are made of: hosts by role, disks, scripts, each client's share."""

import re
import shlex
from collections.abc import Mapping, Sequence
from importlib.resources import files

from runners.hosts.hosts import output_of
from runners.load_tools.base import Job, Member
from runners.plan_schema.run_plan import RunPlan
from submissions.choices import Raid, Role

_RELEASE = re.compile(r"\d{1,3}(\.\d{1,5}){0,3}(-[a-z0-9]{1,20})?")


def with_java(words: Sequence[str]) -> str:
    """The command with the Java that prepare.sh chose."""
    return f". ./host.env; export JAVA_HOME; exec {shlex.join(words)}"


def split(cluster: Sequence[Member]) -> tuple[list[Member], list[Member]]:
    """Database nodes and clients by index; without clients, the first database node is the client."""
    database = sorted((m for m in cluster if m.role == Role.DATABASE), key=lambda m: m.index)
    clients = sorted((m for m in cluster if m.role == Role.CLIENT), key=lambda m: m.index)
    return database, clients or database[:1]


def disk_variables(plan: RunPlan, member: Member) -> dict[str, str]:
    """Environment of prepare.sh: the disks of a database host. Raises ValueError when the cloud lists too few."""
    disks = plan.database.disks
    if not disks:
        return {}
    ordered = sum(disk.count for disk in disks)
    if len(member.disks) != ordered:
        raise ValueError(f"the cloud lists {len(member.disks)} of the {ordered} disks of {member.name}")
    return {
        "DISKS": " ".join(member.disks),
        "RAID": Raid.RAID0.value if is_striped(plan) else Raid.NONE.value,
        "FILESYSTEM": disks[0].filesystem or "xfs",
    }


def is_striped(plan: RunPlan) -> bool:
    return any(disk.raid == Raid.RAID0 for disk in plan.database.disks)


def data_folders(plan: RunPlan) -> int:
    """The number of folders that prepare.sh creates under data/."""
    return 1 if is_striped(plan) else max(1, sum(disk.count for disk in plan.database.disks))


def scripts(names: Sequence[str]) -> dict[str, bytes]:
    """The scripts as files of a host: {"bin/<name>": content}."""
    folder = files("runners.load_tools") / "scripts"
    return {f"bin/{name}": (folder / name).read_bytes() for name in names}


def folder_of(trial: int) -> str:
    return f"trials/{trial}"


def cassandra_release(plan: RunPlan) -> str:
    """The release of Cassandra that the plan names. Raises ValueError when it names none."""
    return checked_release(plan.service.version)


def checked_release(version: str | None) -> str:
    if not version or not _RELEASE.fullmatch(version):
        raise ValueError("service.version must be the Cassandra release to install, such as 5.0.4")
    return version


def clients_of(plan: RunPlan) -> int:
    return plan.client.count if plan.client else 1


def share_of_rate(ops_s: float, clients: int) -> int:
    """Of the rate of all clients together, what each is given: a whole number, which all load tools take."""
    return max(1, round(ops_s / clients))


def fixed_rate_ops_s(plan: RunPlan) -> float | None:
    """Of all clients together, as they were given it."""
    rate, clients = plan.workload.fixed_rate_ops_s, clients_of(plan)
    return float(share_of_rate(rate, clients) * clients) if rate else None


def job(
    name: str,
    commands: Mapping[str, str],
    expected_seconds: float,
    timeout_seconds: float,
    files: Mapping[str, Mapping[str, bytes]] | None = None,
) -> Job:
    return Job(name, commands, files or {}, expected_seconds, timeout_seconds, output_of(name))
