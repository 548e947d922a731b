"""What Compute Engine refuses in an instance beyond its description: things that do not exist or do not go together."""

import re
from collections.abc import Mapping
from typing import Any

from tests.lab import gce_catalogue as catalogue
from tests.lab.gce_errors import GceError, invalid
from tests.lab.gce_project import is_name

_LABEL_KEY = re.compile(r"[a-z][a-z0-9_-]{0,62}")
_LABEL_VALUE = re.compile(r"[a-z0-9_-]{0,63}")
_GONE = "The referenced resource does not exist."
MAX_METADATA_BYTES = 256 * 1024  # of one value


def refuse_wrong_instance(project: str, zone: str, body: Mapping[str, Any], *, is_bulk: bool) -> None:
    """Raises GceError. In a bulk insert types are names, in an insert they are URLs."""
    if not is_name(body.get("name", "")):
        raise invalid(
            "resource.name", body.get("name", ""), "Must be a match of regex '[a-z]([-a-z0-9]{0,61}[a-z0-9])?'"
        )
    refuse_wrong_labels("resource.labels", body.get("labels", {}))
    machine_type = _type_name("resource.machineType", body.get("machineType", ""), is_bulk)
    if machine_type not in {one["name"] for one in catalogue.machine_types(project, zone)}:
        raise invalid("resource.machineType", body.get("machineType", ""), _GONE)
    if sum(bool(disk.get("boot")) for disk in body.get("disks", [])) != 1:
        raise GceError(400, "invalid", "Invalid value for field 'resource.disks': ''. A boot disk must be specified.")
    for index, disk in enumerate(body["disks"]):
        _refuse_wrong_disk(f"resource.disks[{index}]", disk, machine_type, is_bulk)
    if not body.get("networkInterfaces"):
        raise GceError(400, "required", "At least one network interface is required.")
    for interface in body["networkInterfaces"]:
        network = interface.get("network", "global/networks/default")
        if not network.endswith("/networks/default"):
            raise invalid("resource.networkInterfaces[0].network", network, _GONE)
    for item in body.get("metadata", {}).get("items", []):
        if len(item.get("value", "").encode()) > MAX_METADATA_BYTES:
            raise invalid("resource.metadata.items", item["key"], "Metadata value is too large.")
    scheduling = body.get("scheduling", {})
    if scheduling.get("provisioningModel") == "SPOT" and scheduling.get("automaticRestart"):
        text = "Scheduling must have automaticRestart be false when provisioningModel is SPOT."
        raise GceError(400, "badRequest", text)


def refuse_wrong_labels(field: str, labels: Mapping[str, str]) -> None:
    for key, value in labels.items():
        if not _LABEL_KEY.fullmatch(key):
            raise invalid(field, key, "Label keys match '[a-z][a-z0-9_-]{0,62}'.")
        if not _LABEL_VALUE.fullmatch(value):
            raise invalid(field, value, "Label values match '[a-z0-9_-]{0,63}'.")


def _refuse_wrong_disk(field: str, disk: Mapping[str, Any], machine_type: str, is_bulk: bool) -> None:
    parameters = disk.get("initializeParams", {})
    refuse_wrong_labels(f"{field}.initializeParams.labels", parameters.get("labels", {}))
    kind = "pd-standard"
    if "diskType" in parameters:
        kind = _type_name(f"{field}.initializeParams.diskType", parameters["diskType"], is_bulk)
    if kind not in catalogue.DISK_TYPES:
        raise invalid(f"{field}.initializeParams.diskType", parameters["diskType"], _GONE)
    if (disk.get("type") == "SCRATCH") != (kind == "local-ssd"):
        raise invalid(f"{field}.type", disk.get("type", "PERSISTENT"), "Local SSDs, and only they, are SCRATCH disks.")
    is_hyper, wants_hyper = kind.startswith("hyperdisk"), machine_type.split("-")[0] in catalogue.HYPERDISK_MACHINES
    is_wrong = (is_hyper and not wants_hyper) or (kind == "local-ssd" and not catalogue.takes_local_ssd(machine_type))
    if is_wrong:
        text = f"[{machine_type}, {kind}] features are not compatible for creating instance."
        raise GceError(400, "badRequest", text)
    if disk.get("boot") and "source" not in disk:
        image = parameters.get("sourceImage", "")
        if catalogue.image(image.rsplit("/", 1)[-1]) is None:
            raise invalid(f"{field}.initializeParams.sourceImage", image, _GONE)


def _type_name(field: str, value: str, is_bulk: bool) -> str:
    if is_bulk == ("/" in value):
        raise invalid(field, value, "Must be a name." if is_bulk else "The URL is malformed.")
    return value.rsplit("/", 1)[-1]
