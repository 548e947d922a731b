"""The only code that writes submissions: one transaction each, the same content once."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from django.contrib.auth.models import AbstractBaseUser
from django.db import IntegrityError, transaction

from submissions.choices import ArtifactKind, Role
from submissions.ingest import fingerprint, intervals, storage
from submissions.ingest.pipeline import Prepared
from submissions.ingest.trial_results import latency_columns, total
from submissions.models import Artifact, NodeGroup, Submission, Trial, Workload
from submissions.pricing.cost import ops_per_usd, usd_per_million_ops


@dataclass(frozen=True, slots=True)
class Stored:
    submission: Submission
    created: bool  # False: the same content was there before


def store(prepared: Prepared, *, submitted_by: AbstractBaseUser | None) -> Stored:
    """Write a submission with its trials, node groups and artifacts, or find the first of its kind.

    Files go to the storage before the rows: a crash between leaves bytes nobody points to, never a
    row without its bytes. Two at the same moment: the unique content hash lets one through.
    """
    first = Submission.objects.filter(content_hash=prepared.content_hash).first()
    if first:
        return Stored(first, created=False)
    artifacts = _kept_artifacts(prepared)
    try:
        with transaction.atomic():
            return Stored(_write(prepared, artifacts, submitted_by), created=True)
    except IntegrityError:
        first = Submission.objects.filter(content_hash=prepared.content_hash).first()
        if first is None:
            raise  # another rule was broken: that is our bug
        return Stored(first, created=False)


def _write(prepared: Prepared, artifacts: Sequence[Artifact], submitted_by: AbstractBaseUser | None) -> Submission:
    form = dict(prepared.workload)
    workload, _ = Workload.objects.get_or_create(
        fingerprint=prepared.fingerprint,
        defaults={
            "canonical": form,
            "title": fingerprint.workload_title(form),
            "service": prepared.document.service.name,
        },
    )
    submission = Submission.objects.create(workload=workload, submitted_by=submitted_by, **submission_columns(prepared))
    Trial.objects.bulk_create(
        Trial(submission=submission, index=index, **trial.columns()) for index, trial in enumerate(prepared.trials)
    )
    NodeGroup.objects.bulk_create(
        NodeGroup(submission=submission, **columns) for columns in node_group_columns(prepared)
    )
    for artifact in artifacts:
        artifact.submission = submission
    Artifact.objects.bulk_create(artifacts)
    return submission


def submission_columns(prepared: Prepared) -> dict[str, Any]:
    """The fields of the Submission row, but its workload and who sent it."""
    return {
        "content_hash": prepared.content_hash,
        "document": prepared.document.model_dump(mode="json"),
        "trust": prepared.trust.value,
        "flags": [flag.value for flag in prepared.flags],
        **_text_columns(prepared),
        **_cluster_columns(prepared),
        **_workload_columns(prepared),
        **_result_columns(prepared),
        **_cost_columns(prepared),
    }


def _text_columns(prepared: Prepared) -> dict[str, Any]:
    document = prepared.document
    return {
        "title": document.title or default_title(prepared),
        "notes": document.notes,
        "source_url": document.source_url or "",
        "source": document.source,
        "measured_at": document.measured_at,
    }


def default_title(prepared: Prepared) -> str:
    """What a submission without a title is called."""
    document = prepared.document
    database = document.database
    version = f" {document.service.version}" if document.service.version else ""
    return (
        f"{document.service.name}{version} on {database.count} x {database.instance_type}, "
        f"{document.provider}: {document.workload.tool} "
        f"{fingerprint.operation_name(document.workload)}"
    )[:300]


def _cluster_columns(prepared: Prepared) -> dict[str, Any]:
    document = prepared.document
    database, jdk, network = document.database, document.jdk, document.network
    kinds = sorted({disk.kind for disk in database.disks})
    return {
        "service": document.service.name,
        "service_version": document.service.version,
        "provider": document.provider,
        "region": document.region,
        "zones": list(document.zones),
        "instance_type": database.instance_type,
        "cpu_model": database.cpu_model,
        "vcpus": database.vcpus,
        "memory_gib": database.memory_gib,
        "disk_kind": "+".join(kinds)[:50] or None,
        "node_count": document.count(Role.DATABASE),
        "cache_node_count": document.count(Role.CACHE),
        "client_count": document.count(Role.CLIENT) or None,
        "jdk_vendor": jdk and jdk.vendor,
        "jdk_version": jdk and jdk.version,
        "network_kind": network and network.kind,
        "network_encryption": network and network.encryption,
        "pricing_model": database.pricing_model,
    }


def _workload_columns(prepared: Prepared) -> dict[str, Any]:
    workload = prepared.document.workload
    return {
        "tool": workload.tool,
        "tool_version": workload.tool_version,
        "operation": fingerprint.operation_name(workload),
        "consistency_level": workload.consistency_level,
        "replication_factor": workload.replication_factor,
        "load_mode": fingerprint.load_mode(workload),
        "threads": workload.threads,
    }


def _result_columns(prepared: Prepared) -> dict[str, Any]:
    spread, trials = prepared.throughput, prepared.trials
    relative = [trial.relative_throughput for trial in trials if trial.relative_throughput]
    return {
        "trials_count": len(trials),
        "throughput_ops_s": spread and spread.mean,
        "throughput_low_ops_s": spread and spread.low,
        "throughput_high_ops_s": spread and spread.high,
        "throughput_cv": spread and spread.cv,
        "relative_throughput": sum(relative) / len(relative) if relative else None,
        "relative_base": prepared.document.relative_base,
        "operations": total([trial.operations for trial in trials]),
        "errors": total([trial.errors for trial in trials]),
        **latency_columns(prepared.latency.kind, prepared.latency.latency),
    }


def _cost_columns(prepared: Prepared) -> dict[str, Any]:
    cost, spread = prepared.priced.cost, prepared.throughput
    columns: dict[str, Any] = {
        "hourly_usd": cost.hourly_usd,
        "price_date": cost.price_date,
        "is_price_stated": cost.is_stated,
        "price_missing": cost.missing[:300],
    }
    if cost.hourly_usd is not None and spread is not None:
        columns["ops_per_usd"] = ops_per_usd(hourly_usd=cost.hourly_usd, throughput_ops_s=spread.mean)
        columns["usd_per_million_ops"] = usd_per_million_ops(hourly_usd=cost.hourly_usd, throughput_ops_s=spread.mean)
    return columns


def node_group_columns(prepared: Prepared) -> list[dict[str, Any]]:
    """The fields of the NodeGroup rows, in the document's order."""
    return [
        {
            "position": position,
            "role": group.role.value,
            "count": group.count,
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
        }
        for position, (group, price) in enumerate(zip(prepared.document.nodes, prepared.priced.groups, strict=True))
    ]


def _kept_artifacts(prepared: Prepared) -> list[Artifact]:
    """Artifact rows, not yet saved, whose bytes are in the storage."""
    rows = [
        Artifact(
            trial_index=owned.trial_index,
            kind=owned.file.kind.value,
            name=owned.file.member.name,
            sha256=storage.keep(owned.file.member),
            size_bytes=owned.file.member.size_bytes,
        )
        for owned in prepared.files
    ]
    series = intervals.packed(prepared.trials)
    if series is not None:
        rows.append(
            Artifact(
                kind=ArtifactKind.INTERVALS.value,
                name="intervals.json.gz",
                sha256=storage.keep_bytes(series),
                size_bytes=len(series),
            )
        )
    return rows
