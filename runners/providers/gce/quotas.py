"""The quotas of a project in a region, against what a plan needs."""

from collections.abc import Iterator, Mapping, Sequence
from math import ceil

from google.cloud import compute_v1 as api

from runners.providers.base import NodeRequest, Remark
from runners.providers.gce.shapes import Shape
from runners.providers.gce.traits import LOCAL_KINDS, LOCAL_SSD_GIB

# https://cloud.google.com/compute/resource-usage: these share one quota, each other series has its own
_SHARED = frozenset({"e2", "f1", "g1", "n1"})
_DISKS = {"pd-standard": "DISKS_TOTAL_GB", "hyperdisk-balanced": "HDB_TOTAL_GB"}  # the other persistent ones: SSD


def remarks(
    quotas: Sequence[api.Quota],
    nodes: Sequence[NodeRequest],
    shapes: Mapping[str, Shape],
    region: str,
    *,
    spot: bool,
    root_gib: int,
) -> list[Remark]:
    """A fault for each quota that is too small, a note for each series whose quota the region does not list."""
    by_metric = {quota.metric: quota for quota in quotas}
    needed = {"IN_USE_ADDRESSES": len(nodes)}
    # without a quota of its own for Spot machines, a project's usual one counts them
    has_spot_quota = spot and "PREEMPTIBLE_CPUS" in by_metric and by_metric["PREEMPTIBLE_CPUS"].limit > 0
    for node in nodes:
        shape = shapes[node.instance_type]
        cpus = "PREEMPTIBLE_CPUS" if has_spot_quota else _cpus(shape, by_metric)
        for metric, amount in ((cpus, shape.vcpus), *_storage(node, shape, root_gib)):
            needed[metric] = needed.get(metric, 0) + amount
    return [
        remark
        for metric, amount in sorted(needed.items())
        if (remark := _remark(metric, by_metric.get(metric), amount, region))
    ]


def _remark(metric: str, quota: api.Quota | None, needed: int, region: str) -> Remark | None:
    if quota is None:
        return Remark.note("#", f"the quota {metric} of {region} is not listed: it was not checked")
    if quota.usage + needed <= quota.limit:
        return None
    text = (
        f"the project may use {quota.limit:,.0f} {metric} in {region}; {quota.usage:,.0f} are in use and the "
        f"plan needs {needed:,}: ask Google Cloud (Quotas) for at least {ceil(quota.usage) + needed:,}"
    )
    return Remark.fault("#", text)


def _cpus(shape: Shape, known: Mapping[str, api.Quota]) -> str:
    own = f"{shape.series.upper()}_CPUS"
    return "CPUS" if shape.series in _SHARED and own not in known else own


def _storage(node: NodeRequest, shape: Shape, root_gib: int) -> Iterator[tuple[str, int]]:
    """(metric, GB) of the boot disk and the ordered disks."""
    yield _DISKS.get(shape.boot_disk_kind, "SSD_TOTAL_GB"), root_gib
    for disk in node.disks:
        if disk.kind in LOCAL_KINDS:
            yield "LOCAL_SSD_TOTAL_GB", LOCAL_SSD_GIB * disk.count
        else:
            yield _DISKS.get(disk.kind, "SSD_TOTAL_GB"), ceil(disk.size_gib or 0) * disk.count
