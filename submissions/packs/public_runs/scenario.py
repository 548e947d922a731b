"""The publisher's description of a run, scenario.json, as the facts of an upload; what the log knows is left to it."""

from collections.abc import Mapping, Sequence
from decimal import Decimal
from itertools import chain
from typing import Any

from submissions.choices import NodeKind, Role
from submissions.formatting.text import join_and, plural
from submissions.packs.public_runs.archives import PackedResult
from submissions.pricing.cost import HOURS_PER_MONTH

Facts = dict[str, Any]

_ATLAS_NODES_OF_SHARD = 3  # Atlas runs each shard as a replica set of three; the logs name as many hosts
# The scenarios of the largest clusters repeat the price of the medium ones: theirs is unknown.
_SIZES_WITH_PRICE_OF_OTHERS = frozenset({"M200_NVME", "i4i.8xlarge"})
# Instance stores, on which the databases kept their data: (disks, GiB of each)
_INSTANCE_STORES = {
    "i3.xlarge": (1, 884.8),
    "i3.2xlarge": (1, 1769.5),
    "i3.4xlarge": (2, 1769.5),
    "i4g.4xlarge": (1, 3492.5),
}
_EDITIONS = {"ENTERPRISE": "Enterprise edition: the cost is that of the machines, without its license."}


def metadata_of(result: PackedResult, scenarios: Sequence[Mapping[str, Any]]) -> Facts:
    """The facts of a result, of which the scenarios describe the trials.

    They differ in the load alone, but for what the notes say: the zone that a trial had, and machines of the clients.
    """
    deployment = scenarios[0]["dbmsDeployment"]
    cluster = _managed(deployment) if "DBAAS" in deployment else _rented(deployment["DBMS"]["dataNodes"])
    version = cluster.pop("version", None) or deployment["version"]
    clients, about_clients = _clients_of_most(scenarios)
    about_zones = ""
    if cluster.get("zones") and len(of_runs := {tuple(_zones(scenario)) for scenario in scenarios}) > 1:
        cluster["zones"] = []
        about_zones = f"The runs were in different zones: {join_and(sorted(set(chain(*of_runs))))}."
    folders = [trial.folder for trial in result.trials]
    about = plural(len(folders), "run")
    license = _EDITIONS.get(deployment.get("license", ""))
    return {
        **cluster,
        "service": {"name": deployment["dbmsType"].lower(), "version": version},
        "nodes": [*cluster["nodes"], clients],
        "notes": " ".join(filter(None, (*cluster.pop("notes"), license, about_clients, about_zones))),
        "source": f"{result.source.publisher}, {result.source.name} at {result.source.commit}: {about}"[:500],
        "source_url": result.source.url_of(folders[0]),
    }


def _rented(data: Mapping[str, Any]) -> Facts:
    machine = data["resource"]["ec2Vm"]
    return {
        "provider": "aws",
        "region": machine["regionName"],
        "zones": machine.get("zones", []),
        "nodes": [{"role": Role.DATABASE.value, "count": data["numberOfNodes"], **_machine(machine)}],
        "workload": {"replication_factor": data["replicationFactor"]},
        "jdk": _jdk(data.get("cassandraConfiguration", {})),
        "settings": {
            name: content
            for name, content in data.items()
            if name not in ("numberOfNodes", "replicationFactor", "resource")
        },
        "notes": (),
    }


def _jdk(configuration: Mapping[str, Any]) -> Facts | None:
    java = configuration.get("cassandraServerConfiguration", {}).get("javaConfig")
    return {"version": str(java["version"])} if java else None


def _machine(machine: Mapping[str, Any]) -> Facts:
    disks = [{"kind": machine["volumeType"].lower(), "size_gib": machine["volumeSize"]}]
    if store := _INSTANCE_STORES.get(machine["instanceType"]):
        disks.append({"kind": "nvme", "count": store[0], "size_gib": store[1]})
    return {"instance_type": machine["instanceType"], "disks": disks}


def _zones(scenario: Mapping[str, Any]) -> Sequence[str]:
    zones: Sequence[str] = scenario["dbmsDeployment"]["DBMS"]["dataNodes"]["resource"]["ec2Vm"].get("zones", [])
    return zones


def _threads(scenario: Mapping[str, Any]) -> int:
    return int(scenario["benchmark"]["ycsb"]["workload"]["threadCount"])


def _clients_of_most(scenarios: Sequence[Mapping[str, Any]]) -> tuple[Facts, str]:
    """The clients that most of the runs had, and a sentence about those of the others; of two as often the later."""
    groups = [_clients(scenario) for scenario in scenarios]
    most = max(reversed(groups), key=groups.count)
    others = [
        f"{group['count']}x {group['instance_type']} at {_threads(scenario)} threads"
        for group, scenario in zip(groups, scenarios, strict=True)
        if group != most
    ]
    return most, f"The clients were {join_and(others)}." if others else ""


def _clients(scenario: Mapping[str, Any]) -> Facts:
    nodes = scenario["benchmarkDeployment"]["benchmarkNodes"]
    return {"role": Role.CLIENT.value, "count": nodes["numberOfNodes"], **_machine(nodes["resource"]["ec2Vm"])}


def _managed(deployment: Mapping[str, Any]) -> Facts:
    service = deployment["DBAAS"]
    costs = Decimal(str(service["costs"]["vmCosts"])) + Decimal(str(service["costs"]["storageCosts"]))
    if "mongodbAtlasInstance" in service:
        return _atlas(service["mongodbAtlasInstance"], costs)
    return _scylladb_cloud(service["scylladbinstance"], costs)


def _atlas(atlas: Mapping[str, Any], usd_per_month: Decimal) -> Facts:
    size = atlas["providerSettings"]
    shards = atlas["numShards"]
    return {
        "provider": "mongodb-atlas",
        "region": size["regionName"].lower().replace("_", "-"),
        "nodes": [_service_nodes(size["instanceSizeName"], shards * _ATLAS_NODES_OF_SHARD, usd_per_month)],
        "settings": {"cloud": size["providerName"].lower(), "shards": shards, **_stated(atlas)},
        "notes": (
            f"MongoDB Atlas on {size['providerName']}: {plural(shards, 'shard')},"
            f" each a replica set of {_ATLAS_NODES_OF_SHARD} nodes.",
            _about_price(size["instanceSizeName"], usd_per_month),
        ),
    }


def _scylladb_cloud(cloud: Mapping[str, Any], usd_per_month: Decimal) -> Facts:
    return {
        "version": cloud["scyllaVersion"],
        "provider": "scylladb-cloud",
        "region": cloud["region"],
        "nodes": [_service_nodes(cloud["instanceFlavor"], cloud["numberOfNodes"], usd_per_month)],
        "workload": {"replication_factor": cloud["replicationFactor"]},
        "settings": {"cloud": cloud["cloudProvider"].lower(), **_stated(cloud)},
        "notes": (f"ScyllaDB Cloud on {cloud['cloudProvider']}.", _about_price(cloud["instanceFlavor"], usd_per_month)),
    }


def _stated(service: Mapping[str, Any]) -> Facts:
    return {name: content for name, content in service.items() if name != "password"}


def _service_nodes(size: str, count: int, usd_per_month: Decimal) -> Facts:
    group: Facts = {
        "role": Role.DATABASE.value,
        "kind": NodeKind.MANAGED.value,
        "count": count,
        "instance_type": size,
    }
    if size in _SIZES_WITH_PRICE_OF_OTHERS:
        return group
    hourly = (usd_per_month / HOURS_PER_MONTH / count).quantize(Decimal("1e-8"))
    return {**group, "hourly_usd": str(hourly), "price_source": f"scenario.json: USD {usd_per_month:,.2f} a month"}


def _about_price(size: str, usd_per_month: Decimal) -> str:
    if size in _SIZES_WITH_PRICE_OF_OTHERS:
        return "Its price is unknown: scenario.json repeats the price of a smaller cluster."
    return f"The publisher's scenario.json states USD {usd_per_month:,.2f} a month for the whole cluster."
