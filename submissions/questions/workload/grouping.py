"""What submissions of one workload are grouped by, and what a group is called."""

from collections.abc import Sequence

from submissions.choices import Choice
from submissions.models import Submission


class GroupBy(Choice):
    PROVIDER = "provider"
    INSTANCE_TYPE = "instance_type"
    JDK = "jdk"
    DISK = "disk"
    SUBMISSION = "submission"

    @property
    def label(self) -> str:
        return _LABELS[self]

    @property
    def columns(self) -> tuple[str, ...]:
        """What tells the groups apart."""
        return _COLUMNS[self]

    def values_of(self, row: Submission) -> tuple[str | int | None, ...]:
        return tuple(getattr(row, column) for column in self.columns)

    def name_of(self, row: Submission) -> str:
        """The group of a row, in words."""
        if self == GroupBy.SUBMISSION:
            return f"#{row.pk}, {row.node_count} × {row.instance_type}, {row.provider}"
        return group_name([getattr(row, column) for column in self.columns])


# A value is that of many systems: a group for each would be the list of submissions.
OF_SYSTEMS = tuple(by for by in GroupBy if by != GroupBy.SUBMISSION)

_LABELS = {
    GroupBy.PROVIDER: "cloud",
    GroupBy.INSTANCE_TYPE: "instance type",
    GroupBy.JDK: "JDK",
    GroupBy.DISK: "disk",
    GroupBy.SUBMISSION: "submission",
}
_COLUMNS = {
    GroupBy.PROVIDER: ("provider",),
    GroupBy.INSTANCE_TYPE: ("provider", "instance_type"),
    GroupBy.JDK: ("jdk_vendor", "jdk_version"),
    GroupBy.DISK: ("disk_kind",),
    GroupBy.SUBMISSION: ("id",),
}


def group_name(values: Sequence[str | None]) -> str:
    return " ".join(value for value in values if value) or "not stated"
