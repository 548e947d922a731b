"""Facts that a stored submission lacks: added to its document, and what follows from them to its rows."""

from collections.abc import Mapping, Sequence
from typing import Any

from benchsite.http.refusals import Fault, Refusal
from submissions.choices import DateSource, Flag, Role, Trust
from submissions.ingest.checks.storage import check_local_disks
from submissions.ingest.document.faults import pointer
from submissions.ingest.pipeline import Prepared, checked, prepare_checked
from submissions.ingest.store import rows
from submissions.ingest.store.data_columns import data_columns, memory_of
from submissions.models import LoadPoint, NodeGroup, Submission, Workload

_EMPTY: tuple[Any, ...] = (None, "", [], {})
_OWN_COLUMNS = ("content_hash", "flags", "trust", "visibility", "link_key", "embargo_until", "published_at")


def add_facts(submission: Submission, facts: Mapping[str, Any]) -> dict[str, list[Any]]:
    """Fill gaps of the document; [None, value] by pointer. Raises Refusal of all that contradicts what is stated.

    Its raw files stay, and so does the sum of its content: the same upload again still finds it. Columns change
    where the two documents differ, so that what only the logs gave is kept.
    """
    added: dict[str, list[Any]] = {}
    document = _filled(submission.document, facts, (), added, faults := [])
    if "trials" in facts:
        faults.append(Fault("#/trials", "measurements never change: submit a better result that supersedes this"))
    faults += [
        Fault(place, "the group is already priced: a price can be stated only if none is known")
        for group in submission.node_groups.exclude(node_hourly_usd=None)
        if (place := pointer(("nodes", group.position, "hourly_usd"))) in added
    ]
    if faults:
        raise Refusal(faults)
    if not added:
        return {}
    trust = Trust(submission.trust)
    before, after = (
        prepare_checked(
            checked(content, trust),
            trust=trust,
            file_date=submission.measured_at if submission.measured_at_source == DateSource.FILE else None,
            received_at=submission.created_at,
        )
        for content in (submission.document, document)
    )
    if any("/disks" in place for place in added):
        check_local_disks(after.document)
    if _grouping(before) != _grouping(after):
        raise Refusal.at("#/workload", "would make other load points of its trials: submit a better result")
    _write(submission, before, after)
    return added


def _grouping(prepared: Prepared) -> list[list[int]]:
    """The places of the trials at each load."""
    return [[trial.index for trial in point.trials] for point in prepared.points]


def _filled(old: Any, new: Any, place: tuple[int | str, ...], added: dict[str, list[Any]], faults: list[Fault]) -> Any:
    """`old` with the values of `new` where it has none."""
    if place == ("trials",) or new is None:
        return old
    if isinstance(old, Mapping) and isinstance(new, Mapping):
        return {
            **old,
            **{
                str(name): _filled(old.get(name), value, (*place, str(name)), added, faults)
                for name, value in new.items()
            },
        }
    if place == ("nodes",) and isinstance(new, list) and len(new) >= len(old):
        return _filled_groups(old, new, added, faults)
    if old in _EMPTY:
        added[pointer(place)] = [None, new]
        return new
    if old != new:
        faults.append(Fault(pointer(place), "is already stated: only missing facts can be added"))
    return old


def _filled_groups(
    old: Sequence[Any], new: Sequence[Any], added: dict[str, list[Any]], faults: list[Fault]
) -> list[Any]:
    """The groups in their order, behind them those of a role that no group has: load clients that were left out."""
    groups = [_filled(*pair, ("nodes", index), added, faults) for index, pair in enumerate(zip(old, new, strict=False))]
    roles = {group["role"] for group in old}
    for index, group in enumerate(new[len(old) :], start=len(old)):
        if not isinstance(group, Mapping) or group.get("role") != Role.CLIENT or group["role"] in roles:
            faults.append(Fault(pointer(("nodes", index)), "only load clients can be added, where none are stated"))
            continue
        added[pointer(("nodes", index))] = [None, dict(group)]
        groups.append(dict(group))
    return groups


def _write(submission: Submission, before: Prepared, after: Prepared) -> None:
    memory = memory_of([before.content, after.content])
    old, new = rows.submission_columns(before, memory), rows.submission_columns(after, memory)
    trials = list(submission.trials.values())  # what their logs counted is not in the document
    old |= data_columns(before.content, trials, memory)
    new |= data_columns(after.content, trials, memory)
    changed = {name: value for name, value in new.items() if name not in _OWN_COLUMNS and old.get(name) != value}
    flags = (set(submission.flags) - set(old["flags"])) | set(new["flags"]) if old["flags"] != new["flags"] else None
    if flags is not None:
        changed["flags"] = [flag.value for flag in Flag if flag in flags]
    if before.fingerprint != after.fingerprint:
        columns = rows.workload_columns(after)
        changed["workload"], _ = Workload.objects.get_or_create(
            fingerprint=columns.pop("fingerprint"), defaults=columns
        )
    Submission.objects.filter(pk=submission.pk).update(**changed)
    for index, point in enumerate(after.points):
        LoadPoint.objects.filter(submission=submission, index=index).update(
            offered_ops_s=point.offered_ops_s, threads=point.threads
        )
    old_groups, new_groups = rows.node_group_columns(before), rows.node_group_columns(after)
    more = new_groups[len(old_groups) :]
    NodeGroup.objects.bulk_create(NodeGroup(submission=submission, **columns) for columns in more)
    for old_group, new_group in zip(old_groups, new_groups, strict=False):
        differing = {name: value for name, value in new_group.items() if old_group[name] != value}
        if differing:
            NodeGroup.objects.filter(submission=submission, position=new_group["position"]).update(**differing)
