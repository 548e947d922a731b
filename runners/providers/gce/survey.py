"""What Compute Engine says of a plan before anything is made or paid: types, disks, zones, image, quotas, firewall."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from math import ceil

from google.cloud import compute_v1 as api

from runners.providers.base import Hardware, InvalidPlan, NodeRequest, ProviderError, Remark, Survey, field_of
from runners.providers.gce import compute, disks, shapes
from runners.providers.gce.compute import TIMEOUT_SECONDS, Place
from runners.providers.gce.errors import translated
from runners.providers.gce.shapes import Image, Shape
from runners.providers.gce.traits import LOCAL_KINDS, LOCAL_SSD_GIB, Site

_SSH = 22
_ANYWHERE = frozenset({"0.0.0.0/0", "::/0"})
# https://cloud.google.com/compute/resource-usage: these share one quota, each other series has its own
_SHARED = frozenset({"e2", "f1", "g1", "n1"})
_DISKS = {"pd-standard": "DISKS_TOTAL_GB", "hyperdisk-balanced": "HDB_TOTAL_GB"}  # the other persistent ones: SSD


def survey(site: Site, place: Place, nodes: Sequence[NodeRequest], *, region: str, spot: bool) -> Survey:
    """Raises ProviderError when GCE does not answer."""
    types: dict[str, Shape] = {}
    remarks: list[Remark] = []
    for node in {(node.role, node.instance_type): node for node in nodes}.values():
        try:
            types |= shapes.find_shapes(place.clients, place.project, region, [node.instance_type])
        except InvalidPlan as error:
            remarks.append(Remark.fault(field_of(node, "instance_type"), str(error)))
    hardware = {name: Hardware(shape.vcpus, shape.memory_gib, _local_gib(shape)) for name, shape in types.items()}
    if not remarks:
        remarks += _of_zones(nodes, types)
        remarks += _unless_refused(lambda: _of_disks(site, place, nodes, types))
        remarks += _unless_refused(
            lambda: _of_quotas(_quotas(place, region), nodes, types, region, spot=spot, root_gib=site.root_gib)
        )
        remarks += _unless_refused(lambda: _of_firewalls(site, place))
    return Survey(tuple(remarks), hardware)


def _of_zones(nodes: Sequence[NodeRequest], types: Mapping[str, Shape]) -> list[Remark]:
    wanted = sorted({(node.zone, node.instance_type) for node in nodes if node.zone})
    return [
        Remark.fault("#/zones", f"{zone} does not offer {instance_type}")
        for zone, instance_type in wanted
        if zone not in types[instance_type].zones
    ]


def _of_disks(site: Site, place: Place, nodes: Sequence[NodeRequest], types: Mapping[str, Shape]) -> list[Remark]:
    images: dict[str, Image] = {}
    remarks = []
    for node in {(node.role, node.instance_type): node for node in nodes}.values():
        shape = types[node.instance_type]
        try:
            if shape.architecture not in images:
                images[shape.architecture] = shapes.find_image(place.clients, site.image, shape.architecture)
        except InvalidPlan as error:
            return [Remark.fault(field_of(node, "instance_type"), str(error))]
        try:
            disks.attached(node.disks, shape, images[shape.architecture], root_gib=site.root_gib, labels={})
        except InvalidPlan as error:
            remarks.append(Remark.fault(field_of(node, "disks"), str(error)))
    return remarks


def _quotas(place: Place, region: str) -> Sequence[api.Quota]:
    found = place.clients.regions.get(project=place.project, region=region, retry=None, timeout=TIMEOUT_SECONDS)
    return list(found.quotas)


def _of_quotas(
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
        cpus = "PREEMPTIBLE_CPUS" if has_spot_quota else _cpu_quota(shape, by_metric)
        for metric, amount in ((cpus, shape.vcpus), *_disk_quotas(node, shape, root_gib)):
            needed[metric] = needed.get(metric, 0) + amount
    return [
        remark
        for metric, amount in sorted(needed.items())
        if (remark := _quota_remark(metric, by_metric.get(metric), amount, region))
    ]


def _quota_remark(metric: str, quota: api.Quota | None, needed: int, region: str) -> Remark | None:
    if quota is None:
        return Remark.note("#", f"the quota {metric} of {region} is not listed: it was not checked")
    if quota.usage + needed <= quota.limit:
        return None
    text = (
        f"the project may use {quota.limit:,.0f} {metric} in {region}; {quota.usage:,.0f} are in use and the "
        f"plan needs {needed:,}: ask Google Cloud (Quotas) for at least {ceil(quota.usage) + needed:,}"
    )
    return Remark.fault("#", text)


def _cpu_quota(shape: Shape, known: Mapping[str, api.Quota]) -> str:
    own = f"{shape.series.upper()}_CPUS"
    return "CPUS" if shape.series in _SHARED and own not in known else own


def _disk_quotas(node: NodeRequest, shape: Shape, root_gib: int) -> Iterator[tuple[str, int]]:
    """(metric, GB) of the boot disk and the ordered disks."""
    yield _DISKS.get(shape.boot_disk_kind, "SSD_TOTAL_GB"), root_gib
    for disk in node.disks:
        if disk.kind in LOCAL_KINDS:
            yield "LOCAL_SSD_TOTAL_GB", LOCAL_SSD_GIB * disk.count
        else:
            yield _DISKS.get(disk.kind, "SSD_TOTAL_GB"), ceil(disk.size_gib or 0) * disk.count


def _of_firewalls(site: Site, place: Place) -> list[Remark]:
    """Rules of the network that let others than the worker reach SSH on the machines, which a run cannot undo."""
    open_rules = sorted(rule.name for rule in compute.network_rules(place, site.network) if _opens_ssh(rule))
    if not open_rules:
        return []
    text = (
        f"the network {site.network} lets anyone reach SSH on the machines ({', '.join(open_rules)}); keys are required"
    )
    return [Remark.note("#", text)]


def _opens_ssh(rule: api.Firewall) -> bool:
    is_for_all = not (rule.disabled or rule.target_tags or rule.target_service_accounts)
    is_open = is_for_all and rule.direction == "INGRESS" and _ANYWHERE & set(rule.source_ranges)
    return bool(is_open) and any(_takes_ssh(allowed) for allowed in rule.allowed)


def _takes_ssh(allowed: api.Allowed) -> bool:
    if allowed.I_p_protocol == "all":
        return True
    ranges = [ports.partition("-") for ports in allowed.ports]
    covers = not ranges or any(int(first) <= _SSH <= int(last or first) for first, _, last in ranges)
    return allowed.I_p_protocol in ("tcp", "6") and covers


def _unless_refused(part: Callable[[], list[Remark]]) -> list[Remark]:
    """What cannot be asked, without the permission for instance, is a note: the run itself may be possible."""
    try:
        with translated():
            return part()
    except ProviderError as error:
        return [Remark.note("#", f"not checked: {error}")]


def _local_gib(shape: Shape) -> float:
    return float(shape.bundled_local_ssds * LOCAL_SSD_GIB)
