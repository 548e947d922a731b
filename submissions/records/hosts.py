"""What is known of the hosts of a submission: CPU, disks and network during the trials, and their disk tests."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from pydantic import ValidationError

from submissions.analysis.host_metrics import hosts
from submissions.analysis.host_metrics.hosts import Hosts
from submissions.choices import ArtifactKind
from submissions.ingest.document.disk_test import DiskTestDocument
from submissions.ingest.document.host import HostDocument
from submissions.ingest.document.strict_model import StrictModel
from submissions.ingest.files.storage import open_stored
from submissions.models import Artifact, Submission


@dataclass(frozen=True, slots=True)
class HostRecords:
    """As in a submission document."""

    hosts: tuple[dict[str, Any], ...]
    disk_tests: tuple[dict[str, Any], ...]


def host_records(submission: Submission, summary: Hosts | None) -> HostRecords:
    """Of the document; of the file of a run, where an earlier version of the site stored them in it alone."""
    stated = {name: submission.document.get(name) or [] for name in ("hosts", "disk_tests")}
    records = summary.records if summary and not any(stated.values()) else stated
    return HostRecords(
        hosts=_valid(HostDocument, records["hosts"]),
        disk_tests=_valid(DiskTestDocument, records["disk_tests"]),
    )


def host_summary(artifacts: Iterable[Artifact]) -> Hosts | None:
    """The file of a run; None where there is none, or its bytes are gone or not ours. Reads one small file."""
    for artifact in artifacts:
        if artifact.kind == ArtifactKind.HOST_SUMMARY:
            try:
                with open_stored(artifact.sha256) as stored:
                    return hosts.unpacked(stored.read())
            except (FileNotFoundError, ValueError):
                return None
    return None


def _valid(part: type[StrictModel], records: Iterable[Any]) -> tuple[dict[str, Any], ...]:
    """With every field; without records of another form."""
    found = []
    for record in records:
        try:
            found.append(part.model_validate(record).model_dump(mode="json"))
        except ValidationError:
            continue
    return tuple(found)
