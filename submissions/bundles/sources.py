"""Files that other apps add to the bundle of a submission: of a run its plan and its receipt."""

from collections.abc import Callable, Iterable

from submissions.bundles.file import BundleFile
from submissions.models import Submission

Source = Callable[[Submission], Iterable[BundleFile]]

_sources: list[Source] = []


def register(source: Source) -> None:
    """For AppConfig.ready. What it gives is shown to everybody who may open the submission."""
    if source not in _sources:
        _sources.append(source)


def added_files(submission: Submission) -> list[BundleFile]:
    return [file for source in _sources for file in source(submission)]
