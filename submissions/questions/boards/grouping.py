"""What submissions of one workload are grouped by, and the name of a group."""

from submissions.aggregates.groups import COLUMNS
from submissions.choices import Architecture, Choice, Deployment
from submissions.facts import (
    ARCHITECTURE,
    CPU_MODEL,
    DEPLOYMENT,
    DISK_KIND,
    INSTANCE_TYPE,
    JDK,
    MACHINE_FAMILY,
    PROVIDER,
)
from submissions.formatting.names import cluster_name, provider_name
from submissions.models import Submission

NOT_STATED = "not stated"


class GroupBy(Choice):
    PROVIDER = "provider"
    INSTANCE_TYPE = "instance_type"
    MACHINE_FAMILY = "machine_family"
    CPU_MODEL = "cpu_model"
    ARCHITECTURE = "architecture"
    DEPLOYMENT = "deployment"
    JDK = "jdk"
    DISK = "disk"
    SUBMISSION = "submission"

    @property
    def label(self) -> str:
        return _LABELS[self]

    @property
    def columns(self) -> tuple[str, ...]:
        """Submissions with equal values in these columns are one group."""
        return _COLUMNS[self]

    def values_of(self, row: Submission) -> tuple[str | int | None, ...]:
        return tuple(getattr(row, column) for column in self.columns)

    def key_of(self, row: Submission) -> str:
        """The group of a row for data: slugs, as stored."""
        if self == GroupBy.SUBMISSION:
            return f"#{row.pk}, {row.node_count}× {row.instance_type}, {row.provider}"
        return _joined([getattr(row, column) for column in self.columns])

    def name_of(self, row: Submission) -> str:
        """The group of a row for readers: "AWS m5.xlarge"."""
        return " ".join(self.lines_of(row))

    def lines_of(self, row: Submission) -> tuple[str, ...]:
        """The name in the lines of a chart's label: ("AWS", "m5.xlarge")."""
        if self == GroupBy.SUBMISSION:
            return f"#{row.pk} · {provider_name(row.provider)}", cluster_name(row.node_count, row.instance_type)
        if self == GroupBy.PROVIDER:
            return (provider_name(row.provider),)
        if self == GroupBy.INSTANCE_TYPE:
            return provider_name(row.provider), row.instance_type
        if self == GroupBy.MACHINE_FAMILY:
            return provider_name(row.provider), row.machine_family or NOT_STATED
        if self == GroupBy.ARCHITECTURE:
            return provider_name(row.provider), architecture_name(row.architecture)
        if self == GroupBy.DEPLOYMENT:
            return provider_name(row.provider), deployment_name(row.deployment)
        return (_joined([getattr(row, column) for column in self.columns]),)


# A value is that of many systems: a group for each would be the list of submissions.
OF_SYSTEMS = tuple(by for by in GroupBy if by != GroupBy.SUBMISSION)

_LABELS = {
    GroupBy.PROVIDER: PROVIDER.noun,
    GroupBy.INSTANCE_TYPE: INSTANCE_TYPE.noun,
    GroupBy.MACHINE_FAMILY: MACHINE_FAMILY.noun,
    GroupBy.CPU_MODEL: CPU_MODEL.noun,
    GroupBy.ARCHITECTURE: ARCHITECTURE.noun,
    GroupBy.DEPLOYMENT: DEPLOYMENT.noun,
    GroupBy.JDK: JDK.noun,
    GroupBy.DISK: DISK_KIND.noun,
    GroupBy.SUBMISSION: "result",
}
_COLUMNS = {
    **{GroupBy(by): columns for by, columns in COLUMNS.items()},
    # their boards read rows, as they have no totals. A family is one of its provider
    GroupBy.MACHINE_FAMILY: ("provider", "machine_family"),
    GroupBy.CPU_MODEL: ("cpu_model",),
    GroupBy.ARCHITECTURE: ("provider", "architecture"),
    GroupBy.DEPLOYMENT: ("provider", "deployment"),
    GroupBy.SUBMISSION: ("id",),
}


def architecture_name(value: str | None) -> str:
    """ "ARM", "x86"."""
    return Architecture(value).label if value else NOT_STATED


def deployment_name(value: str | None) -> str:
    """ "virtual machine", "managed service"."""
    return Deployment(value).label if value else NOT_STATED


def _joined(values: list[str | None]) -> str:
    return " ".join(value for value in values if value) or NOT_STATED
