"""Machine types and images of Compute Engine for the names in a plan."""

import re
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass

from google.api_core.exceptions import NotFound
from google.cloud.compute_v1 import AggregatedListMachineTypesRequest, MachineType

from runners.providers.base import InvalidPlan, NoZoneLeft
from runners.providers.gce.session import Clients
from runners.providers.gce.traits import boot_disk_kind, series_of

TIMEOUT_SECONDS = 30.0
# https://cloud.google.com/compute/docs/disks/local-ssd: series to which local SSDs can be added. Newer ones have them
# in the machine type (c3-standard-8-lssd) or not at all.
_TAKE_LOCAL_SSDS = frozenset({"a2", "c2", "c2d", "g2", "m1", "m3", "n1", "n2", "n2d"})
_PUBLIC_FAMILIES: Mapping[str, str] = {"ubuntu": "ubuntu-os-cloud", "debian": "debian-cloud"}
_WITH_PROJECT = re.compile(r"(?:.*/)?projects/(?P<project>[^/]+)/global/images/(?P<family>family/)?(?P<name>[^/]+)")
# GCE's name -> the distributions' name
_ARCHITECTURES: Mapping[str, str] = {"X86_64": "amd64", "ARM64": "arm64"}


@dataclass(frozen=True, slots=True)
class Shape:
    """A machine type in a region."""

    name: str
    architecture: str  # X86_64 or ARM64
    bundled_local_ssds: int
    zones: frozenset[str]
    vcpus: int
    memory_gib: float

    @property
    def series(self) -> str:
        return series_of(self.name)

    @property
    def takes_local_ssds(self) -> bool:
        return self.series in _TAKE_LOCAL_SSDS

    @property
    def boot_disk_kind(self) -> str:
        return boot_disk_kind(self.name)


@dataclass(frozen=True, slots=True)
class Image:
    link: str  # projects/<project>/global/images/<name>
    size_gib: int  # a boot disk cannot be smaller
    architecture: str


def find_shapes(clients: Clients, project: str, region: str | None, names: Iterable[str]) -> dict[str, Shape]:
    """Machine types by name, with one request each for all zones. Raises InvalidPlan for an unknown type."""
    return {name: _find_shape(clients, project, region, name) for name in sorted(set(names))}


def zone_with(shapes: Iterable[Shape], *, full: Collection[str] = ()) -> str:
    """The first zone that offers all types and is not full. Raises NoZoneLeft."""
    known = list(shapes)
    common = frozenset.intersection(*(shape.zones for shape in known))
    if not common:
        raise NoZoneLeft(f"no zone of this region has all of {', '.join(sorted(shape.name for shape in known))}")
    if not common - set(full):
        raise NoZoneLeft(f"no zone is left: {', '.join(full)} is full")
    return min(common - set(full))


def find_image(clients: Clients, choice: str, architecture: str) -> Image:
    """The image to boot: `choice` is a public family (ubuntu-2404-lts-amd64), or a path
    projects/<project>/global/images/<name> or .../images/family/<family>.

    On ARM machines, a family ending in -amd64 is replaced by the one ending in -arm64. Raises InvalidPlan.
    """
    wanted = choice.removesuffix("-amd64") + "-arm64" if _is_arm(architecture, choice) else choice
    path = _WITH_PROJECT.fullmatch(wanted)
    project = path["project"] if path else _PUBLIC_FAMILIES.get(wanted.partition("-")[0])
    if project is None:
        raise InvalidPlan(
            f"GCE_IMAGE={choice} is neither a family of {', '.join(_PUBLIC_FAMILIES)} nor the path of an image"
        )
    name = path["name"] if path else wanted
    try:
        if path and not path["family"]:
            found = clients.images.get(project=project, image=name, retry=None, timeout=TIMEOUT_SECONDS)
        else:
            found = clients.images.get_from_family(project=project, family=name, retry=None, timeout=TIMEOUT_SECONDS)
    except NotFound as error:
        raise InvalidPlan(f"the image {name} does not exist in {project}") from error
    if found.architecture and found.architecture != architecture:
        raise InvalidPlan(f"the image {found.name} is for {found.architecture}, not {architecture}")
    return Image(f"projects/{project}/global/images/{found.name}", found.disk_size_gb, architecture)


def _find_shape(clients: Clients, project: str, region: str | None, name: str) -> Shape:
    if not re.fullmatch(r"[a-z][a-z0-9-]*", name):
        raise InvalidPlan(f"GCE has no machine type {name!r}")
    request = AggregatedListMachineTypesRequest(project=project, filter=f'name = "{name}"', max_results=500)
    pages = clients.machine_types.aggregated_list(request=request, retry=None, timeout=TIMEOUT_SECONDS)
    found: list[tuple[str, MachineType]] = [
        (scope.rpartition("/")[2], one)
        for scope, listed in pages
        for one in listed.machine_types
        if region is None or scope.startswith(f"zones/{region}-")
    ]
    if not found:
        raise InvalidPlan(f"GCE has no machine type {name}" + (f" in {region}" if region else ""))
    first = found[0][1]
    architecture = first.architecture or "X86_64"
    if architecture not in _ARCHITECTURES:
        raise InvalidPlan(f"{name} runs {architecture}: there is no image for it")
    return Shape(
        name,
        architecture,
        first.bundled_local_ssds.partition_count,
        frozenset(zone for zone, _ in found),
        first.guest_cpus,
        first.memory_mb / 1024,
    )


def _is_arm(architecture: str, choice: str) -> bool:
    return architecture == "ARM64" and choice.endswith("-amd64")
