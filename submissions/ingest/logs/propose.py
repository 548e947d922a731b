"""Which of many logs are trials of one result: alike in all that a log can tell, of one folder and one day.

Those of different threads, or of different rates, are its load curve.
"""

from collections.abc import Mapping, Sequence
from pathlib import PurePosixPath
from typing import Any

from benchsite.http.refusals import Refusal
from submissions.choices import ArtifactKind, Role, Trust
from submissions.ingest.document import fingerprint
from submissions.ingest.logs.document import submissions_of_logs
from submissions.ingest.logs.group import fits, is_in_folder
from submissions.ingest.logs.read import ReadFile
from submissions.ingest.pipeline import checked

Group = list[int]  # the places of its files

# What a log may leave out and a document must have; the uploader states it for all.
_NAME = {"name": "unknown"}
_NODES = {"role": Role.DATABASE.value, "count": 1, "instance_type": "unknown"}


def proposed(files: Sequence[ReadFile]) -> list[Group]:
    """Every file in one group, in the order of the first ones; a file that belongs to none is alone."""
    logs = [place for place, file in enumerate(files) if _is_log(file)]
    groups = [group for alike in _alike(files, logs) for group in _together_or_each(files, alike)]
    for place, file in enumerate(files):
        if not _is_log(file):
            group = _group_of(file, groups, files)
            if group is not None and is_one_result([files[each] for each in (*group, place)]):
                group.append(place)
            else:
                groups.append([place])
    return sorted((sorted(group) for group in groups), key=lambda group: group[0])


def is_one_result(files: Sequence[ReadFile]) -> bool:
    """Whether the logs can be trials of one result."""
    try:
        return len(submissions_of_logs(files)) == 1
    except Refusal:
        return False


def _is_log(file: ReadFile) -> bool:
    return bool(file.reading.trial_sets) and file.kind != ArtifactKind.GRAPH


def _alike(files: Sequence[ReadFile], logs: Sequence[int]) -> list[Group]:
    folders = {place: PurePosixPath(files[place].member.name).parent for place in logs}
    are_in_one = len({*folders.values()} - {PurePosixPath()}) < 2  # a file without a folder may be of any
    buckets: dict[object, Group] = {}
    for place in logs:
        likeness = _likeness(files[place])
        key = likeness and (None if are_in_one else folders[place], *likeness)
        buckets.setdefault(key or place, []).append(place)
    return list(buckets.values())


def _likeness(file: ReadFile) -> tuple[object, ...] | None:
    """None for a log of several results or loads, and for one that has none: never a trial of another result."""
    if len(file.reading.trial_sets) > 1:
        return None
    try:
        imported = submissions_of_logs([file])
        if len(imported) != 1:
            return None
        document = checked(_completed(imported[0].content), Trust.LOG_VERIFIED)
    except Refusal:
        return None
    day = document.measured_at or imported[0].file_date
    return (
        file.reading.tool,
        fingerprint.fingerprint(document),
        document.service.version,
        day.date() if day else None,
    )


def _completed(content: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "provider": "unknown",
        **content,
        "service": {**_NAME, **(content.get("service") or {})},
        "nodes": [{**_NODES, **group} for group in content["nodes"]],
    }


def _together_or_each(files: Sequence[ReadFile], alike: Group) -> list[Group]:
    if is_one_result([files[place] for place in alike]):
        return [alike]
    return [[place] for place in alike]


def _group_of(file: ReadFile, groups: Sequence[Group], files: Sequence[ReadFile]) -> Group | None:
    """Of a histogram, a disk test or a graph: the only result of its name, of its folder, or of all."""
    with_logs = [group for group in groups if any(_is_log(files[place]) for place in group)]
    near = [group for group in with_logs if any(is_in_folder(file, files[place]) for place in group)]
    named = [group for group in near if any(fits(file, files[place]) for place in group)]
    for candidates in (named, near, with_logs):
        if candidates:
            return candidates[0] if len(candidates) == 1 else None
    return None
