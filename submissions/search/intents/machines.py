"""Two machine types or families against each other: a result of each under the newest workload of both."""

from dataclasses import dataclass

from django.db.models import Exists, F, OuterRef, Q

from submissions.models import InstanceType, Submission, SubmissionQuerySet, Workload


@dataclass(frozen=True, slots=True)
class Pair:
    """Results by their numbers; None where no workload ran on both."""

    title: str
    one: int
    other: int


def pair_of(one: str, other: str) -> Pair | None:
    """The best of each, per dollar where they have a price. Four queries at most."""
    types = _types(one, other)
    if types is None:
        return None
    rows = [Submission.objects.rankable().filter(instance_type__in=names) for names in types]
    of_both = [Exists(each.filter(workload=OuterRef("pk"))) for each in rows]
    newest_first = F("totals__newest").desc(nulls_last=True), "-pk"
    workload = Workload.objects.filter(*of_both).order_by(*newest_first).values("pk", "title").first()
    if workload is None:
        return None
    best = [_best(each.filter(workload=workload["pk"])) for each in rows]
    return Pair(workload["title"], best[0], best[1])


def _types(one: str, other: str) -> tuple[list[str], list[str]] | None:
    """The names of both sides; None where the price book does not know them, or has one on both."""
    names = list(InstanceType.objects.filter(_begins(one) | _begins(other)).values_list("name", flat=True).distinct())
    own = [name for name in names if _is_of(name, one)]
    others = [name for name in names if _is_of(name, other) and name not in own]
    return (own, others) if own and others else None


def _begins(family: str) -> Q:
    return Q(name=family) | Q(name__startswith=f"{family}.") | Q(name__startswith=f"{family}-")


def _is_of(name: str, family: str) -> bool:
    return name == family or name.startswith((f"{family}.", f"{family}-"))


def _best(rows: SubmissionQuerySet) -> int:
    first = rows.order_by(F("ops_per_usd").desc(nulls_last=True), F("throughput_ops_s").desc(), "-pk")
    return first.values_list("pk", flat=True)[0]
