"""Cluster sizes of one workload: which series there are, and the points of each."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from django.db.models import Avg, Count, Exists, F, Max, Min, OuterRef, Q, QuerySet

from submissions.analysis.scaling import Point, Scaling, scaling
from submissions.choices import Role
from submissions.models import IS_EXCLUDED, NodeGroup, Submission, SubmissionQuerySet, Workload
from submissions.questions.workload.choice import MOST_CHOICES, WorkloadChoice
from submissions.records.cache import cached

FEWEST_SIZES = 2
MOST_SERIES = 40  # of one workload; a chart shows the first of them
MOST_POINTS = 2_000  # of all the series of one workload

# What may differ between the points of a series beside the number of nodes: column -> words.
FACETS = {
    "service_version": "service version",
    "region": "region",
    "jdk_vendor": "JDK",
    "jdk_version": "JDK version",
    "disk_kind": "disk",
    "threads": "threads per client",
}


@dataclass(frozen=True, slots=True, order=True)
class SeriesKey:
    """Machines of one type at one provider: what a curve may be drawn through."""

    provider: str
    instance_type: str

    @property
    def name(self) -> str:
        return f"{self.instance_type}, {self.provider}"


@dataclass(frozen=True, slots=True)
class SizeFacts:
    """A point's submissions: how many, the newest, and the range of their client counts."""

    point: Point
    newest: int
    clients: tuple[int, int] | None  # lowest and highest; None where that of any is unknown


@dataclass(frozen=True, slots=True)
class Series:
    key: SeriesKey
    sizes: tuple[SizeFacts, ...]  # the smallest first
    scaling: Scaling
    differs: tuple[str, ...]  # what beside the nodes is not the same in all its submissions

    @property
    def submissions(self) -> int:
        return sum(size.point.n for size in self.sizes)


@dataclass(frozen=True, slots=True)
class LeftOut:
    """Submissions of a workload that are in no series, by reason."""

    doubtful: int
    with_cache: int
    mixed_machines: int


def usable() -> SubmissionQuerySet:
    """An absolute rate beyond doubt, of database nodes of one machine type without a cache before them."""
    return Submission.objects.rankable().filter(cache_node_count=0).exclude(has_other_machines())


def workloads() -> list[WorkloadChoice]:
    """Workloads with a series of two sizes or more, and how many submissions are in such series.

    Two queries, one while the answer is kept.
    """
    return cached(("scaling workloads",), _workloads)


def workload_of(fingerprint: str, offered: Sequence[WorkloadChoice]) -> WorkloadChoice | None:
    """The workload, with a count of 0 where it has no series; None when nobody has heard of it.

    One that is not among `offered` costs a query.
    """
    for choice in offered:
        if choice.fingerprint == fingerprint:
            return choice
    workload = Workload.objects.filter(fingerprint=fingerprint).first()
    return workload and WorkloadChoice(workload.fingerprint, workload.title, 0)


def series(workload: str) -> list[Series]:
    """The series of two sizes or more of a workload (fingerprint), that with the most sizes first. Two queries.

    A series that has more sizes than a page can show keeps those with the most submissions.
    """
    rows = usable().filter(workload__fingerprint=workload)
    found = []
    keys = _keys(rows)
    if not keys:
        return []
    points = _points(rows, keys)
    for key in keys:
        own = [row for row in points if (row["provider"], row["instance_type"]) == (key.provider, key.instance_type)]
        if len(own) >= FEWEST_SIZES:
            found.append(_series(key, own))
    return sorted(found, key=lambda one: (-len(one.sizes), -one.submissions, one.key))


def pick(found: Sequence[Series], provider: str = "", instance_type: str = "") -> Series | None:
    """The first series, which has the most sizes, of the provider and the machine where they are given."""
    for one in found:
        if provider in ("", one.key.provider) and instance_type in ("", one.key.instance_type):
            return one
    return None


def as_json(workload: WorkloadChoice, found: Sequence[Series], chosen: Series | None) -> dict[str, Any]:
    """The answer of the API and of the page's JSON; `series` tells which others there are."""
    scaling = chosen.scaling if chosen else None
    usl = scaling.usl if scaling else None
    return {
        "workload": workload.fingerprint,
        "workload_title": workload.title,
        "provider": chosen and chosen.key.provider,
        "instance_type": chosen and chosen.key.instance_type,
        "points": _points_json(chosen) if chosen else [],
        "linearity_r2": scaling and scaling.linearity_r2,
        "usl": usl and {"lambda": usl.lambda_, "sigma": usl.sigma, "kappa": usl.kappa, "peak_nodes": usl.peak_nodes},
        "client_bound": scaling and scaling.client_bound,
        "differs": list(chosen.differs) if chosen else [],
        "series": [
            {
                "provider": one.key.provider,
                "instance_type": one.key.instance_type,
                "sizes": len(one.sizes),
                "submissions": one.submissions,
            }
            for one in found
        ],
    }


def as_rows(chosen: Series | None) -> tuple[list[str], list[list[Any]]]:
    """(columns, rows) of the points, for CSV."""
    rows = [list(point.values()) for point in _points_json(chosen)] if chosen else []
    return list(POINT_COLUMNS), rows


POINT_COLUMNS = (
    "node_count",
    "client_count",
    "throughput_ops_s",
    "efficiency",
    "per_node",
    "per_client",
    "n",
    "newest_submission",
)


def _points_json(chosen: Series) -> list[dict[str, Any]]:
    return [
        {
            "node_count": size.point.node_count,
            "client_count": size.point.client_count,
            "throughput_ops_s": size.point.throughput_ops_s,
            "efficiency": scaled.efficiency,
            "per_node": scaled.per_node,
            "per_client": scaled.per_client,
            "n": size.point.n,
            "newest_submission": size.newest,
        }
        for size, scaled in zip(chosen.sizes, chosen.scaling.points, strict=True)
    ]


def left_out(workload: str) -> LeftOut:
    """One query."""
    doubtful, cached = IS_EXCLUDED, Q(cache_node_count__gt=0)
    counts = (
        Submission.objects.with_rate()
        .filter(workload__fingerprint=workload)
        .aggregate(
            doubtful=Count("pk", filter=doubtful),
            with_cache=Count("pk", filter=~doubtful & cached),
            mixed_machines=Count("pk", filter=~doubtful & ~cached & has_other_machines()),
        )
    )
    return LeftOut(**counts)


def has_other_machines() -> Q:
    """Database nodes of another type beside those of the largest group."""
    groups = NodeGroup.objects.filter(submission=OuterRef("pk"), role=Role.DATABASE)
    return Q(Exists(groups.exclude(instance_type=OuterRef("instance_type"))))


def _workloads() -> list[WorkloadChoice]:
    rows = (
        usable()
        .order_by()
        .values("workload__fingerprint", "workload__title", "provider", "instance_type")
        .annotate(n=Count("pk"), sizes=Count("node_count", distinct=True))
        .filter(sizes__gte=FEWEST_SIZES)
    )
    counts: dict[tuple[str, str], int] = {}
    for row in rows.iterator():
        workload = row["workload__fingerprint"], row["workload__title"]
        counts[workload] = counts.get(workload, 0) + row["n"]
    ranked = sorted(counts, key=lambda workload: (-counts[workload], workload[1], workload[0]))
    return [
        WorkloadChoice(fingerprint, title, counts[fingerprint, title]) for fingerprint, title in ranked[:MOST_CHOICES]
    ]


def _keys(rows: QuerySet[Submission]) -> list[SeriesKey]:
    found = (
        rows.order_by()
        .values("provider", "instance_type")
        .annotate(sizes=Count("node_count", distinct=True), n=Count("pk"))
        .filter(sizes__gte=FEWEST_SIZES)
        .order_by("-sizes", "-n", "provider", "instance_type")
    )
    return [SeriesKey(row["provider"], row["instance_type"]) for row in found[:MOST_SERIES]]


def _points(rows: QuerySet[Submission], keys: Sequence[SeriesKey]) -> list[dict[str, Any]]:
    wanted = Q()
    for key in keys:
        wanted |= Q(provider=key.provider, instance_type=key.instance_type)
    facets = {
        f"{column}_{name}": make(column)
        for column in FACETS
        for name, make in (("low", Min), ("high", Max), ("known", Count))
    }
    found = (
        rows.filter(wanted)
        .order_by()
        .values("provider", "instance_type", "node_count")
        .annotate(
            n=Count("pk"),
            mean=Avg("throughput_ops_s"),
            newest=Max("pk"),
            clients_low=Min("client_count"),
            clients_high=Max("client_count"),
            clients_known=Count("client_count"),
            **facets,
        )
        .order_by(F("n").desc(), "node_count", "provider", "instance_type")
    )
    return list(found[:MOST_POINTS])


def _series(key: SeriesKey, rows: Iterable[dict[str, Any]]) -> Series:
    ordered = sorted(rows, key=lambda row: row["node_count"])
    sizes = tuple(_size(row) for row in ordered)
    return Series(key, sizes, scaling([size.point for size in sizes]), _differing(ordered))


def _size(row: dict[str, Any]) -> SizeFacts:
    clients = (row["clients_low"], row["clients_high"]) if row["clients_known"] == row["n"] else None
    is_same = clients is not None and clients[0] == clients[1]
    point = Point(row["node_count"], row["mean"], row["clients_low"] if is_same else None, row["n"])
    return SizeFacts(point, row["newest"], clients)


def _differing(rows: Sequence[dict[str, Any]]) -> tuple[str, ...]:
    total = sum(row["n"] for row in rows)
    names = []
    for column, words in FACETS.items():
        values = {row[f"{column}_{end}"] for row in rows for end in ("low", "high")} - {None}
        known = sum(row[f"{column}_known"] for row in rows)
        if len(values) > 1 or 0 < known < total:
            names.append(words)
    return tuple(names)
