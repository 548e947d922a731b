"""The samples and disk tests of a run's hosts in one small file, which the submission's page shows."""

import io
from collections import defaultdict
from collections.abc import Iterable, Sequence

from runners import cluster, lifecycle
from runners.load_tools import fio
from runners.models import Run, RunNode, RunOutput
from submissions.analysis import host_use, hosts
from submissions.analysis.host_use import HostUse
from submissions.choices import Role
from submissions.ingest.files import storage


def of(run: Run, outputs: Sequence[RunOutput]) -> bytes | None:
    """The file's content; None when the run sampled nothing. An output that cannot be read is noted and left out."""
    trials = _uses(run, (output for output in outputs if output.kind == "samples" and output.trial is not None))
    tests = _disk_tests(run, (output for output in outputs if output.kind == "disk_test"))
    if not trials and not tests:
        return None
    nodes = {node.name: node for node in run.nodes.all()}
    ordered: list[RunNode] = [nodes[member.name] for member in cluster.members_of(list(nodes.values()))]
    return hosts.packed(
        [hosts.host(node.name, Role(node.role), trials[node.name]) for node in ordered if node.name in trials],
        tests,
    )


def _uses(run: Run, samples: Iterable[RunOutput]) -> dict[str, dict[int, HostUse]]:
    """By host and trial; a trial of under a second has no sample."""
    found: dict[str, dict[int, HostUse]] = defaultdict(dict)
    for output in samples:
        with storage.open_stored(output.sha256 or "") as raw:
            try:
                use = host_use.parse(io.TextIOWrapper(raw, encoding="utf-8"))
            except ValueError as error:
                lifecycle.note(run, f"{output.name} cannot be read: {error}")
                continue
        if use is not None:
            found[output.node.name][output.trial or 0] = use
    return found


def _disk_tests(run: Run, outputs: Iterable[RunOutput]) -> list[hosts.DiskTest]:
    found = []
    for output in outputs:
        with storage.open_stored(output.sha256 or "") as raw:
            try:
                figures = fio.parse(raw.read().decode())
            except ValueError as error:
                lifecycle.note(run, f"{output.name} cannot be read: {error}")
                continue
        found.append(hosts.DiskTest(output.node.name, fio.folder_of(output.path), figures))
    return sorted(found, key=lambda one: (one.host, one.folder, one.figures.test))
