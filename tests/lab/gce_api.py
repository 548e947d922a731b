"""The methods of Compute Engine that the lab answers, by their ids in the API's description."""

import re
import uuid
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from tests.lab import gce_catalogue as catalogue
from tests.lab.gce_checks import refuse_wrong_instance
from tests.lab.gce_errors import GceError, OperationFailed, exists, invalid, not_found, quota, stockout
from tests.lab.gce_filter import BadFilter, select
from tests.lab.gce_project import Project, is_name

Path = Mapping[str, str]
Query = Mapping[str, str]
Body = dict[str, Any]
MAX_RESULTS = 500


class Api:
    def __init__(self, project: Project) -> None:
        self.project = project
        self.quotas: dict[str, float] = dict(catalogue.QUOTAS)
        self.quota_in_operation = True  # False: the request itself is refused; the real API does both
        self.methods: dict[str, Callable[[Path, Query, Body], Body]] = {
            "disks.aggregatedList": lambda p, q, _: self.by_zone(p, q, "disks", "disk", self._all_disks()),
            "disks.delete": self._delete_disk,
            "disks.get": self._get_disk,
            "disks.list": lambda p, q, _: self._page(q, "disk", self._all_disks(p["zone"])),
            "firewalls.delete": self._delete_firewall,
            "firewalls.get": self._get_firewall,
            "firewalls.insert": self._insert_firewall,
            "firewalls.list": lambda p, q, _: self._page(q, "firewall", list(self.project.firewalls.values())),
            "globalOperations.aggregatedList": self._aggregated_operations,
            "globalOperations.get": lambda p, q, _: self._operation(p, "global"),
            "globalOperations.list": lambda p, q, _: self._page(q, "operation", self._operations("global")),
            "globalOperations.wait": lambda p, q, _: self._operation(p, "global"),
            "images.get": lambda p, q, _: self._image(p["image"]),
            "images.getFromFamily": lambda p, q, _: self._image(p["family"]),
            "instances.aggregatedList": self._aggregated_instances,
            "instances.bulkInsert": lambda p, q, b: self._bulk_insert(p, b, [p["zone"]]),
            "instances.delete": self._delete_instance,
            "instances.get": self._get_instance,
            "instances.getSerialPortOutput": self._console,
            "instances.insert": self._insert_instance,
            "instances.list": lambda p, q, _: self._page(q, "instance", self._instances(p["zone"])),
            "machineTypes.aggregatedList": lambda p, q, _: self.by_zone(
                p, q, "machineTypes", "machineType", catalogue.all_machine_types(p["project"])
            ),
            "machineTypes.get": self._machine_type,
            "machineTypes.list": self._machine_types,
            "networks.get": lambda p, q, _: self._network(p),
            "regionInstances.bulkInsert": lambda p, q, b: self._bulk_insert(p, b, _zones_of(p["region"], b)),
            "regionOperations.get": lambda p, q, _: self._operation(p, f"regions/{p['region']}"),
            "regionOperations.wait": lambda p, q, _: self._operation(p, f"regions/{p['region']}"),
            "regions.get": self._region,
            "regions.list": self._regions,
            "zoneOperations.get": lambda p, q, _: self._operation(p, f"zones/{p['zone']}"),
            "zoneOperations.list": lambda p, q, _: self._page(q, "operation", self._operations(f"zones/{p['zone']}")),
            "zoneOperations.wait": lambda p, q, _: self._operation(p, f"zones/{p['zone']}"),
            "zones.get": lambda p, q, _: catalogue.zone(p["project"], p["zone"]),
            "zones.list": self._zones,
        }

    def answer(self, method: str, path: Path, query: Query, body: Body) -> Body:
        """Raises GceError."""
        if method not in self.methods:
            raise GceError(501, "notImplemented", f"the lab does not answer compute.{method}")
        if "zone" in path and path["zone"] not in catalogue.ZONES:
            raise invalid("zone", path["zone"], "Unknown zone.")
        if "region" in path and path["region"] not in catalogue.REGIONS:
            raise invalid("region", path["region"], "Unknown region.")
        return self.methods[method](path, query, body)

    # Instances

    def _insert_instance(self, path: Path, query: Query, body: Body) -> Body:
        project, zone = path["project"], path["zone"]
        refuse_wrong_instance(project, zone, body, is_bulk=False)
        target = f"projects/{project}/zones/{zone}/instances/{body['name']}"
        if (zone, body["name"]) in self.project.machines:
            raise exists(target)
        failure = self._failure(project, zone)
        if failure is None and not self.project.faults.take_capacity(zone, 1, 1):
            failure = stockout(project, zone)
        if failure is None:
            self.project.add(project, zone, body)
        return self.project.operations.start(project, f"zones/{zone}", "insert", target, failure=failure)

    def _bulk_insert(self, path: Path, body: Body, zones: Sequence[str]) -> Body:
        """All in the first zone that has them, as the policy ANY_SINGLE_ZONE and a zonal request do."""
        project = path["project"]
        names = self._bulk_names(body, zones)
        bodies = [{**body["instanceProperties"], "name": name} for name in names]
        for one in bodies:
            refuse_wrong_instance(project, zones[0], one, is_bulk=True)
        count, least, group = len(names), int(body.get("minCount", len(names))), str(uuid.uuid4())
        failure, zone = self._failure(project, zones[0]), zones[0]
        if failure is None:
            given, zone = self._where(zones, least, count)
            if given:
                for one in bodies[:given]:
                    self.project.add(project, zone, one)
                    target = f"projects/{project}/zones/{zone}/instances/{one['name']}"
                    self.project.operations.start(project, f"zones/{zone}", "insert", target, group=group)
            else:
                text = f"Requested minimum count of {least} VMs could not be created."
                failure = stockout(project, zone, ("VM_MIN_COUNT_NOT_REACHED", text))
        scope = f"zones/{path['zone']}" if "zone" in path else f"regions/{path['region']}"
        target = f"projects/{project}/{scope}"
        return self.project.operations.start(project, scope, "bulkInsert", target, failure=failure, group=group)

    def _where(self, zones: Sequence[str], least: int, count: int) -> tuple[int, str]:
        for zone in zones:
            if given := self.project.faults.take_capacity(zone, least, count):
                return given, zone
        return 0, zones[0]

    def _bulk_names(self, body: Body, zones: Sequence[str]) -> list[str]:
        count = int(body["count"])
        names = sorted(body.get("perInstanceProperties", {}))  # a map: its order means nothing
        pattern = body.get("namePattern", "")
        if names and len(names) != count:
            raise invalid("resource.perInstanceProperties", "", f"{len(names)} names for {count} instances.")
        if not names and "#" not in pattern:
            raise invalid("resource.namePattern", pattern, "A name pattern or names of the instances are needed.")
        names = names or [
            re.sub("#+", lambda hole, n=n: str(n).zfill(len(hole[0])), pattern) for n in range(1, count + 1)
        ]
        for name in names:
            for zone in zones:
                if (zone, name) in self.project.machines:
                    raise exists(f"projects/lab/zones/{zone}/instances/{name}")
        return names

    def _failure(self, project: str, zone: str) -> OperationFailed | None:
        if not self.project.faults.strikes("quota"):
            return None
        failure = quota(zone.rsplit("-", 1)[0])
        if not self.quota_in_operation:
            raise GceError(403, "quotaExceeded", failure.errors[0]["message"], "usageLimits")
        return failure

    def _get_instance(self, path: Path, query: Query, body: Body) -> Body:
        try:
            return self.project.visible((path["zone"], path["instance"])).body
        except KeyError:
            raise not_found(f"projects/{path['project']}/zones/{path['zone']}/instances/{path['instance']}") from None

    def _delete_instance(self, path: Path, query: Query, body: Body) -> Body:
        self._get_instance(path, query, body)
        target = f"projects/{path['project']}/zones/{path['zone']}/instances/{path['instance']}"
        if self.project.faults.strikes("terminate"):
            text = f"The resource '{target}' is not ready"
            raise GceError(400, "resourceNotReady", text)
        machine = self.project.machines[path["zone"], path["instance"]]
        if machine.body["status"] == "TERMINATED":
            machine.is_preempted = False
        self.project.end(machine)
        return self.project.operations.start(path["project"], f"zones/{path['zone']}", "delete", target)

    def _console(self, path: Path, query: Query, body: Body) -> Body:
        self._get_instance(path, query, body)
        host = self.project.machines[path["zone"], path["instance"]].host
        text = host.console if host else ""
        return {"kind": "compute#serialPortOutput", "contents": text, "start": "0", "next": str(len(text))}

    def _instances(self, zone: str | None = None) -> list[Body]:
        return [machine.body for machine in self.project.seen(zone)]

    def _aggregated_instances(self, path: Path, query: Query, body: Body) -> Body:
        return self.by_zone(path, query, "instances", "instance", self._instances())

    # Disks and firewalls

    def _all_disks(self, zone: str | None = None) -> list[Body]:
        return [disk for (where, _), disk in sorted(self.project.disks.items()) if zone in (None, where)]

    def _get_disk(self, path: Path, query: Query, body: Body) -> Body:
        if (path["zone"], path["disk"]) not in self.project.disks:
            raise not_found(f"projects/{path['project']}/zones/{path['zone']}/disks/{path['disk']}")
        return self.project.disks[path["zone"], path["disk"]]

    def _delete_disk(self, path: Path, query: Query, body: Body) -> Body:
        disk = self._get_disk(path, query, body)
        target = f"projects/{path['project']}/zones/{path['zone']}/disks/{path['disk']}"
        if users := disk.get("users"):
            text = f"The disk resource '{target}' is already being used by '{users[0]}'"
            raise GceError(400, "resourceInUseByAnotherResource", text)
        self.project.remove_disk(path["project"], path["zone"], path["disk"])
        return self.project.operations.start(path["project"], f"zones/{path['zone']}", "delete", target)

    def _insert_firewall(self, path: Path, query: Query, body: Body) -> Body:
        name = body.get("name", "")
        target = f"projects/{path['project']}/global/firewalls/{name}"
        if not is_name(name):
            raise invalid("resource.name", name, "Must be a match of regex '[a-z]([-a-z0-9]{0,61}[a-z0-9])?'")
        if name in self.project.firewalls:
            raise exists(target)
        self.project.firewalls[name] = {
            "direction": "INGRESS",
            "priority": 1000,
            "disabled": False,
            **body,
            "kind": "compute#firewall",
            "id": str(next(self.project.numbers)),
            "network": f"{catalogue.API}/projects/{path['project']}/global/networks/default",
            "selfLink": f"{catalogue.API}/{target}",
        }
        return self.project.operations.start(path["project"], "global", "insert", target)

    def _get_firewall(self, path: Path, query: Query, body: Body) -> Body:
        if path["firewall"] not in self.project.firewalls:
            raise not_found(f"projects/{path['project']}/global/firewalls/{path['firewall']}")
        return self.project.firewalls[path["firewall"]]

    def _delete_firewall(self, path: Path, query: Query, body: Body) -> Body:
        self._get_firewall(path, query, body)
        del self.project.firewalls[path["firewall"]]
        target = f"projects/{path['project']}/global/firewalls/{path['firewall']}"
        return self.project.operations.start(path["project"], "global", "delete", target)

    # What is simply there

    def _operation(self, path: Path, scope: str) -> Body:
        return self.project.operations.get(path["project"], scope, path["operation"])

    def _operations(self, scope: str) -> Sequence[Body]:
        return self.project.operations.all(scope)

    def _aggregated_operations(self, path: Path, query: Query, body: Body) -> Body:
        zonal = [one for one in self.project.operations.all() if "zone" in one]
        return self.by_zone(path, query, "operations", "operation", zonal)

    def _image(self, name: str) -> Body:
        if (image := catalogue.image(name)) is None:
            raise not_found(f"images/{name}")
        return image

    def _machine_type(self, path: Path, query: Query, body: Body) -> Body:
        for one in catalogue.machine_types(path["project"], path["zone"]):
            if one["name"] == path["machineType"]:
                return one
        raise not_found(f"projects/{path['project']}/zones/{path['zone']}/machineTypes/{path['machineType']}")

    def _machine_types(self, path: Path, query: Query, body: Body) -> Body:
        return self._page(query, "machineType", catalogue.machine_types(path["project"], path["zone"]))

    def _network(self, path: Path) -> Body:
        if path["network"] != "default":
            raise not_found(f"projects/{path['project']}/global/networks/{path['network']}")
        link = f"projects/{path['project']}/global/networks/default"
        return {"kind": "compute#network", "name": "default", "id": "1", "selfLink": f"{catalogue.API}/{link}"}

    def _region(self, path: Path, query: Query, body: Body) -> Body:
        return catalogue.region(path["project"], path["region"], self.quotas)

    def _regions(self, path: Path, query: Query, body: Body) -> Body:
        return self._page(query, "region", [catalogue.region(path["project"], name) for name in catalogue.REGIONS])

    def _zones(self, path: Path, query: Query, body: Body) -> Body:
        return self._page(query, "zone", [catalogue.zone(path["project"], name) for name in catalogue.ZONES])

    # Lists

    def _page(self, query: Query, kind: str, things: Sequence[Body]) -> Body:
        items, token = _cut(query, things)
        more = {"nextPageToken": token} if token else {}
        return {"kind": f"compute#{kind}List", "id": kind, **({"items": items} if items else {}), **more}

    def by_zone(self, path: Path, query: Query, key: str, kind: str, things: Sequence[Body]) -> Body:
        items, token = _cut(query, things)
        scopes: dict[str, Any] = {}
        for zone in catalogue.ZONES:
            here = [one for one in items if one["zone"].rsplit("/", 1)[-1] == zone]
            empty = {
                "code": "NO_RESULTS_ON_PAGE",
                "message": f"There are no results for scope 'zones/{zone}' on this page.",
            }
            scopes[f"zones/{zone}"] = {key: here} if here else {"warning": empty}
        more = {"nextPageToken": token} if token else {}
        return {"kind": f"compute#{kind}AggregatedList", "id": kind, "items": scopes, **more}


def _cut(query: Query, things: Sequence[Body]) -> tuple[list[Body], str | None]:
    """The page that is asked for, of what the filter passes."""
    try:
        passed = select(things, query.get("filter", ""))
    except BadFilter as error:
        raise GceError(400, "invalid", str(error)) from error
    start, size = int(query.get("pageToken") or 0), int(query.get("maxResults", MAX_RESULTS))
    if not 0 <= size <= MAX_RESULTS:
        raise invalid("maxResults", size, f"Values must be between 0 and {MAX_RESULTS}.")
    end = start + (size or MAX_RESULTS)
    return passed[start:end], str(end) if end < len(passed) else None


def _zones_of(region: str, body: Body) -> list[str]:
    """The zones that a location policy allows."""
    locations: Iterable[tuple[str, Any]] = body.get("locationPolicy", {}).get("locations", {}).items()
    denied = {key.rsplit("/", 1)[-1] for key, value in locations if value.get("preference") == "DENY"}
    allowed = {key.rsplit("/", 1)[-1] for key, value in locations if value.get("preference") == "ALLOW"}
    zones = [zone for zone in catalogue.ZONES if zone.startswith(f"{region}-")]
    return [zone for zone in zones if zone not in denied and (not allowed or zone in allowed)]
