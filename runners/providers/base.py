"""What a provider promises; every provider passes tests/runners/providers/contract.py."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from ipaddress import ip_network

from runners.choices import NodeState


@dataclass(frozen=True, slots=True)
class DiskOrder:
    kind: str  # local-ssd, gp3, pd-ssd, ...
    count: int
    size_gib: float | None
    iops: int | None = None
    throughput_mibps: int | None = None
    raid: str | None = None
    filesystem: str | None = None


@dataclass(frozen=True, slots=True)
class NodeRequest:
    """One machine. `name` is unique in the run; no name is ever created twice."""

    name: str
    role: str
    instance_type: str
    zone: str | None
    disks: tuple[DiskOrder, ...] = ()


@dataclass(frozen=True, slots=True)
class NodeOrder:
    """All machines of a run, and the tags of everything created for them."""

    tag: str  # of the run
    owner: str
    expires_at: datetime
    region: str | None
    nodes: tuple[NodeRequest, ...]
    spot: bool
    ssh_public_key: str
    user_data: str = field(repr=False)  # for cloud-init, with the private host key; the provider adds nothing
    worker_cidr: str  # the only addresses that may reach SSH
    full_zones: tuple[str, ...] = ()  # that had no capacity: nodes without a zone go elsewhere
    earlier_moves: int = 0  # from zones that were full of other instance types, and to these
    # whether the run is still being launched, and in the same zones; asked after everything is made that is deleted
    # first by the tear-down, or by a move to another zone
    is_wanted: Callable[[], bool] = field(default=lambda: True, repr=False, compare=False)

    @property
    def moves(self) -> int:
        """How often the launch has left a place that was full."""
        return self.earlier_moves + len(self.full_zones)

    def check_wanted(self) -> None:
        """Raises TryAgain when the run has been torn down, or has left its zone, since this worker began."""
        if not self.is_wanted():
            raise TryAgain("the run was torn down or left its zone meanwhile")


@dataclass(frozen=True, slots=True)
class Machine:
    """The current state of a node in the cloud."""

    name: str
    provider_id: str
    state: NodeState
    zone: str | None = None
    address: str | None = None  # for SSH
    private_address: str | None = None
    launched_at: datetime | None = None
    terminated_at: datetime | None = None  # None: exists, or the cloud does not say
    is_interrupted: bool = False  # the cloud is taking the spot machine back
    volume_links: tuple[str, ...] = ()  # of its volumes on the host, in the order of the plan: see scripts/disks.py


@dataclass(frozen=True, slots=True)
class Remark:
    """What a cloud says of a plan before anything is made. A fault: the run would fail."""

    pointer: str  # into the plan
    text: str
    is_fault: bool

    @classmethod
    def fault(cls, pointer: str, text: str) -> "Remark":
        return cls(pointer, text, is_fault=True)

    @classmethod
    def note(cls, pointer: str, text: str) -> "Remark":
        return cls(pointer, text, is_fault=False)


@dataclass(frozen=True, slots=True)
class Hardware:
    """Of an instance type, as the cloud describes it."""

    vcpus: int
    memory_gib: float
    local_disk_gib: float


@dataclass(frozen=True, slots=True)
class Survey:
    """What a cloud answered about a plan, and the types that it has."""

    remarks: tuple[Remark, ...] = ()
    types: Mapping[str, Hardware] = field(default_factory=dict)


def field_of(node: NodeRequest, name: str) -> str:
    """The pointer to a field of the node's group in the plan."""
    return f"#/{node.role}/{name}"


@dataclass(frozen=True, slots=True)
class Leftover:
    """A resource with the tag of a run that still exists: an instance, a volume, a key pair, a rule."""

    kind: str
    provider_id: str
    tag: str
    expires_at: datetime | None
    region: str | None = None


@dataclass(frozen=True, slots=True)
class Abilities:
    spot: bool = False
    multi_zone: bool = False
    local_disks: bool = False
    provisioned_disks: bool = False
    lists_at_once: bool = False  # lists resources as soon as they exist: an empty list proves that nothing is left
    runs_at_once: int | None = None  # None: no limit; more runs would disturb each other
    services: tuple[str, ...] = field(default=())  # () means any
    replaces: bool = False  # one machine of a run can be deleted, and another take its place
    is_kept_apart: bool = True  # a run can read and change nothing of the site


class UserAccounts(ABC):
    """How users let the site act in an account of their own in this cloud."""

    template: str  # the instructions for the user
    principal_help: str  # what a user enters as the role or service account

    @abstractmethod
    def problem(self, principal: str, external_id: str) -> str | None:
        """Why the site may not act as `principal` for the user with this external ID; None when it may."""

    @abstractmethod
    def instructions(self, external_id: str) -> Mapping[str, str]:
        """The values of the template, as `steps`."""


def _no_root_disk(instance_type: str) -> DiskOrder | None:
    return None


def _always_reached(cidr: str) -> str | None:
    return None


def ssh_fault(cidr: str, *, has_private_route: bool) -> str | None:
    """Why workers at these addresses could not reach a cloud's machines; None when they can."""
    try:
        network = ip_network(cidr, strict=False)
    except ValueError:
        return "it is no network: an address with /32 is one"
    if network.is_loopback:
        return "machines in a cloud are never reached from a loopback address"
    if network.prefixlen and not network.is_global and not has_private_route:
        return "machines are reached by their public addresses, and see the workers' public address"
    return None


def _no_image() -> str:
    return ""


def _one_family(instance_type: str) -> str:
    return ""


def _no_local_disk(number: int) -> str:
    raise ValueError("the links of this provider's local disks are unknown")


@dataclass(frozen=True, slots=True)
class Traits:
    """What is known of a provider without its SDK, which takes a second to import; `TRAITS` of its package."""

    is_this_machine: bool = False  # no region and no separate clients
    root_disk: Callable[[str], DiskOrder | None] = _no_root_disk  # by instance type; None: not billed separately
    user_accounts: UserAccounts | None = None  # None: runs always use the site's account
    usual_region: str | None = None  # to begin a plan with, and its zones
    usual_zones: tuple[str, ...] = ()
    look_pause: timedelta = timedelta(0)  # between two lists of machines, where lists are limited
    ssh_fault: Callable[[str], str | None] = _always_reached  # why workers in this network could not reach machines
    missing_settings: Callable[[], Sequence[str]] = tuple  # those without which the site may not offer it, in words
    image: Callable[[], str] = _no_image  # that the site's machines boot from, as its setting names it
    image_setting: str = ""
    local_disks: frozenset[str] = frozenset()  # the kinds that are part of the machine; all others are volumes
    local_disk_link: Callable[[int], str] = _no_local_disk  # of the n-th on the host, from 0: see scripts/disks.py
    family: Callable[[str], str] = _one_family  # by instance type: only types of one may stand for each other


class ProviderError(Exception):
    """The cloud refused a call. `is_final`: a retry will not help."""

    is_final = True


class NoCapacity(ProviderError):
    """No machine of the type in the zone(s) now.

    `zone` is set when another one may be tried: the plan leaves the zone open, and no machine of the run exists.
    `instance_type` is the one that could not be had, if no machine of the run exists.
    """

    def __init__(self, text: str, zone: str | None = None, *, instance_type: str | None = None) -> None:
        super().__init__(text)
        self.zone = zone
        self.instance_type = instance_type


class NoZoneLeft(NoCapacity):
    """Every zone that has the types was full, or none has them all; no machine of the run exists."""


class QuotaExceeded(ProviderError):
    """The limit of the account, not of the cloud."""


class NotAllowed(ProviderError):
    """Credentials are missing or lack a permission; the text names the permission, never the credentials."""


class NoCredentials(NotAllowed):
    """The site has none that the SDK can use: nothing was asked for."""


class InvalidPlan(ProviderError):
    """The cloud does not have what the plan or a setting names: a type, a disk, a zone, a network, an image."""


class TryAgain(ProviderError):
    """Throttled, timed out or unreachable: a retry may succeed."""

    is_final = False


class Provider(ABC):
    """Every call is blocking but short, safe to repeat, and raises only ProviderError."""

    slug: str
    abilities: Abilities

    def lacks(self, service: str, version: str | None) -> str | None:
        """What is missing before the service can run, in a sentence for the user; None when nothing is."""
        return None

    def lacks_tool(self, tool: str) -> str | None:
        """The same for a load tool."""
        return None

    def check_credentials(self) -> None:
        """Raises NoCredentials where the SDK finds none; the cloud is not asked whether they are valid."""
        return

    def survey(self, nodes: Sequence[NodeRequest], *, region: str, spot: bool) -> Survey:
        """Whether the cloud would launch these nodes now, as far as it can be asked; nothing is made."""
        return Survey()

    @abstractmethod
    def launch(self, order: NodeOrder) -> Sequence[Machine]:
        """Create the machines that do not exist yet; return all machines of the order.

        Safe after a crash or a lost answer: existing machines are looked up by (tag, name) first. Safe after a
        pause: no machine is left of a launch that goes on after the run was torn down, see `is_wanted`.
        Returns at once: machines may be pending, and `machines` may not list them for a while.
        """

    @abstractmethod
    def machines(self, tag: str, region: str | None) -> Sequence[Machine]:
        """All machines with the tag of the run that are not terminated.

        A machine that the cloud has taken back is included, with `is_interrupted`, as long as the cloud lists it.
        """

    def history(self, tag: str, region: str | None) -> Sequence[Machine]:
        """Every machine that ever had the tag, with its end, as far as the provider still lists it: for the receipt."""
        return self.machines(tag, region)

    @abstractmethod
    def terminate(self, tag: str, region: str | None) -> bool:
        """Delete everything with the tag; True once a list shows that nothing is left."""

    def remove(self, tag: str, region: str | None, names: Collection[str]) -> bool:
        """Delete these machines of the run alone; True once a list shows that none of them costs anything more.

        For providers that can replace machines.
        """
        raise ProviderError("this provider replaces no machine of a run")

    @abstractmethod
    def leftovers(self, region: str | None, unseen: dict[str, str] | None = None) -> Sequence[Leftover]:
        """Everything that still exists of any run of this site, for the sweep.

        Places that do not answer are added to `unseen`, with the reason, and the others are listed all the same.
        Without `unseen`, one silent place is an error.
        """
