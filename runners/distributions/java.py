"""Which releases of Java a distribution has as packages. Debian 12: its own package list; the others: from memory."""

import re
from collections.abc import Mapping

OPENJDK: Mapping[str, frozenset[int]] = {
    "debian-12": frozenset({17}),
    "debian-13": frozenset({21, 25}),
    "ubuntu-22.04": frozenset({8, 11, 17, 21}),
    "ubuntu-24.04": frozenset({8, 11, 17, 21}),
}
_GCE_FAMILY = re.compile(
    r"(?:.*/family/)?(?:(?P<ubuntu>ubuntu)-(?P<year>\d\d)(?P<month>\d\d)-lts|debian-(?P<debian>\d+)).*"
)


def releases_in(image: str) -> frozenset[int] | None:
    """What a host can install from packages; None when it is unknown. `image`: `ubuntu-24.04`, or a family of GCE."""
    family = _GCE_FAMILY.fullmatch(image)
    if family and image not in OPENJDK:
        is_ubuntu = family["ubuntu"] is not None
        image = f"ubuntu-{family['year']}.{family['month']}" if is_ubuntu else f"debian-{family['debian']}"
    return OPENJDK.get(image)


def images_with(release: int) -> list[str]:
    return [image for image, releases in OPENJDK.items() if release in releases]
