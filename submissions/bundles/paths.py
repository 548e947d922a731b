"""Where raw files are in a bundle: below a folder of ours, whatever their uploader called them."""

from collections.abc import Iterable
from pathlib import PurePosixPath

from submissions.choices import ArtifactKind
from submissions.models import Artifact

LOGS = frozenset(
    {ArtifactKind.LOAD_LOG, ArtifactKind.HISTOGRAM_LOG, ArtifactKind.GRAPH, ArtifactKind.DISK_TEST}
)  # what the load tool wrote, which the site reads again
MOST_CHARACTERS = 200


def paths_of(artifacts: Iterable[Artifact]) -> list[tuple[str, Artifact]]:
    """Each once, in their order: "logs/trial-1/client-0.log", "artifacts/intervals.json.gz"."""
    taken: set[str] = set()
    return [(_free(_path(artifact), taken), artifact) for artifact in artifacts]


def _path(artifact: Artifact) -> PurePosixPath:
    parts = [_harmless(part) for part in artifact.name.replace("\\", "/").split("/") if part.strip(". ")]
    name = "/".join(parts)[-MOST_CHARACTERS:].strip("/ ") or "file"
    if artifact.kind not in LOGS:
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
