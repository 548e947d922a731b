"""From an instance's own description to a host of the lab, and from firewall rules to what it lets in."""

import ipaddress
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from tests.lab.gce_catalogue import has_cloud_init
from tests.lab.hosts import HostOrder

LOCAL_DISK_GIB = 2  # of each local SSD, whatever its real 375
Rule = tuple[str, str, int, int]


def host_order(
    name: str, body: Mapping[str, Any], disks: Mapping[tuple[str, str], Mapping[str, Any]], zone: str, *, has_sshd: bool
) -> HostOrder:
    """What the image would do at its first boot: cloud-init where it is in the image, the guest agent always."""
    metadata = {item["key"]: item.get("value", "") for item in body.get("metadata", {}).get("items", [])}
    boot = next(one for one in body["disks"] if one.get("boot"))
    image = disks[zone, boot["source"].rsplit("/", 1)[-1]].get("sourceImage", "")
    runs_cloud_init = has_cloud_init(image)
    return HostOrder(
        name=name,
        address=body["networkInterfaces"][0]["networkIP"],
        instance_id=body["id"],
        hostname=body["name"],
        default_user="ubuntu" if runs_cloud_init else "",
        user_data=metadata.get("user-data", "").encode() if runs_cloud_init else b"",
        accounts=tuple(_accounts(metadata.get("ssh-keys", ""))),
        startup_script=metadata.get("startup-script", "").encode(),
        disks=tuple((device, gib) for device, gib, _ in _disks(body["disks"])),
        links={link: device for device, _, link in _disks(body["disks"])},
        has_sshd=has_sshd,
    )


def open_rules(
    body: Mapping[str, Any],
    firewalls: Sequence[Mapping[str, Any]],
    everybody: Sequence[Mapping[str, Any]],
    internal: ipaddress.IPv4Network,
) -> list[Rule]:
    """What the firewall lets in: between instances everything, as default-allow-internal does; else as the rules say.

    There is no default-allow-ssh: many organisations delete it, so a provider must not count on it.
    """
    rules: set[Rule] = {(str(internal), "all", 0, 65535)}
    tags = set(body.get("tags", {}).get("items", []))
    for firewall in firewalls:
        is_ours = not firewall.get("targetTags") or tags & set(firewall["targetTags"])
        if not is_ours or firewall.get("disabled") or firewall.get("direction", "INGRESS") != "INGRESS":
            continue
        sources = list(firewall.get("sourceRanges", []))
        for other in everybody:
            if set(firewall.get("sourceTags", [])) & set(other.get("tags", {}).get("items", [])):
                sources.append(f"{other['networkInterfaces'][0]['networkIP']}/32")
        rules |= {(source, *ports) for source in sources for ports in _ports(firewall.get("allowed", []))}
    return sorted(rules)


def _ports(allowed: Sequence[Mapping[str, Any]]) -> Iterator[tuple[str, int, int]]:
    for one in allowed:
        for ports in one.get("ports") or ["0-65535"]:
            first, _, last = ports.partition("-")
            yield one["IPProtocol"], int(first), int(last or first)


def _accounts(text: str) -> Iterator[tuple[str, str]]:
    """Lines of ssh-keys: user:key."""
    for line in text.splitlines():
        user, _, key = line.strip().partition(":")
        if key:
            yield user, key


def _disks(attached: Sequence[Mapping[str, Any]]) -> Iterator[tuple[str, float, str]]:
    """Persistent data disks are SCSI, sdb and on (sda is the boot disk); local SSDs NVMe. With the agent's links."""
    letters, numbers = iter("bcdefghijklmnop"), iter(range(1, 25))
    for one in attached:
        if one.get("type") == "SCRATCH":
            number = next(numbers)
            yield f"nvme0n{number}", LOCAL_DISK_GIB, f"google-local-nvme-ssd-{number - 1}"
        elif not one.get("boot"):
            yield f"sd{next(letters)}", float(one["diskSizeGb"]), f"google-{one['deviceName']}"
