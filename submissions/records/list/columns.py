"""The rows that a browser filters and orders by itself: all of a list that is short enough."""

from collections.abc import Sequence
from dataclasses import dataclass

from submissions.age.conditions import marks_in, marks_text
from submissions.api.facet_field import UNKNOWN
from submissions.models import Submission, Workload
from submissions.records.ages import Ages, ages_of_published
from submissions.records.cache import of_one_state
from submissions.records.list.facet_counts import FACET_COLUMNS
from submissions.records.list.filters import SubmissionFilter
from submissions.records.table import TABLE_COLUMNS

MOST_ROWS = 2000


@dataclass(frozen=True, slots=True)
class ListColumns:
    rows: Sequence[Submission]  # those on equal machines beside each other
    workloads: Sequence[Workload]  # of the rows, in the order of their ids
    ages: Ages
    age_texts: Sequence[str]  # of each row

    def values_of(self, name: str) -> list[tuple[str, ...]]:
        """What each row has of a facet, as in the address; of flags and age marks it may be none or several."""
        if name == "age":
            return [tuple(map(str, marks_in(text))) for text in self.age_texts]
        if name == "flag":
            return [tuple(row.flags) for row in self.rows]
        if name == "workload":
            fingerprints = {workload.pk: workload.fingerprint for workload in self.workloads}
            return [(fingerprints[row.workload_id],) for row in self.rows]
        known = (getattr(row, FACET_COLUMNS[name]) for row in self.rows)
        return [(UNKNOWN if value is None else str(value),) for value in known]


@of_one_state()
def list_columns(filterset: SubmissionFilter) -> ListColumns | None:
    """None for more than MOST_ROWS. `filterset` is valid. As many queries for each number of rows."""
    listed = filterset.qs.only(
        *TABLE_COLUMNS, "cpu_model", "machine_family", "architecture", "license", "pack"
    ).annotate(age=marks_text(filterset.age_conditions))
    rows = list(listed.order_by()[: MOST_ROWS + 1])
    if len(rows) > MOST_ROWS:
        return None
    rows.sort(key=_machine)
    age_texts = [vars(row)["age"] for row in rows]  # an annotation
    ids = {row.workload_id for row in rows}
    workloads = list(Workload.objects.filter(pk__in=ids).order_by("pk"))
    return ListColumns(rows, workloads, ages_of_published(rows, filterset.today), age_texts)


def _machine(row: Submission) -> tuple[str | int, ...]:
    system = (row.workload_id, row.provider, row.instance_type, row.node_count, row.service_version or "")
    return *system, row.title, row.region or "", row.disk_kind or "", row.pk
