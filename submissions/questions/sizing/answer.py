"""The answer to a sizing question as plain values: for the API, the page's JSON and its CSV."""

from decimal import Decimal
from typing import Any

from submissions.questions.sizing.query import Answer, Candidate, Question

MOST_CANDIDATES = 50

CSV_COLUMNS = (
    "submission",
    "provider",
    "region",
    "instance_type",
    "node_count",
    "nodes_per_zone",
    "cache",
    "throughput_ops_s",
    "relative_throughput",
    "extrapolated",
    "measured_node_counts",
    "n",
    "hourly_usd",
    "usd_per_month",
    "share_of_base_cost",
    "price_date",
    "is_price_stated",
    "price_missing",
    "usable_tb",
    "tb_per_zone",
    "is_base",
)


def as_json(question: Question, answer: Answer) -> dict[str, Any]:
    """Money as text, exact; the cheapest candidate first."""
    base = question.base
    return {
        "workload": question.workload.fingerprint,
        "workload_title": question.workload.title,
        "replication_factor": question.replication_factor,
        "target_ops_s": None if question.is_relative else question.target,
        "equal_to": base and base.pk,
        "max_p99_ms": question.max_p99_ms,
        "latency_kind": None if question.max_p99_ms is None else answer.counts.latency_kind.value,
        "zones": question.zones,
        "basis": question.terms.basis,
        "at": question.terms.day and question.terms.day.isoformat(),
        "total": len(answer.candidates),
        "candidates": [as_row(one, question, answer) for one in answer.candidates[:MOST_CANDIDATES]],
    }


def as_row(one: Candidate, question: Question, answer: Answer) -> dict[str, Any]:
    cost = one.cost
    share = answer.share_of_base(one)
    return {
        "submission": one.submission.pk,
        "provider": one.submission.provider,
        "region": one.submission.region,
        "instance_type": one.submission.instance_type,
        "node_count": one.node_count,
        "nodes_per_zone": nodes_per_zone(one, question),
        "cache": [{"instance_type": name, "node_count": count} for count, name in one.caches],
        "throughput_ops_s": None if question.is_relative else one.throughput,
        "relative_throughput": one.throughput if question.is_relative else None,
        "extrapolated": one.is_extrapolated,
        "measured_node_counts": list(one.measured),
        "n": one.n,
        "hourly_usd": _money(cost.hourly_usd),
        "usd_per_month": _money(cost.monthly_usd),
        "share_of_base_cost": None if share is None else float(share),
        "price_date": cost.price_date and cost.price_date.isoformat(),
        "is_price_stated": cost.is_stated,
        "price_missing": cost.missing,
        "usable_tb": one.usable_tb,
        "tb_per_zone": tb_per_zone(one, question),
        "is_base": one.is_base,
    }


def nodes_per_zone(one: Candidate, question: Question) -> int | None:
    """None for a cluster that stands as it was measured, in other zones than are asked for."""
    return one.node_count // question.zones if one.node_count % question.zones == 0 else None


def tb_per_zone(one: Candidate, question: Question) -> float | None:
    """TB of the disks of one zone's nodes: with as many zones as replicas, a copy of all the data."""
    return None if one.raw_tb is None else one.raw_tb / question.zones


def _money(usd: Decimal | None) -> str | None:
    """Without needless zeros: "46.5"."""
    return None if usd is None else f"{usd.normalize():f}"
