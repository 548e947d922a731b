"""Access to the machines of a run: two firewall rules for its network tag."""

from google.cloud import compute_v1 as api

from runners.providers.gce import labels as labelling
from runners.providers.gce.labels import Labels

SSH_PORT = "22"
EXTERNAL = "External NAT"


def firewall_rules(labels: Labels, *, network: str, region: str, worker_cidr: str) -> list[api.Firewall]:
    """SSH from the worker only, and everything between the machines of the run."""
    common = {
        "network": network_link(network),
        "direction": "INGRESS",
        "target_tags": [labels.prefix],
        "description": labelling.described(labels.values(**{labelling.REGION: region})),
    }
    ssh = api.Allowed(I_p_protocol="tcp", ports=[SSH_PORT])
    everything = api.Allowed(I_p_protocol="all")
    return [
        api.Firewall(name=ssh_rule(labels), allowed=[ssh], source_ranges=[worker_cidr], **common),
        api.Firewall(name=f"{labels.prefix}-internal", allowed=[everything], source_tags=[labels.prefix], **common),
    ]


def ssh_rule(labels: Labels) -> str:
    return f"{labels.prefix}-ssh"


def network_interface(*, network: str, subnetwork: str | None, region: str) -> api.NetworkInterface:
    """With a public address: the hosts download software, and workers may be outside the network."""
    interface = api.NetworkInterface(
        network=network_link(network), access_configs=[api.AccessConfig(name=EXTERNAL, type_="ONE_TO_ONE_NAT")]
    )
    if subnetwork:
        interface.subnetwork = f"regions/{region}/subnetworks/{subnetwork}"
    return interface


def network_link(network: str) -> str:
    return f"global/networks/{network}"
