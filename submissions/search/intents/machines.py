"""Two machine types or families against each other: a result of each under the newest workload of both."""

from collections.abc import Sequence
from dataclasses import dataclass

from django.db.models import Exists, F, OuterRef

from submissions.machines.catalogue import Catalogue, Machine, MachineKey, catalogue
from submissions.models import Submission, SubmissionQuerySet, Workload


@dataclass(frozen=True, slots=True)
class Side:
    """The types of a family, or the one type of that name."""

    name: str
    types: tuple[str, ...] = ()
    families: tuple[str, ...] = ()
    machine: MachineKey | None = None  # where the name is that of one type

    @property
    def fields(self) -> dict[str, tuple[str, ...] | str]:
        """For the list of results; by words where nobody knows the name."""
        if self.name in self.types:
            return {"instance_type": self.name}
        return {"machine_family": self.families} if self.families else {"q": self.name}


@dataclass(frozen=True, slots=True)
class Pair:
    """Results by their numbers, and their workload."""

    title: str
    one: int
    other: int


def sides_of(one: str, other: str) -> tuple[Side, Side]:
    """As many queries as the catalogue costs."""
    known = catalogue()
    return _side(one, known), _side(other, known)


def machine_named(name: str) -> MachineKey | None:
    """The type of that name, or of a size whose kinds have longer ones; as many queries as the catalogue costs."""
    return _side(name, catalogue()).machine


def pair_of(one: Side, other: Side) -> Pair | None:
    """The best of each under the newest workload of both, per dollar where they have a price. Three queries at most.

    None where no workload ran on both.
    """
    if not one.types or not other.types:
        return None
    rows = [Submission.objects.rankable().filter(instance_type__in=side.types) for side in (one, other)]
    of_both = [Exists(each.filter(workload=OuterRef("pk"))) for each in rows]
    newest_first = F("figures__newest").desc(nulls_last=True), "-pk"
    workload = Workload.objects.filter(*of_both).order_by(*newest_first).values("pk", "title").first()
    if workload is None:
        return None
    best = [_best(each.filter(workload=workload["pk"])) for each in rows]
    if best[0] is None or best[1] is None or best[0] == best[1]:
        return None
    return Pair(workload["title"], best[0], best[1])


def _side(name: str, known: Catalogue) -> Side:
    own = [machine for machine in known.values() if _is_of(machine.name.lower(), name)]
    families = {machine.family for machine in own} - {None}
    types = tuple(sorted({machine.name for machine in own}))
    return Side(name, types, tuple(sorted(filter(None, families))), _one_type(name, own))


def _one_type(name: str, own: Sequence[Machine]) -> MachineKey | None:
    """ "z3-highmem-8" is z3-highmem-8-highlssd; "z3-highmem" and "i4i" are families, of many sizes."""
    of_size = [one for one in own if one.name.lower() == name or (one.family and len(one.family) < len(name))]
    return min(of_size, key=lambda one: (len(one.name), one.name, one.provider)).key if of_size else None


def _is_of(name: str, family: str) -> bool:
    return name == family or name.startswith((f"{family}.", f"{family}-"))


def _best(rows: SubmissionQuerySet) -> int | None:
    """None where it was retracted meanwhile."""
    first = rows.order_by(F("ops_per_usd").desc(nulls_last=True), F("throughput_ops_s").desc(), "-pk")
    return first.values_list("pk", flat=True).first()
