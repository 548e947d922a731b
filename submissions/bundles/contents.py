"""What a bundle holds: everything that is stored about a submission and open to whoever may open its page."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Any

from django.conf import settings
from django.contrib.auth.models import AnonymousUser
from django.urls import reverse

from benchsite.processes.code_version import code_version
from benchsite.version import __version__
from submissions.bundles.file import BundleFile, of_json, of_text
from submissions.bundles.sentences import license_text, readme
from submissions.bundles.sources import added_files
from submissions.choices import ArtifactKind
from submissions.models import Artifact, NodeGroup, Submission
from submissions.pricing.bill import bill_of
from submissions.pricing.clusters import frozen_cost, measured_on
from submissions.records.api.nested import (
    BillSerializer,
    CostSerializer,
    PricedNodeGroupSerializer,
    TrialWithHistogramsSerializer,
)
from submissions.records.api.records import HostRecordsSerializer
from submissions.records.api.serializers import SubmissionRowSerializer
from submissions.records.hosts import host_records, host_summary

_CONFIGURATION = ("service", "provider", "region", "zones", "nodes", "jdk", "network", "settings", "workload")
_LOGS = frozenset(
    {ArtifactKind.LOAD_LOG, ArtifactKind.HISTOGRAM_LOG, ArtifactKind.GRAPH, ArtifactKind.DISK_TEST}
)  # what the load tool wrote, which the site reads again
_MOST_CHARACTERS = 200  # of a name


@dataclass(frozen=True, slots=True)
class Contents:
    """`row` and `trials` as the API answers them; `removed` are raw files whose bytes a moderator took away."""

    submission: Submission
    files: Sequence[BundleFile]
    row: Mapping[str, Any]
    trials: Sequence[Mapping[str, Any]]
    removed: Sequence[Artifact]


class _SiteRequest:
    """Of nobody: answers name the address of the site, whichever name of it the reader has used."""

    user = AnonymousUser()

    def build_absolute_uri(self, path: str) -> str:
        return f"{settings.SITE_URL}{path}"


def contents_of(submission: Submission) -> Contents:
    """Three queries, and those of other apps; reads the small file of the hosts, and no log."""
    trials = list(submission.trials.all())
    groups = list(submission.node_groups.all())
    artifacts = list(submission.artifacts.all())
    stored = [artifact for artifact in artifacts if artifact.removed_at is None]
    context = {"request": _SiteRequest()}
    row = SubmissionRowSerializer(submission, context=context).data
    answered: Any = TrialWithHistogramsSerializer(trials, many=True, context=context).data
    files = [
        of_text("README.md", readme(submission, address_of(submission), settings.SITE_URL, keys_address())),
        of_text("LICENSE.txt", license_text(submission, address_of(submission))),
        of_json("document.json", submission.document),
        of_json("results.json", {"result": row, "trials": answered}),
        of_json("configuration.json", _stated(submission, _CONFIGURATION)),
        of_json("versions.json", _versions(submission)),
        of_json("hosts.json", HostRecordsSerializer(host_records(submission, host_summary(stored))).data),
        of_json("prices.json", _prices(submission, groups)),
        *added_files(submission),
        *(_raw(path, artifact) for path, artifact in _paths_of(stored)),
    ]
    removed = [artifact for artifact in artifacts if artifact.removed_at is not None]
    return Contents(submission, files, row, _without_histograms(answered), removed)


def address_of(submission: Submission) -> str:
    """The permanent one, without the key of an unlisted one: a bundle opens nothing."""
    return f"{settings.SITE_URL}{reverse('submissions:detail', args=[submission.pk])}"


def keys_address() -> str:
    return f"{settings.SITE_URL}{reverse('api:key-list')}"


def made_by() -> dict[str, str]:
    """The version of the site that makes the answer, and a digest of its code, parsers included."""
    return {"software": "benchsite", "version": __version__, "code": code_version()}


def _stated(submission: Submission, names: Sequence[str]) -> dict[str, Any]:
    return {name: submission.document.get(name) for name in names}


def _versions(submission: Submission) -> dict[str, Any]:
    return {
        "service": {"name": submission.service, "version": submission.service_version},
        "jdk": {"vendor": submission.jdk_vendor, "version": submission.jdk_version},
        "tool": {"name": submission.tool, "version": submission.tool_version},
        "site": made_by(),
    }


def _prices(submission: Submission, groups: Sequence[NodeGroup]) -> dict[str, Any]:
    return {
        "cost": CostSerializer(frozen_cost(groups, measured_on(submission))).data,
        "node_groups": PricedNodeGroupSerializer(groups, many=True).data,
        "bill": BillSerializer(bill_of(submission.bill)).data,
    }


def _without_histograms(trials: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    return [{name: value for name, value in trial.items() if name != "histograms"} for trial in trials]


def _paths_of(artifacts: Iterable[Artifact]) -> list[tuple[str, Artifact]]:
    """Each once, in their order, below a folder of ours, whatever their uploader called them.

    Such as "logs/trial-1/client-0.log", "artifacts/intervals.json.gz".
    """
    taken: set[str] = set()
    return [(_free(_path(artifact), taken), artifact) for artifact in artifacts]


def _path(artifact: Artifact) -> PurePosixPath:
    parts = [_harmless(part) for part in artifact.name.replace("\\", "/").split("/") if part.strip(". ")]
    name = "/".join(parts)[-_MOST_CHARACTERS:].strip("/ ") or "file"
    if artifact.kind not in _LOGS:
        return PurePosixPath("artifacts", name)
    trial = () if artifact.trial_index is None else (f"trial-{artifact.trial_index + 1}",)
    return PurePosixPath("logs", *trial, name)


def _harmless(part: str) -> str:
    """Without what a file system or a terminal gives a meaning to."""
    return "".join("_" if sign in '<>:"|?*' or not sign.isprintable() else sign for sign in part).strip()


def _free(path: PurePosixPath, taken: set[str]) -> str:
    """Different from all others even where case makes no difference."""
    free, number = path, 1
    while str(free).casefold() in taken:
        number += 1
        free = path.with_name(f"{path.stem}-{number}{path.suffix}")
    taken.add(str(free).casefold())
    return str(free)


def _raw(path: str, artifact: Artifact) -> BundleFile:
    facts = {
        "kind": artifact.kind,
        "name": artifact.name,
        "trial": artifact.trial_index,
        # not the sum from before: with it a short password can be guessed from the masked file
        "secrets_masked": artifact.original_sha256 is not None,
    }
    return BundleFile(path, artifact.sha256, artifact.size_bytes, facts=facts)
