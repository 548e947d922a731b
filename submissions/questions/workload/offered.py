"""The workloads that a selector offers, from a tally: those with the most first."""

from submissions.choices import Trust
from submissions.models import TallyPart, Workload
from submissions.questions.workload.choice import MOST_CHOICES, WorkloadChoice
from submissions.tallies.growth import TallyKind
from submissions.tallies.shelf import SHELVES


def offered_workloads(
    kind: TallyKind, shelf: Trust | None, replication_factor: int | None = None
) -> list[WorkloadChoice]:
    """Two queries."""
    place = SHELVES.index(shelf)
    parts = TallyPart.objects.filter(tally__name=kind.name, **{f"numbers__{place}__gt": 0})
    if replication_factor is not None:
        factor = Workload.objects.filter(canonical__replication_factor=replication_factor).values("pk")
        parts = parts.filter(workloads__0__in=factor)
    figures = sorted(
        parts.values_list(f"orders__{place}", f"numbers__{place}", "workloads__0"), key=lambda row: -row[0]
    )
    # those with as many as the last one too: their titles decide
    shown = [row for row in figures if row[0] >= figures[:MOST_CHOICES][-1][0]]
    numbers = {pk: (order, number) for order, number, pk in shown}
    workloads = Workload.objects.filter(pk__in=numbers).values_list("pk", "fingerprint", "title")
    ranked = sorted(workloads, key=lambda row: (-numbers[row[0]][0], row[2], row[1]))
    return [WorkloadChoice(fingerprint, title, numbers[pk][1]) for pk, fingerprint, title in ranked[:MOST_CHOICES]]
