"""Invented submission documents: plausible figures that obey the laws real ones obey, the same for a seed."""

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from random import Random
from typing import Any

from tools.synthetic.catalogue import (
    CLOUD_WEIGHTS,
    CLOUDS,
    CONSISTENCY_LEVELS,
    CONSISTENCY_WEIGHTS,
    JDKS,
    PROFILE_WEIGHTS,
    PROFILES,
    SOFTWARE,
    THREADS,
    Cloud,
    Machine,
    Profile,
    Software,
)

SOURCE = "make_dataset"
LAST_DAY = datetime(2026, 6, 30, tzinfo=UTC)  # fixed: a dataset does not depend on the day it is made

CLIENT_OPS_S = 90_000.0  # what one client machine can ask for
NETWORK_MS = 0.35  # an answer takes at least this long
OPEN_LOOP_SHARE = 0.06

# How often a submission has what the plausibility checks look for
SHORT, NOISY_LATENCY, WRONG_RATE, FAILING = 0.02, 0.01, 0.01, 0.015
MIXED_CPUS = 0.18  # of the clusters on a type that comes with two CPU models


@dataclass(frozen=True, slots=True)
class Setup:
    """The choices behind one document; the figures follow from them."""

    index: int
    seed: int
    cloud: Cloud
    region: tuple[str | None, Decimal]
    machine: Machine
    software: Software
    version: str
    jdk: tuple[str, str, float, int] | None
    node_count: int
    client_count: int
    profile: Profile
    tool: str
    consistency_level: str | None
    replication_factor: int
    threads: int
    is_open_loop: bool
    trials: int
    measured_at: datetime


def document(index: int, *, seed: int) -> dict[str, Any]:
    """The submission document number `index` of a seed: JSON values only.

    It depends on these two numbers alone, not on the size of the dataset.
    """
    random = Random(f"{seed}:{index}")  # noqa: S311 (nothing here is a secret)
    setup = _choose(random, index, seed)
    body = _cluster(setup, random)
    body["workload"] = _workload(setup)
    body["trials"] = _trials(setup, random)
    if setup.is_open_loop:
        # the rate that was asked for: what the system kept up with, in round numbers
        body["workload"]["fixed_rate_ops_s"] = float(round(body["trials"][0]["throughput_ops_s"], -2))
    return body


def _choose(random: Random, index: int, seed: int) -> Setup:
    cloud = random.choices(CLOUDS, CLOUD_WEIGHTS)[0]
    machine = random.choice(cloud.machines)
    software = random.choices(SOFTWARE, [software.share for software in SOFTWARE])[0]
    first_year = max(machine.since, software.versions[0][0])
    measured_at = _moment(random, first_year)
    age = [jdk for jdk in JDKS if jdk[3] <= measured_at.year]
    versions = [version for year, version in software.versions if year <= measured_at.year]
    node_count = random.choice(software.node_counts)
    profile = random.choices(PROFILES, PROFILE_WEIGHTS)[0]
    level = random.choices(CONSISTENCY_LEVELS, CONSISTENCY_WEIGHTS)[0]
    return Setup(
        index=index,
        seed=seed,
        cloud=cloud,
        region=random.choice(cloud.regions),
        machine=machine,
        software=software,
        version=random.choice(versions[-3:]),
        jdk=random.choice(age[-4:]) if software.is_on_jvm else None,
        node_count=node_count,
        client_count=max(1, round(node_count / random.choice((2, 3, 4)))),
        profile=profile,
        tool=random.choice(software.tools),
        consistency_level=level if software.has_consistency_levels else None,
        replication_factor=3 if node_count >= 3 and random.random() < 0.85 else 1,
        threads=random.choice(THREADS),
        is_open_loop=random.random() < OPEN_LOOP_SHARE,
        trials=random.choices((1, 2, 3, 4, 5), (40, 10, 30, 5, 15))[0],
        measured_at=measured_at,
    )


def _moment(random: Random, first_year: int) -> datetime:
    first = datetime(first_year, 1, 1, tzinfo=UTC)
    minutes = int((LAST_DAY - first).total_seconds() // 60)
    return first + timedelta(minutes=random.randrange(minutes))


def _cluster(setup: Setup, random: Random) -> dict[str, Any]:
    machine, software = setup.machine, setup.software
    region = setup.region[0]
    body: dict[str, Any] = {
        "service": {"name": software.name, "version": setup.version},
        "measured_at": _iso(setup.measured_at),
        "title": f"Synthetic: {software.name} {setup.version} on {setup.node_count} x {machine.name}",
        "notes": f"Made by make_dataset, number {setup.index} of seed {setup.seed}: "
        "invented figures, nothing was measured.",
        "source": SOURCE,
        "provider": setup.cloud.provider,
        "nodes": _groups(setup, random),
        "network": {"kind": "native", "encryption": "none"},
    }
    if region:
        body["region"] = region
        body["zones"] = [f"{region}{letter}" for letter in "abc"[: min(3, setup.node_count)]]
    if setup.jdk:
        body["jdk"] = {"vendor": setup.jdk[0], "version": setup.jdk[1]}
    return body


def _groups(setup: Setup, random: Random) -> list[dict[str, Any]]:
    machine = setup.machine
    kind, count, size_gib = machine.disk
    group: dict[str, Any] = {
        "role": "database",
        "count": setup.node_count,
        "instance_type": machine.name,
        "cpu_model": machine.cpu_models[0],
        "vcpus": machine.vcpus,
        "memory_gib": machine.memory_gib,
        "disks": [
            {
                "kind": kind,
                "count": count,
                "size_gib": size_gib,
                "raid": "raid0" if count > 1 else "none",
                "filesystem": random.choice(("xfs", "ext4")),
            }
        ],
    }
    pricing_model, discount = random.choices(
        (("on_demand", "1"), ("spot", "0.34"), ("reserved_1y", "0.63"), ("reserved_3y", "0.43")), (82, 8, 7, 3)
    )[0]
    group["pricing_model"] = pricing_model
    if machine.usd and random.random() < 0.92:
        usd = Decimal(machine.usd) * setup.region[1] * Decimal(discount)
        group["hourly_usd"] = f"{usd:.4f}"
    groups = [group]
    if setup.node_count > 1 and len(machine.cpu_models) > 1 and random.random() < MIXED_CPUS:
        few = setup.node_count // 3 or 1
        other = {**group, "count": few, "cpu_model": machine.cpu_models[1]}
        groups = [{**group, "count": setup.node_count - few}, other]
    client = {"role": "client", "count": setup.client_count, "instance_type": random.choice(setup.cloud.clients)}
    return [*groups, client]


def _workload(setup: Setup) -> dict[str, Any]:
    profile = setup.profile
    columns, value_bytes, _ = profile.size
    workload = {
        "tool": setup.tool,
        "operations": dict(profile.mix[0]),
        "replication_factor": setup.replication_factor,
        "columns": columns,
        "value_bytes": value_bytes,
        "key_count": profile.key_count,
        "key_distribution": profile.key_distribution,
        "threads": setup.threads,
        "requested_duration_s": profile.duration_s,
    }
    if setup.consistency_level:
        workload["consistency_level"] = setup.consistency_level
    return workload


def _trials(setup: Setup, random: Random) -> list[dict[str, Any]]:
    planned_s = 45.0 if random.random() < SHORT else setup.profile.duration_s
    fails = random.random() < FAILING
    base = _throughput(setup) * random.lognormvariate(0, 0.1)  # what the choices do not explain
    knows_latency = random.random() < 0.92
    knows_tail = random.random() < 0.85
    error_in_latency = 3.0 if random.random() < NOISY_LATENCY else 1.0
    error_in_rate = 1.12 if random.random() < WRONG_RATE else 1.0
    started_at = setup.measured_at
    trials = []
    for _ in range(setup.trials):
        duration_s = round(planned_s * random.uniform(1.0, 1.02), 1)
        rate = base * max(0.5, random.gauss(1, setup.cloud.noise))
        operations = int(rate * duration_s)
        throughput = round(operations / duration_s, 1)
        trial: dict[str, Any] = {
            "throughput_ops_s": throughput,
            "operations": round(operations * error_in_rate),
            "errors": _errors(random, operations, fails=fails),
            "duration_s": duration_s,
            "started_at": _iso(started_at),
            "client_count": setup.client_count,
        }
        if knows_latency:
            trial["latency_kind"] = "response_time" if setup.is_open_loop else "service_time"
            mean = _mean_latency_ms(setup, throughput, random) * error_in_latency
            trial["latency_ms"] = _latency(mean, random, knows_tail=knows_tail)
        trials.append(trial)
        started_at += timedelta(seconds=int(duration_s) + 300)
    return trials


def _throughput(setup: Setup) -> float:
    """Operations a second of the whole cluster: capacity and round trips in series."""
    machine = setup.machine
    node = (
        setup.software.ops_per_vcpu
        * machine.vcpus**0.92
        * machine.speed
        / (setup.profile.mix[1] * setup.profile.size[2])
    )
    if setup.jdk:
        node *= setup.jdk[2]
    if machine.disk[0] not in ("local-ssd", "nvme"):
        node *= 0.82  # network disks wait longer
    copies = setup.replication_factor**0.8
    agreement = 1.15 if setup.consistency_level in ("QUORUM", "LOCAL_QUORUM") else 1.0
    servers = node * setup.node_count**0.97 / copies / agreement
    clients = CLIENT_OPS_S * setup.client_count
    round_trips = setup.threads * setup.client_count / (NETWORK_MS / 1000)
    return float(1 / (1 / servers + 1 / clients + 1 / round_trips))


def _mean_latency_ms(setup: Setup, throughput: float, random: Random) -> float:
    """By Little's law for a closed loop; a client spends a part of each cycle on its own work."""
    cycle_ms = setup.threads * setup.client_count / throughput * 1000
    if setup.is_open_loop:
        return cycle_ms * random.uniform(0.6, 0.9)
    return cycle_ms * random.uniform(0.88, 0.99)


def _latency(mean: float, random: Random, *, knows_tail: bool) -> dict[str, float]:
    """A skewed distribution about its mean, in order by construction."""
    p50 = mean * random.uniform(0.62, 0.85)
    p95 = mean * random.uniform(1.8, 2.6)
    p99 = p95 * random.uniform(1.3, 2.4)
    p999 = p99 * random.uniform(1.5, 4.0)
    known = {"mean": mean, "p50": p50, "p95": p95, "p99": p99}
    if knows_tail:
        known |= {"p999": p999, "max": p999 * random.uniform(1.4, 9.0)}
    return {name: round(value, 3) for name, value in known.items()}


def _errors(random: Random, operations: int, *, fails: bool) -> int:
    if fails:
        return int(operations * random.uniform(0.002, 0.02))
    return random.choice((0, 0, 0, 0, 1, 3)) if operations > 100_000 else 0


def _iso(moment: datetime) -> str:
    return moment.strftime("%Y-%m-%dT%H:%M:%SZ")
