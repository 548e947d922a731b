"""Two machine types or families against each other: a result of each under the newest workload of both."""

from collections.abc import Sequence
from dataclasses import dataclass

from django.db.models import Exists, F, OuterRef, Q

from submissions.models import InstanceType, Submission, SubmissionQuerySet, Workload
from submissions.pricing.providers import billing_of


@dataclass(frozen=True, slots=True)
class Side:
    """The types of a family, or the one type of that name."""

    name: str
    types: tuple[str, ...] = ()
    families: tuple[str, ...] = ()

    @property
    def fields(self) -> dict[str, tuple[str, ...] | str]:
        """For the list of results; by words where the price book does not know the name."""
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
    """One query: of the price book."""
    rows = list(InstanceType.objects.filter(_begins(one) | _begins(other)).values_list("provider", "name"))
    return _side(one, rows), _side(other, rows)


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


def _side(name: str, rows: Sequence[tuple[str, str]]) -> Side:
    own = [(provider, type_name) for provider, type_name in rows if _is_of(type_name, name)]
    families = {billing_of(provider).family_of(type_name) for provider, type_name in own}
    return Side(name, tuple(sorted({type_name for _, type_name in own})), tuple(sorted(filter(None, families))))


def _begins(family: str) -> Q:
    return Q(name=family) | Q(name__startswith=f"{family}.") | Q(name__startswith=f"{family}-")


def _is_of(name: str, family: str) -> bool:
    return name == family or name.startswith((f"{family}.", f"{family}-"))


def _best(rows: SubmissionQuerySet) -> int | None:
    """None where it was retracted meanwhile."""
    first = rows.order_by(F("ops_per_usd").desc(nulls_last=True), F("throughput_ops_s").desc(), "-pk")
    return first.values_list("pk", flat=True).first()
