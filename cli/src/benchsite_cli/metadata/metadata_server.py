"""What the machine itself knows: its type and place from the metadata server of its cloud, else its processor."""

import os
from collections.abc import Callable
from pathlib import Path

import httpx

from benchsite_cli.metadata.clusters import Cluster

TIMEOUT_SECONDS = 1.0
_LINK_LOCAL = "http://169.254.169.254"


def this_machine() -> Cluster:
    """One machine; on no cloud that answers it is one of the owner's."""
    readers: tuple[Callable[[httpx.Client], Cluster | None], ...] = (_ec2, _gce)
    # never through a proxy: a metadata server answers its own machine alone
    with httpx.Client(timeout=TIMEOUT_SECONDS, trust_env=False) as client:
        for read in readers:
            try:
                cluster = read(client)
            except (httpx.HTTPError, ValueError, KeyError, TypeError, IndexError):
                continue
            if cluster is not None:
                return cluster
    return _own_machine()


def _ec2(client: httpx.Client) -> Cluster | None:
    """Version 2 of the service: a token first."""
    base = os.environ.get("AWS_EC2_METADATA_SERVICE_ENDPOINT", _LINK_LOCAL).rstrip("/")
    token = client.put(f"{base}/latest/api/token", headers={"X-aws-ec2-metadata-token-ttl-seconds": "60"})
    token.raise_for_status()
    answer = client.get(
        f"{base}/latest/dynamic/instance-identity/document", headers={"X-aws-ec2-metadata-token": token.text}
    )
    answer.raise_for_status()
    facts = answer.json()
    return Cluster("aws", 1, str(facts["instanceType"]), str(facts["region"]), str(facts["availabilityZone"]))


def _gce(client: httpx.Client) -> Cluster | None:
    host = os.environ.get("GCE_METADATA_HOST", "169.254.169.254")
    values = []
    for name in ("machine-type", "zone"):
        answer = client.get(f"http://{host}/computeMetadata/v1/instance/{name}", headers={"Metadata-Flavor": "Google"})
        answer.raise_for_status()
        if answer.headers.get("Metadata-Flavor") != "Google":
            return None
        values.append(answer.text.strip().rsplit("/", 1)[-1])  # projects/1/zones/us-central1-a
    instance_type, zone = values
    return Cluster("gce", 1, instance_type, zone.rpartition("-")[0], zone)


def _own_machine() -> Cluster:
    model = _processor()
    return Cluster(
        "on-premises",
        1,
        model or "own machine",
        vcpus=os.cpu_count(),
        memory_gib=_memory_gib(),
        cpu_model=model,
    )


def _processor() -> str | None:
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        return None
    return next((line.partition(":")[2].strip()[:100] for line in lines if line.startswith("model name")), None)


def _memory_gib() -> float | None:
    try:
        return round(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30, 1)
    except (ValueError, OSError, AttributeError):
        return None
