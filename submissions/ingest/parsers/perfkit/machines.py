"""The cloud and the machines of a test, of the labels of its samples."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from datetime import datetime

from submissions.choices import ClientPlacement, Role
from submissions.ingest.document.readings import Facts, MachineReading
from submissions.ingest.parsers.numbers import whole
from submissions.ingest.parsers.perfkit.samples import Sample

# Groups of machines, by their name in the configuration of the tests.
_DATABASE = ("workers", "servers", "server", "primary", "secondary", "secondary_2", "master")
_CLIENT = ("clients", "client")
_DEFAULT = ""
# Tests of a service of the cloud: their only group of machines has the clients.
_OF_SERVICE = re.compile(r"(?:aws_|cloud_|managed_|jdbc_)\w+$")
_IS_ON_SERVER = "ycsb_client_on_server"
_ZONE = re.compile(r"(?P<region>[a-z]{2,20}(?:-[a-z]{2,20}){0,3}-?\d{1,2})-?[a-z0-9]$")
_SERVICES = {
    "aerospike": "aerospike",
    "aws_dynamodb": "dynamodb",
    "cassandra": "cassandra",
    "cloud_bigtable": "bigtable",
    "cloud_spanner": "spanner",
    "hbase": "hbase",
    "keydb": "keydb",
    "memcached": "memcached",
    "mongodb": "mongodb",
    "redis": "redis",
}
_MAX_ZONES = 20


def with_machines(facts: Facts, sample: Sample, started_at: datetime | None) -> Facts:
    """`facts`, and what the labels of a sample say of the system."""
    test, labels = sample.test, sample.labels
    machines = tuple(_machines(test, labels))
    prefixes = [f"{name}_" for name in (*_DATABASE, *_CLIENT)] + [""]
    clouds = [labels[key] for prefix in prefixes if (key := f"{prefix}cloud") in labels]
    zones = tuple(dict.fromkeys(labels[key] for prefix in prefixes if (key := f"{prefix}zone") in labels))
    regions = {found["region"] for zone in zones if (found := _ZONE.match(zone.lower()))}
    return replace(
        facts,
        service=_SERVICES.get(re.sub(r"_(?:ycsb|memtier)$", "", test.lower())),
        provider=clouds[0][:50] if len(set(clouds)) == 1 else None,
        region=regions.pop() if len(regions) == 1 else None,
        zones=zones[:_MAX_ZONES] or None,
        machines=machines or None,
        measured_at=started_at,
        client_placement=_placement(labels, machines),
        replication_factor=facts.replication_factor or whole(labels.get("replication_factor")) or None,
    )


def _machines(test: str, labels: Mapping[str, str]) -> Iterator[MachineReading]:
    for names, role in ((_DATABASE, Role.DATABASE), (_CLIENT, Role.CLIENT)):
        for name in names:
            if machine := _machine(f"{name}_", role, labels):
                yield machine
    role = Role.CLIENT if _OF_SERVICE.match(test) else Role.DATABASE
    if machine := _machine(_DEFAULT, role, labels):
        yield machine


def _machine(prefix: str, role: Role, labels: Mapping[str, str]) -> MachineReading | None:
    kind = labels.get(f"{prefix}machine_type")
    if not kind:
        return None
    count = whole(labels.get(f"{prefix}vm_count"))
    return MachineReading(role, kind[:100], count or None, whole(labels.get(f"{prefix}num_cpus")) or None)


def _placement(labels: Mapping[str, str], machines: tuple[MachineReading, ...]) -> ClientPlacement | None:
    if labels.get(_IS_ON_SERVER) == "True":
        return ClientPlacement.ON_DATABASE
    has_clients = any(machine.role == Role.CLIENT for machine in machines)
    return ClientPlacement.SEPARATE if has_clients else None
