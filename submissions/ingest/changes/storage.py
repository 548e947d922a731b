"""Results that were stored before the catalogue knew their machines: whether storage is in their price."""

from django.db.models import F, Func, Value

from submissions.choices import Flag, NodeKind, Role
from submissions.models import NodeGroup, Submission
from submissions.pricing.machines.local_disks import local_disks_of
from submissions.pricing.providers import billing_of
from submissions.vocabulary import IN_MEMORY


def mark_without_storage() -> int:
    """Flag them as `ingest.checks.storage` flags new ones; how many there were."""
    groups = NodeGroup.objects.filter(role=Role.DATABASE, kind=NodeKind.MACHINES, is_price_stated=False, disks=[])
    groups = groups.exclude(submission__flags__contains=[Flag.WITHOUT_STORAGE])
    groups = groups.exclude(submission__workload__service__in=IN_MEMORY)
    found = {
        pk
        for pk, provider, instance_type in groups.values_list("submission", "submission__provider", "instance_type")
        if billing_of(provider).has_list_prices and (disks := local_disks_of(provider, instance_type)) and not disks.gib
    }
    flags = Func(F("flags"), Value(Flag.WITHOUT_STORAGE.value), function="array_append")
    return Submission.objects.filter(pk__in=found).update(flags=flags)
