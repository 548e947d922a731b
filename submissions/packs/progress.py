"""How far packs are loaded."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass

from django.db.models import Count, Q

from submissions.models import PackEntry
from submissions.packs.pack import Pack


@dataclass(frozen=True, slots=True)
class Progress:
    loaded: int
    refused: int
    total: int

    @property
    def waiting(self) -> int:
        return self.total - self.loaded - self.refused

    @property
    def share(self) -> float:
        return (self.loaded + self.refused) / self.total


def progress(packs: Collection[Pack]) -> Progress:
    """Of all of them together. One query."""
    of_each = progress_of_each(packs).values()
    return Progress(
        loaded=sum(each.loaded for each in of_each),
        refused=sum(each.refused for each in of_each),
        total=sum(each.total for each in of_each),
    )


def progress_of_each(packs: Collection[Pack]) -> Mapping[str, Progress]:
    """By name, in their order. One query."""
    counts = PackEntry.objects.filter(pack__in=[pack.name for pack in packs]).order_by().values("pack", "version")
    counted = counts.annotate(
        loaded=Count("pk", filter=Q(problem="")), refused=Count("pk", filter=~Q(problem=""))
    ).values_list("pack", "version", "loaded", "refused")
    of_version = {(name, version): (loaded, refused) for name, version, loaded, refused in counted}
    return {
        pack.name: Progress(*of_version.get((pack.name, pack.version), (0, 0)), len(pack.entries())) for pack in packs
    }
