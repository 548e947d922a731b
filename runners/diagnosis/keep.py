"""Keeps what the hosts of a run can say, once, before the tear-down deletes them: as much as comes in a short time."""

import logging
import shlex
import tempfile
from collections.abc import Mapping, Sequence
from datetime import timedelta
from importlib.resources import files
from pathlib import Path
from typing import Any

from django.db import InterfaceError, OperationalError

from benchsite.storage.temporary import temporary_folder
from runners import clock, cluster
from runners.choices import Diagnosis, EndReason, OutputKind
from runners.diagnosis.causes import main_causes
from runners.diagnosis.file_ends import FileEnd, parts_of
from runners.lifecycle import LostRace, save_state, time_since
from runners.load_tools import UnsupportedWorkload, for_plan
from runners.load_tools.base import Traces
from runners.models import Run, RunNode, RunOutput
from runners.providers.registry import hosts_for, traits_of
from submissions.choices import Role
from submissions.ingest.files import storage
from submissions.ingest.secrets.mask import REACH, mask_text

log = logging.getLogger(__name__)

LIMIT = timedelta(seconds=60)  # the tear-down waits no longer, whatever happens
READ_SECONDS = 25.0  # for all hosts together
STORE_LIMIT = timedelta(seconds=50)  # since the start: what is not stored by then has its last lines in the database
PART_BYTES = 256 * 1024
HOST_BYTES = 4 * 1024 * 1024
ALL_BYTES = 32 * 1024 * 1024  # of all hosts together
TAIL_CHARACTERS = 8_000
ALL_TAILS = 4_000_000  # characters of all parts together
SHORTEST_TAIL = 400
_OF_EVERY_HOST = ("jobs/*/output", "apt.log", "/var/log/cloud-init-output.log")


def is_done(run: Run) -> bool:
    """Whether there is nothing to keep any more; False after a step that has kept it.

    A worker that dies here is followed by one more: a third goes on with the tear-down.
    """
    attempts = run.state.get("diagnoses", 0)
    if attempts >= 2 or run.state.get("diagnosed") or not _is_wanted(run) or time_since(run, "diagnosis") > LIMIT:
        return True
    save_state(run, diagnoses=attempts + 1)
    try:
        _keep(run)
    except (LostRace, OperationalError, InterfaceError):
        raise
    except Exception:  # a diagnosis that fails must not keep machines alive
        log.exception("run %s: its hosts could not be diagnosed", run.pk)
    save_state(run, diagnosed=True)
    return False


def _is_wanted(run: Run) -> bool:
    if run.plan.get("diagnosis") == Diagnosis.ALWAYS:
        return True
    return run.end_reason is not None and EndReason(run.end_reason).is_explained_by_hosts


def _keep(run: Run) -> None:
    nodes = {
        node.name: node for node in run.nodes.filter(launched_at__isnull=False, replaced_at=None).exclude(address=None)
    }
    if not nodes:
        return
    most = min(HOST_BYTES, ALL_BYTES // len(nodes))
    traces = _traces(run)
    commands = {name: _command(run, node, traces, most) for name, node in nodes.items()}
    printed = hosts_for(run).read(commands, seconds=READ_SECONDS, most=most)
    by_host = {name: parts_of(printed[name]) for name in sorted(printed)}
    silent = sorted(set(nodes) - set(printed))
    summary = _summary(run, by_host, silent)
    # the causes first: storing may be what fails; then the hosts that have one, since time may be short
    Run.objects.filter(pk=run.pk).update(diagnosis=summary)
    failed = {cause["host"] for cause in summary["causes"]}
    ordered = sorted(by_host, key=lambda name: (name not in failed, name))
    _store(run, [(nodes[name], part) for name in ordered for part in by_host[name]])


def _traces(run: Run) -> Traces:
    try:
        return for_plan(cluster.plan_of(run)).traces
    except (UnsupportedWorkload, ValueError):
        return Traces()


def _command(run: Run, node: RunNode, traces: Traces, most: int) -> str:
    """scripts/diagnose.sh with its variables."""
    is_database = node.role == Role.DATABASE
    has_started = "trial" in run.progress
    is_own_machine = not traits_of(run.provider).is_this_machine
    age = (clock.now() - node.requested_at).total_seconds() + 60
    variables = {
        "AGE": f"{age:.0f}",
        "LIMIT": str(min(PART_BYTES, most // 8)),
        "KERNEL": "yes" if is_own_machine else "no",
        "UNIT": traces.unit if is_database else "",
        "PROCESS": traces.process if is_database and has_started else "",
        "FILES": "\n".join((*(traces.files if is_database else ()), *_OF_EVERY_HOST[: None if is_own_machine else 1])),
    }
    script = (files("runners.load_tools") / "scripts" / "diagnose.sh").read_text()
    return "".join(f"{name}={shlex.quote(value)}\n" for name, value in variables.items()) + script


def _summary(run: Run, by_host: Mapping[str, Sequence[FileEnd]], silent: Sequence[str]) -> dict[str, Any]:
    is_failure = run.end_reason is not None and EndReason(run.end_reason).is_explained_by_hosts
    causes = main_causes(by_host, silent) if is_failure else []
    return {
        "at": clock.now().isoformat(),
        "hosts": sorted(by_host),
        "silent": list(silent),
        "cut": {f"{host}/{part.path}": part.size for host, parts in by_host.items() for part in parts if part.is_cut},
        "causes": [
            {"host": cause.host, "kind": cause.kind.value, "path": cause.path, "line": mask_text(cause.line)}
            for cause in causes
        ],
    }


def _store(run: Run, parts: Sequence[tuple[RunNode, FileEnd]]) -> None:
    """A row with the last lines of every part at once, then the bytes while there is time."""
    characters = max(SHORTEST_TAIL, min(TAIL_CHARACTERS, ALL_TAILS // max(1, len(parts))))
    rows = [_row(run, node, part, characters) for node, part in parts]
    RunOutput.objects.bulk_create(rows, ignore_conflicts=True)
    kept = {(row.node_id, row.path): row for row in run.outputs.filter(kind=OutputKind.DIAGNOSIS)}
    for row, (_, part) in zip(rows, parts, strict=True):
        if time_since(run, "diagnosis") > STORE_LIMIT:
            return
        output, stored = kept[row.node_id, row.path], _stored(part.stored)
        output.sha256, output.size_bytes = stored.sha256, stored.size_bytes
        output.original_sha256 = stored.original_sha256
        output.save(update_fields=["sha256", "size_bytes", "original_sha256"])


def _row(run: Run, node: RunNode, part: FileEnd, characters: int) -> RunOutput:
    return RunOutput(
        run=run,
        node=node,
        kind=OutputKind.DIAGNOSIS,
        path=f"diagnosis/{part.path}"[:500],
        name=f"{node.name}-{part.name}"[:255],
        tail=mask_text(part.text[-(characters + REACH) :])[-characters:],
    )


def _stored(content: bytes) -> storage.StoredFile:
    """In the storage, its secrets masked as those of an upload."""
    with tempfile.NamedTemporaryFile(prefix="diagnosis-", dir=temporary_folder()) as file:
        file.write(content)
        file.flush()
        return storage.store_path(Path(file.name))
