"""What each provider bills: the one table in which pricing looks a provider up by its slug."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from decimal import Decimal

from submissions.choices import Deployment
from submissions.pricing.machines.gce_machine_types import rates_of
from submissions.pricing.machines.machine_families import (
    Named,
    Rule,
    azure_family,
    gce_family,
    matching,
    named_by,
    never,
    no_family,
)

# In every price list, in GB: traffic between zones, to other regions (where that depends on which, the nearest), and to
# the internet (the first TB that is not free). By GiB and month: copies of disks, and of files.
CROSS_ZONE_SKU = "cross-zone"
CROSS_REGION_SKU = "cross-region"
EGRESS_SKU = "egress"
SNAPSHOT_SKU = "snapshot"
OBJECT_STORAGE_SKU = "object-storage"


@dataclass(frozen=True, slots=True)
class Granularity:
    """Machine time is billed in begun steps, for machines launched on or after `since`."""

    since: date
    step_s: int
    minimum_s: int


@dataclass(frozen=True, slots=True)
class Volume:
    """How a kind of volume is billed; an allowance of None means that this is never billed."""

    free_iops: int | None = None
    free_mibps: int | None = None
    must_provision: bool = False  # the volume cannot exist without provisioned IOPS
    iops_tiers: tuple[tuple[str, int | None], ...] = (("iops", None),)  # (SKU suffix, up to)
    sku: str | None = None  # None: the kind's own name
    classes: tuple[tuple[str, int], ...] = ()  # (SKU suffix, up to GiB): a disk is billed as the next larger class
    is_local: bool = False  # disks that come with a machine type are in its price
    is_cheaper_on_spot: bool = False  # else a disk has one price, whatever the pricing model of its machine


@dataclass(frozen=True, slots=True)
class AddressPrice:
    """USD an hour for a public IPv4 address that a machine uses, since a day; the same in every region."""

    since: date
    usd: Decimal
    spot_usd: Decimal  # on a spot machine
    source: str


@dataclass(frozen=True, slots=True)
class ZoneTraffic:
    """Who pays for a GB between two zones of a region: the price list has what one side pays."""

    paying_sides: int  # of sender and receiver; 0: it is free
    source: str
    seen_on: date  # the day on which the source said so


INCLUDED = None  # a kind of volume that is in the price of an instance that has it


def _no_rates(instance_type: str) -> Sequence[tuple[str, Decimal]]:
    return ()


@dataclass(frozen=True, slots=True)
class Billing:
    """What is billed, and how; the defaults hold for a provider of which nothing is known.

    `machine_rates` gives the SKUs that bill a machine type by its vCPUs and GiB, with their quantities.
    """

    reference_region: str | None = None  # the one whose prices are meant where no region is stated
    names_have_capitals: bool = False  # Standard_D2s_v5; else all names of the book are lower case
    has_list_prices: bool = True  # else only the submitter's price counts
    sends_bill: bool = True  # else a run costs nothing, whatever the machines are worth
    is_one_machine: bool = False  # database and load clients share it
    granularity: tuple[Granularity, ...] = ()  # the newest first; none: billed as used
    bills_disks_by_the_second: bool = False  # whatever the minimum of the machine is
    addresses: tuple[AddressPrice, ...] = ()  # the newest first; none: not billed
    zone_traffic: ZoneTraffic | None = None  # None: unknown; a price in the book is then that of a GB
    volumes: Mapping[str, Volume | None] = field(default_factory=dict)
    machine_rates: Callable[[str], Sequence[tuple[str, Decimal]]] = _no_rates
    family_of: Rule = no_family  # the machine family of a type, None where its name has none
    burstable: frozenset[str] = frozenset()  # families whose CPU is theirs for a while: on credits, or shared
    is_metal: Named = never  # whether a type is a whole machine without a hypervisor, by its name
    is_part: Named = never  # whether what has a price by the hour is no type: a vCPU, a GiB
    has_types: bool = True  # the name of a type means one machine, whoever uses it

    def is_burstable(self, instance_type: str) -> bool:
        return self.family_of(instance_type) in self.burstable

    def deployment_of(self, instance_type: str) -> Deployment | None:
        """None for a name that is none of the provider's types."""
        if self.family_of(instance_type) is None:
            return None
        return Deployment.BARE_METAL if self.is_metal(instance_type) else Deployment.VM


# aws.amazon.com/ebs/pricing; the requests of `standard` (USD 0.05 a million) are left out: no
# submission counts them
_AWS = Billing(
    # docs.aws.amazon.com/AWSEC2/latest/UserGuide/burstable-performance-instances.html
    burstable=frozenset(("t1", "t2", "t3", "t3a", "t4g")),
    family_of=named_by(r"(?P<family>[a-z][a-z0-9-]*)\.[a-z0-9-]+"),
    is_metal=matching(r".+\.metal(?:-\d+xl)?"),  # i3.metal, m7i.metal-24xl
    reference_region="us-east-1",
    granularity=(
        # aws.amazon.com/blogs/aws/new-per-second-billing-for-ec2-instances-and-ebs-volumes (Linux)
        Granularity(since=date(2017, 10, 2), step_s=1, minimum_s=60),
        Granularity(since=date.min, step_s=3600, minimum_s=3600),
    ),
    addresses=(AddressPrice(date(2024, 2, 1), Decimal("0.005"), Decimal("0.005"), "aws.amazon.com/vpc/pricing"),),
    # "in each direction"; both lines of a bill of that day are in CredentialEngine/CredentialRegistry#972
    zone_traffic=ZoneTraffic(2, "aws.amazon.com/ec2/pricing/on-demand, Data Transfer", date(2026, 1, 5)),
    volumes={
        "gp2": Volume(),
        "gp3": Volume(free_iops=3000, free_mibps=125),
        "io1": Volume(free_iops=0, must_provision=True),
        "io2": Volume(
            free_iops=0,
            must_provision=True,
            iops_tiers=(("iops", 32_000), ("iops-tier2", 64_000), ("iops-tier3", None)),
        ),
        "st1": Volume(),
        "sc1": Volume(),
        "standard": Volume(),
        "local-ssd": INCLUDED,
        "local-hdd": INCLUDED,
        "nvme": INCLUDED,
    },
)

# cloud.google.com/compute/disks-image-pricing
_GCE = Billing(
    reference_region="us-central1",
    granularity=(
        # cloud.google.com/blog "Extending per second billing in Google Cloud"
        Granularity(since=date(2017, 9, 26), step_s=1, minimum_s=60),
        Granularity(since=date.min, step_s=60, minimum_s=600),
    ),
    bills_disks_by_the_second=True,
    addresses=(
        AddressPrice(date(2024, 2, 1), Decimal("0.005"), Decimal("0.0025"), "cloud.google.com/vpc/network-pricing"),
    ),
    # "VM-VM data transfer": billed to the sender, and by the GiB, so that a GB costs a little less than here
    zone_traffic=ZoneTraffic(1, "cloud.google.com/vpc/network-pricing", date(2026, 9, 20)),
    volumes={
        "local-ssd": Volume(is_local=True, is_cheaper_on_spot=True),
        "nvme": Volume(sku="local-ssd", is_local=True, is_cheaper_on_spot=True),
        "pd-standard": Volume(),
        "pd-balanced": Volume(),
        "pd-ssd": Volume(),
        "pd-extreme": Volume(free_iops=0, must_provision=True),
        # cloud.google.com/compute/docs/disks/hd-types/hyperdisk-balanced, "Baseline performance"
        "hyperdisk-balanced": Volume(free_iops=3000, free_mibps=140),
        "hyperdisk-extreme": Volume(free_iops=0, must_provision=True),
    },
    machine_rates=rates_of,
    family_of=gce_family,
    is_metal=matching(r".+-metal"),  # c3-standard-192-metal
    is_part=matching(r".+-(?:vcpu|memory-gib|preemptible)"),
    burstable=frozenset(("e2", "f1", "g1")),  # cloud.google.com/compute/docs/general-purpose-machines: shared-core
)

_SMALL_CLASSES = (("1", 4), ("2", 8), ("3", 16))
_CLASSES = (
    *(("4", 32), ("6", 64), ("10", 128), ("15", 256), ("20", 512), ("30", 1024), ("40", 2048)),
    *(("50", 4096), ("60", 8192), ("70", 16_384), ("80", 32_767)),
)


def _classes(letter: str, sizes: Sequence[tuple[str, int]]) -> tuple[tuple[str, int], ...]:
    return tuple((f"{letter}{number}", gib) for number, gib in sizes)


# learn.microsoft.com/azure/virtual-machines/disks-types: Premium SSD, Standard SSD and Standard HDD are billed by size
# classes, the others by GiB, IOPS and MB/s
_AZURE = Billing(
    reference_region="eastus",
    names_have_capitals=True,
    family_of=azure_family,
    # learn.microsoft.com/azure/virtual-machines/sizes/general-purpose/b-family
    burstable=frozenset(
        ("Bs", "Bls", "Bms", "Bsv2", "Blsv2", "Basv2", "Balsv2", "Bpsv2", "Bplsv2", "Btsv2", "Batsv2", "Bptsv2")
    ),
    # azure.microsoft.com/pricing/details/virtual-machines/linux: "compute capacity by the second", without a minimum
    granularity=(Granularity(since=date.min, step_s=1, minimum_s=0),),
    addresses=(
        AddressPrice(
            date(2026, 10, 16),
            Decimal("0.005"),
            Decimal("0.005"),
            "azure.microsoft.com/pricing/details/ip-addresses, Standard static",
        ),
    ),
    # announced on that day: there is no charge, with private or public addresses; none was ever made
    zone_traffic=ZoneTraffic(0, "learn.microsoft.com/azure/reliability/availability-zones-overview", date(2024, 5, 21)),
    volumes={
        "premium-ssd": Volume(classes=_classes("p", (*_SMALL_CLASSES, *_CLASSES))),
        "premium-ssd-v2": Volume(free_iops=3000, free_mibps=125),
        "standard-ssd": Volume(classes=_classes("e", (*_SMALL_CLASSES, *_CLASSES))),
        "standard-hdd": Volume(classes=_classes("s", _CLASSES)),
        "ultra-disk": Volume(free_iops=0, free_mibps=0),
        # learn.microsoft.com/azure/virtual-machines/managed-disks-overview: the temporary disk and local NVMe
        "temporary-disk": INCLUDED,
        "local-ssd": INCLUDED,
        "local-hdd": INCLUDED,
        "nvme": INCLUDED,
    },
)

_BILLING: Mapping[str, Billing] = {
    "aws": _AWS,
    "gce": _GCE,
    "azure": _AZURE,
    "on-premises": Billing(has_list_prices=False, has_types=False),
    "local": Billing(has_list_prices=False, has_types=False, sends_bill=False, is_one_machine=True),
    "alicloud": Billing(
        family_of=named_by(r"(?P<family>ecs\.[a-z0-9-]+?)(?:-c\d+[a-z]\d+|-m\d+s?)?(?:\.c\d+m\d+)?\.[a-z0-9]+"),
        is_metal=matching(r"ecs\.ebm.+"),
    ),
    "hcloud": Billing(family_of=named_by(r"(?P<family>[a-z]+)\d+")),
    "ovh": Billing(family_of=named_by(r"(?P<family>[a-z]+\d+[a-z]*)(?:-le)?-\d+(?:-flex)?")),
    "upcloud": Billing(family_of=named_by(r"(?P<family>[A-Z]+)-\d+xCPU-.+")),
    "vultr": Billing(
        family_of=named_by(r"(?P<family>[a-z]+\d*(?:-[a-z]\d*)?)(?:-[a-z]+\d+[a-z]*)?-\d+c-.+"),
        is_metal=matching(r"vbm-.+"),
    ),
    # managed databases: their vendors' own prices, which no price list here has
    "mongodb-atlas": Billing(has_list_prices=False),
    "scylladb-cloud": Billing(has_list_prices=False),
}
_UNKNOWN = Billing()
# Those that bill machines by their vCPUs and GiB.
PROVIDERS_WITH_RATES = tuple(slug for slug, billing in _BILLING.items() if billing.machine_rates is not _no_rates)
PROVIDERS_WITH_CAPITALS = tuple(slug for slug, billing in _BILLING.items() if billing.names_have_capitals)


def billing_of(provider: str) -> Billing:
    return _BILLING.get(provider, _UNKNOWN)


def list_price_providers() -> tuple[str, ...]:
    """Those whose list prices are known or may come to be: a discount can be stated for them."""
    return tuple(slug for slug, billing in _BILLING.items() if billing.has_list_prices)


def volume_kinds() -> frozenset[str]:
    """Every kind of volume that a provider bills."""
    return frozenset(kind for billing in _BILLING.values() for kind in billing.volumes)
