"""A prepared submission as the columns of its rows: only translated, nothing is computed twice."""

from collections.abc import Sequence
from typing import Any

from submissions.analysis.curves.load_curve import TAIL_SHARES, LoadPoint, peak
from submissions.analysis.data_size import Memory
from submissions.analysis.trials import headline
from submissions.choices import Deployment, Flag, NodeKind, Role, Visibility
from submissions.facts import FACTS
from submissions.formatting.names import cluster_name, generated_title, place_name, service_name, tool_name
from submissions.ingest.document import fingerprint
from submissions.ingest.document.load import limits_of, load_mode, threads_of
from submissions.ingest.document.submission import SubmissionDocument
from submissions.ingest.logs.merged import total
from submissions.ingest.logs.trial_results import TrialResult, latency_columns, latency_headline, p99_columns
from submissions.ingest.pipeline import Prepared
from submissions.ingest.store.data_columns import data_columns
from submissions.load_curves.at_slo import at_slo, limit_of
from submissions.models import Submission, new_link_key
from submissions.pricing.bill import bill_of
from submissions.pricing.cost import ops_per_usd, usd_per_million_ops
from submissions.pricing.providers import billing_of


def workload_columns(prepared: Prepared) -> dict[str, Any]:
    """The fields of the Workload row."""
    form = dict(prepared.workload)
    return {
        "fingerprint": prepared.fingerprint,
        "canonical": form,
        "title": fingerprint.workload_title(form, service_name(form["service"]), tool_name(form["tool"])),
        "service": prepared.document.service.name,
    }


def submission_columns(prepared: Prepared, memory: Memory) -> dict[str, Any]:
    """The fields of the Submission row, except its workload and its submitter; `memory` as of `data_columns`."""
    return {
        "content_hash": prepared.content_hash,
        "document": prepared.content,
        "trust": prepared.trust.value,
        "flags": [flag.value for flag in prepared.flags],
        **_publication_columns(prepared),
        **_stated_columns(prepared.document),
        **_text_columns(prepared),
        **_cluster_columns(prepared),
        **_load_columns(prepared),
        **data_columns(prepared.content, list(map(_counts, prepared.trials)), memory),
        **_result_columns(prepared),
        **_cost_columns(prepared),
        **_bill_columns(prepared),
        "at_slo": _at_slo(prepared),
    }


# Of facts that a document states; what is computed from several places comes after it.
_COMPUTED = frozenset(
    (
        "title",
        "source_url",
        "measured_at",
        "trials_count",
        "zones",
        "deployment",
        "disk_kind",
        "data_bytes",
        "threads",
        "fixed_rate_ops_s",
        "throttle_ops_s",
    )
)
_STATED: dict[str, list[tuple[str, str]]] = {}  # by the part of the document; machines: its largest database group
for _fact in FACTS.values():
    if _fact.place and len(_fact.columns) == 1 and _fact.column not in _COMPUTED:
        _part, _, _name = _fact.place.rpartition(".")
        _STATED.setdefault("database" if _part == "nodes" else _part, []).append((_fact.column, _name))


def _stated_columns(document: SubmissionDocument) -> dict[str, Any]:
    """As they are in the document."""
    columns = {}
    for place, names in _STATED.items():
        part = getattr(document, place) if place else document
        for column, name in names:
            columns[column] = None if part is None else getattr(part, name)
    return columns


_PUBLIC = {"visibility": Visibility.PUBLIC.value, "embargo_until": None}


def _publication_columns(prepared: Prepared) -> dict[str, Any]:
    document = prepared.document
    columns: dict[str, Any] = {"visibility": document.visibility.value, "embargo_until": document.embargo_until}
    if document.visibility == Visibility.UNLISTED:
        columns["link_key"] = new_link_key()
    if columns == _PUBLIC:
        return columns  # what is public at once has the time at which it is stored
    row = Submission(**columns)
    return columns if row.is_public else {**columns, "published_at": row.publication}


def _text_columns(prepared: Prepared) -> dict[str, Any]:
    document = prepared.document
    return {
        "title": document.title or default_title(prepared),
        "source_url": document.source_url or "",
        "measured_at": prepared.measured.at,
        "measured_at_source": prepared.measured.source.value,
        "series": document.series or "",
    }


def default_title(prepared: Prepared) -> str:
    """What a submission without a title is called."""
    document = prepared.document
    database = document.database
    version = f" {document.service.version}" if document.service.version else ""
    pipeline = f", pipeline {document.workload.pipeline}" if document.workload.pipeline else ""
    return generated_title(
        system=f"{service_name(document.service.name)}{version}",
        cluster=cluster_name(database.count, database.instance_type),
        where=place_name(document.provider, document.region),
        load=f"{tool_name(document.workload.tool)} {fingerprint.operation_name(document.workload)}{pipeline}",
    )


def _cluster_columns(prepared: Prepared) -> dict[str, Any]:
    document = prepared.document
    database = document.database
    kinds = sorted({disk.kind for disk in database.disks})
    return {
        "zones": list(document.zones),
        "machine_family": billing_of(document.provider).family_of(database.instance_type),
        "deployment": _deployment(document),
        "disk_kind": "+".join(kinds)[:50] or None,
        "node_count": document.count(Role.DATABASE),
        "cache_node_count": document.count(Role.CACHE),
        "client_count": document.count(Role.CLIENT) or None,
    }


def _deployment(document: SubmissionDocument) -> Deployment | None:
    """What the kind of the nodes says, then what is stated, then what the name of their type says."""
    database = document.database
    if database.kind == NodeKind.MANAGED:
        return Deployment.MANAGED
    return document.deployment or billing_of(document.provider).deployment_of(database.instance_type)


def _load_columns(prepared: Prepared) -> dict[str, Any]:
    workload, limits = prepared.document.workload, limits_of(prepared.document)
    return {
        "operation": fingerprint.operation_name(workload),
        "load_mode": load_mode(prepared.document),
        "threads": threads_of(prepared.document),
        "fixed_rate_ops_s": limits.fixed_rate_ops_s,
        "throttle_ops_s": limits.throttle_ops_s,
    }


def _counts(trial: TrialResult) -> dict[str, Any]:
    """Of the columns of a trial those that say how much it inserted."""
    return {
        "operations": trial.operations,
        "throughput_ops_s": trial.throughput_ops_s,
        "duration_s": trial.duration_s,
        "by_operation": [{"name": each.name, "operations": each.operations} for each in trial.by_operation],
    }


def _result_columns(prepared: Prepared) -> dict[str, Any]:
    spread, trials = prepared.throughput, prepared.repetitions
    relative = [trial.relative_throughput for trial in trials if trial.relative_throughput]
    return {
        "trials_count": len(trials),
        "averaged_over": _repetitions(trials),
        "throughput_ops_s": spread and spread.mean,
        "throughput_low_ops_s": spread and spread.low,
        "throughput_high_ops_s": spread and spread.high,
        "throughput_cv": spread and spread.cv,
        "relative_throughput": sum(relative) / len(relative) if relative else None,
        "relative_base": prepared.document.relative_base,
        "operations": total([trial.operations for trial in trials]),
        "errors": total([trial.errors for trial in trials]),
        **latency_columns(prepared.latency.kind, prepared.latency.latency),
        **p99_columns(prepared.latency.p99),
    }


def _repetitions(trials: Sequence[TrialResult]) -> int | None:
    if all(trial.averaged_over is None for trial in trials):
        return None
    return sum(trial.averaged_over or 1 for trial in trials)


def _cost_columns(prepared: Prepared) -> dict[str, Any]:
    cost, spread = prepared.priced.cost, prepared.throughput
    columns: dict[str, Any] = {
        "hourly_usd": cost.hourly_usd,
        "price_date": cost.price_date,
        "price_last_seen": cost.price_last_seen,
        "is_price_stated": cost.is_stated,
        "price_missing": cost.missing[:300],
    }
    if cost.hourly_usd is not None and spread is not None and Flag.THROTTLED not in prepared.flags:
        columns["ops_per_usd"] = ops_per_usd(hourly_usd=cost.hourly_usd, throughput_ops_s=spread.mean)
        columns["usd_per_million_ops"] = usd_per_million_ops(hourly_usd=cost.hourly_usd, throughput_ops_s=spread.mean)
    return columns


def _bill_columns(prepared: Prepared) -> dict[str, Any]:
    stated = prepared.document.bill
    if stated is None:
        return {"bill": None, "bill_usd": None}
    bill = bill_of(stated.model_dump(mode="json"))
    return {"bill": bill.as_json(), "bill_usd": bill.total_usd}


def trial_columns(prepared: Prepared) -> list[dict[str, Any]]:
    """The fields of the Trial rows, in their order."""
    repetitions = {id(trial) for trial in prepared.repetitions}
    return [
        {"index": index, **trial.columns(), "is_at_peak": id(trial) in repetitions}
        for index, trial in enumerate(prepared.trials)
    ]


def load_point_columns(prepared: Prepared) -> list[dict[str, Any]]:
    """The fields of the LoadPoint rows, in order of load: none for what is no curve, or has only ratios."""
    if not prepared.points or prepared.throughput is None:
        return []
    highest = peak(prepared.points)
    return [
        _load_point(index, point, [prepared.trials[trial.index] for trial in point.trials], is_peak=point is highest)
        for index, point in enumerate(prepared.points)
    ]


def _at_slo(prepared: Prepared) -> dict[str, Any] | None:
    """Of a load curve, unless its source gives only ratios."""
    if not prepared.points or prepared.throughput is None:
        return None
    stated = prepared.document.slo
    limit = limit_of(None if stated is None else stated.model_dump(mode="json"))
    found = at_slo(prepared.points, limit, hourly_usd=prepared.priced.cost.hourly_usd)
    return None if found is None else found.as_json()


def _load_point(index: int, point: LoadPoint, trials: Sequence[TrialResult], *, is_peak: bool) -> dict[str, Any]:
    spread = headline([trial.throughput_ops_s or 0.0 for trial in trials])
    latency = latency_headline(trials)
    return {
        "index": index,
        "offered_ops_s": point.offered_ops_s,
        "threads": point.threads,
        "trials_count": point.trials_count,
        "throughput_ops_s": spread.mean,
        "throughput_low_ops_s": spread.low,
        "throughput_high_ops_s": spread.high,
        **{f"worst_{name}_ms": point.worst_ms(name) for name in TAIL_SHARES},
        "error_share": point.error_share,
        "operations": total([trial.operations for trial in trials]),
        "fewest_operations": point.fewest_operations,
        "is_sustained": point.is_sustained,
        "is_comparable": point.is_comparable,
        "is_of_slowest": point.is_of_slowest,
        "is_peak": is_peak,
        **latency_columns(latency.kind, latency.latency),
    }


def node_group_columns(prepared: Prepared) -> list[dict[str, Any]]:
    """The fields of the NodeGroup rows, in the document's order."""
    return [
        {
            "position": position,
            "role": group.role.value,
            "count": group.count,
            "kind": group.kind.value,
            "instance_type": group.instance_type,
            "cpu_model": group.cpu_model,
            "vcpus": group.vcpus,
            "memory_gib": group.memory_gib,
            "disks": [disk.model_dump(mode="json") for disk in group.disks],
            "pricing_model": group.pricing_model.value,
            "node_hourly_usd": price.node_hourly_usd,
            "storage_hourly_usd": price.storage_hourly_usd,
            "is_price_stated": price.is_price_stated,
            "price_source": price.price_source,
            "price_date": price.price_date,
            "price_last_seen": price.price_last_seen,
        }
        for position, (group, price) in enumerate(zip(prepared.document.nodes, prepared.priced.groups, strict=True))
    ]
