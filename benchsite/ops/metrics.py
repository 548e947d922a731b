"""The figures in Prometheus' form, computed from database and Redis when they are asked for: one process answers."""

from collections import defaultdict
from collections.abc import Iterator

import redis
from django.db import connections
from prometheus_client import CollectorRegistry
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, HistogramMetricFamily, Metric
from prometheus_client.registry import Collector

from benchsite.ops import counts, figures

PREFIX = "benchsite"


class SiteCollector(Collector):
    def collect(self) -> Iterator[Metric]:
        try:
            yield from _gauges()
            yield from _counted()
        finally:
            for connection in connections.all(initialized_only=True):  # each scrape has a thread of its own
                if not connection.in_atomic_block:
                    connection.close()


def registry() -> CollectorRegistry:
    made = CollectorRegistry(auto_describe=False)
    made.register(SiteCollector())
    return made


def _gauges() -> Iterator[Metric]:
    families: dict[str, GaugeMetricFamily] = {}
    label = "1 where the figures of a section could not be read"
    unknown = GaugeMetricFamily(f"{PREFIX}_{figures.UNKNOWN}", label, labels=["section"])
    for section, found in figures.sections():
        is_unknown = [figure.name for figure in found] == [figures.UNKNOWN]
        unknown.add_metric([section], int(is_unknown))
        for figure in () if is_unknown else found:
            name = f"{PREFIX}_{figure.name}"
            family = families.setdefault(
                name, GaugeMetricFamily(name, figure.label, labels=sorted(figure.labels) or None)
            )
            if figure.value is not None:
                family.add_metric([figure.labels[label] for label in sorted(figure.labels)], figure.value)
    yield from families.values()
    yield unknown


def _counted() -> Iterator[Metric]:
    try:
        fields = counts.read()
    except redis.RedisError:
        return
    by_kind: dict[str, dict[tuple[str, str], dict[str, int]]] = defaultdict(lambda: defaultdict(dict))
    for text, amount in fields.items():
        kind, what, name, value = text.split(counts.SEPARATOR)
        by_kind[kind][what, name][value] = amount
    for kind, entries in sorted(by_kind.items()):
        outcomes = CounterMetricFamily(f"{PREFIX}_{kind}s", f"{kind}s by outcome", labels=["name", "outcome"])
        seconds = HistogramMetricFamily(f"{PREFIX}_{kind}_seconds", f"how long a {kind} took", labels=["name"])
        for (what, name), values in sorted(entries.items()):
            if what == "outcome":
                for outcome, amount in sorted(values.items()):
                    outcomes.add_metric([name, outcome], amount)
            elif what == "bucket":
                total = entries.get(("micros", name), {}).get("", 0) / 1_000_000
                seconds.add_metric([name], buckets=_cumulative(values), sum_value=total)
        yield outcomes
        yield seconds


def _cumulative(values: dict[str, int]) -> list[tuple[str, float]]:
    buckets, so_far = [], 0
    for limit in (*map(str, counts.BUCKETS), "+Inf"):
        so_far += values.get(limit, 0)
        buckets.append((limit, float(so_far)))
    return buckets
