"""The samples and disk tests of a run's hosts in one small file, which the page of the submission shows."""

import io
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence

from runners import cluster, lifecycle
from runners.choices import OutputKind
from runners.load_tools import fio
from runners.models import Run, RunNode, RunOutput
from submissions.analysis.host_metrics import host_activity, host_use, hosts
from submissions.analysis.host_metrics.host_activity import Second, TrialActivity
from submissions.analysis.host_metrics.host_use import HostUse
from submissions.analysis.host_metrics.hosts import Hosts
from submissions.choices import Role
from submissions.ingest.files import storage


def host_summary(run: Run, outputs: Sequence[RunOutput]) -> Hosts | None:
    """What the hosts did, and what their disks can do; None without samples.

    Outputs that cannot be read are noted and excluded.
    """
    samples = [output for output in outputs if output.kind == OutputKind.SAMPLES and output.trial is not None]
    trials = _uses(run, samples)
    tests = _disk_tests(run, (output for output in outputs if output.kind == OutputKind.DISK_TEST))
    if not trials and not tests:
        return None
    nodes = {node.name: node for node in run.nodes.all()}
    ordered: list[RunNode] = [nodes[member.name] for member in cluster.members_of(list(nodes.values()))]
    return Hosts(
        tuple(hosts.host(node.name, Role(node.role), trials[node.name]) for node in ordered if node.name in trials),
        tuple(tests),
        tuple(_activity([output for output in samples if output.trial in trials.get(output.node.name, ())])),
    )


def _uses(run: Run, samples: Iterable[RunOutput]) -> dict[str, dict[int, HostUse]]:
    """By host and trial; a trial shorter than a second has no sample."""
    uses: dict[str, dict[int, HostUse]] = defaultdict(dict)
    for output in samples:
        with _opened(output) as lines:
            try:
                use = host_use.parse(lines)
            except ValueError as error:
                lifecycle.note(run, f"{output.name} cannot be read: {error}")
                continue
        if use is not None:
            uses[output.node.name][output.trial or 0] = use
    return uses


def _activity(samples: Sequence[RunOutput]) -> Iterator[TrialActivity]:
    """Of each trial, from samples that can be read."""
    by_trial: dict[int, dict[str, list[RunOutput]]] = defaultdict(lambda: defaultdict(list))
    for output in samples:
        by_trial[output.trial or 0][output.node.role].append(output)
    for trial, by_role in sorted(by_trial.items()):
        databases = by_role[Role.DATABASE]
        clients = [_seconds(output) for output in by_role[Role.CLIENT] or databases]
        if found := host_activity.activity(trial, clients, map(_seconds, databases)):
            yield found


def _seconds(output: RunOutput) -> list[Second]:
    with _opened(output) as lines:
        return host_activity.seconds(lines)


def _opened(output: RunOutput) -> io.TextIOWrapper:
    return io.TextIOWrapper(storage.open_stored(output.sha256 or ""), encoding="utf-8")


def _disk_tests(run: Run, outputs: Iterable[RunOutput]) -> list[hosts.DiskTest]:
    tests = []
    for output in outputs:
        with storage.open_stored(output.sha256 or "") as raw:
            try:
                figures = fio.parse(raw.read().decode())
            except ValueError as error:
                lifecycle.note(run, f"{output.name} cannot be read: {error}")
                continue
        tests.append(hosts.DiskTest(output.node.name, fio.folder_of(output.path), figures))
    return sorted(tests, key=lambda test: (test.host, test.folder, test.figures.test))
