"""What a submission says of its disks, against what machines of its types have."""

from collections.abc import Collection

from benchsite.http.refusals import Fault, Refusal
from submissions.choices import NodeKind, Role
from submissions.ingest.attach_prices import group_spec
from submissions.ingest.document.faults import pointer
from submissions.ingest.document.submission import ClusterDocument, NodeGroup, SubmissionDocument
from submissions.pricing.machines.local_disks import local_disks_of
from submissions.pricing.providers import billing_of
from submissions.pricing.storage import lacking_local_disks
from submissions.vocabulary import IN_MEMORY


def is_without_storage(document: SubmissionDocument) -> bool:
    """Whether its data must be on disks that nobody states, so that its price is without them.

    A stated price covers the disks, and a managed service has its own; of a type that is not in the catalogue
    nothing is known.
    """
    if document.service.name in IN_MEMORY or not billing_of(document.provider).has_list_prices:
        return False
    return any(_lacks_storage(group, document.provider) for group in document.nodes)


def check_local_disks(document: ClusterDocument, *, except_at: Collection[str] = ()) -> None:
    """Refusal of local disks that a machine does not have. `except_at`: pointers of facts that a log gave."""
    faults = [
        Fault(place, reason)
        for at, group in enumerate(document.nodes)
        for position, reason in lacking_local_disks(document.provider, group.instance_type, group_spec(group).disks)
        if (place := pointer(("nodes", at, "disks", position, "kind"))) not in except_at
    ]
    if faults:
        raise Refusal(faults)


def _lacks_storage(group: NodeGroup, provider: str) -> bool:
    if group.role != Role.DATABASE or group.kind == NodeKind.MANAGED or group.disks or group.hourly_usd is not None:
        return False
    local = local_disks_of(provider, group.instance_type)
    return local is not None and not local.gib
