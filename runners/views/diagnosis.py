"""The logs of a run's hosts on its page, with the cause where they show it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any

from django.urls import reverse

from runners.choices import OutputKind
from runners.diagnosis import sentences
from runners.models import Run, RunOutput

LINES = 40
HOSTS = 5  # whose logs are shown: those with a cause first
CAUSES = 10


@dataclass(frozen=True, slots=True)
class Reason:
    """`line` is the line of the log, in the file of this name, that shows it; empty where a host was silent."""

    sentence: str
    file: str
    line: str


@dataclass(frozen=True, slots=True)
class LogFile:
    name: str
    lines: str  # the last ones
    kept_bytes: int | None  # None: not stored
    whole_bytes: int | None  # of the file on the host, where only its end was kept
    address: str  # of the download; empty when not stored


@dataclass(frozen=True, slots=True)
class HostLogs:
    host: str
    files: Sequence[LogFile]


@dataclass(frozen=True, slots=True)
class DiagnosisView:
    reasons: Sequence[Reason]
    more_reasons: int
    hosts: Sequence[HostLogs]
    more_hosts: int
    all_logs: str  # their address in the API


def diagnosis_of(run: Run) -> DiagnosisView | None:
    """None when no host was asked."""
    found: Mapping[str, Any] | None = run.diagnosis
    if found is None:
        return None
    causes = found["causes"]
    hosts = list(dict.fromkeys([*(cause["host"] for cause in causes), *found["hosts"]]))
    hosts = [host for host in hosts if host in found["hosts"]]
    return DiagnosisView(
        reasons=[
            Reason(sentences.cause(cause["kind"], cause["host"]), cause["path"], cause["line"])
            for cause in causes[:CAUSES]
        ],
        more_reasons=max(0, len(causes) - CAUSES),
        hosts=_logs(run, hosts[:HOSTS], found["cut"]),
        more_hosts=max(0, len(hosts) - HOSTS),
        all_logs=f"{reverse('runs_api:logs', args=[run.pk])}{run.link_query}",
    )


def _logs(run: Run, hosts: Sequence[str], cut: Mapping[str, int]) -> list[HostLogs]:
    rows = run.outputs.filter(kind=OutputKind.DIAGNOSIS, node__name__in=hosts).select_related("node")
    ordered = sorted(rows, key=lambda row: (hosts.index(row.node.name), row.pk))
    return [
        HostLogs(host, [_file(run, row, cut) for row in files])
        for host, files in groupby(ordered, key=lambda row: row.node.name)
    ]


def _file(run: Run, row: RunOutput, cut: Mapping[str, int]) -> LogFile:
    path = row.path.removeprefix("diagnosis/")
    return LogFile(
        name=row.name,
        lines="\n".join(row.tail.splitlines()[-LINES:]),
        kept_bytes=row.size_bytes,
        whole_bytes=cut.get(f"{row.node.name}/{path}"),
        address=f"{reverse('runs_api:log', args=[run.pk, row.pk])}{run.link_query}" if row.sha256 else "",
    )
