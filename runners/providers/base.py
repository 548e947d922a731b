"""What a provider promises; every provider passes tests/runners/providers/contract.py."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime

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
    # whether the run is still being launched; asked after everything is made that the tear-down deletes first
    is_wanted: Callable[[], bool] = field(default=lambda: True, repr=False, compare=False)

    def check_wanted(self) -> None:
        """Raises TryAgain when the run has been torn down since this worker began."""
        if not self.is_wanted():
            raise TryAgain("the run was torn down meanwhile")


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


@dataclass(frozen=True, slots=True)
class Traits:
    """What is known of a provider without its SDK, which takes a second to import; `TRAITS` of its package."""

    is_this_machine: bool = False  # no region and no separate clients
    root_disk: Callable[[str], DiskOrder | None] = _no_root_disk  # by instance type; None: not billed separately
    user_accounts: UserAccounts | None = None  # None: runs always use the site's account
    usual_region: str | None = None  # to begin a plan with, and its zones
    usual_zones: tuple[str, ...] = ()


class ProviderError(Exception):
    """The cloud refused a call. `is_final`: a retry will not help."""

    is_final = True


class NoCapacity(ProviderError):
    """No machine of the type in the zone(s) now."""


class QuotaExceeded(ProviderError):
    """The limit of the account, not of the cloud."""


class NotAllowed(ProviderError):
    """Credentials are missing or lack a permission; the text names the permission, never the credentials."""


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

    @abstractmethod
    def leftovers(self, region: str | None, unseen: dict[str, str] | None = None) -> Sequence[Leftover]:
        """Everything that still exists of any run of this site, for the sweep.

        Places that do not answer are added to `unseen`, with the reason, and the others are listed all the same.
        Without `unseen`, one silent place is an error.
        """
