"""Whom a page has to name: the attributions that the licences of the results on it ask for."""

from collections.abc import Collection, Iterable

from django.db.models import CharField, Func

from submissions.models import CompiledQuery, Submission, given_ids

# Written into the statement: as a parameter of a prepared one it would not be seen to be that of the partial index
_EMPTY = Func(template="''", output_field=CharField())
OF_WORKLOADS = CompiledQuery(
    lambda ids: (
        Submission.objects.published()
        .filter(workload__in=given_ids(ids))
        .exclude(attribution=_EMPTY)
        .order_by("attribution")
        .values_list("attribution")
        .distinct()
    ),
    ids="ids",
)


def credits_of(rows: Iterable[Submission]) -> tuple[str, ...]:
    """Of results that are shown one by one. No query: `attribution` is one of the columns of a table."""
    return tuple(sorted({row.attribution for row in rows} - {""}))


def credits_of_workloads(workload_ids: Collection[int]) -> tuple[str, ...]:
    """Of figures made of all published results of these workloads. One query by an index, none without workloads.

    Not cached: to know whether a cached answer is true takes a query too. The answers of questions are cached with it.
    """
    return tuple(text for (text,) in OF_WORKLOADS.rows(ids=sorted(set(workload_ids)))) if workload_ids else ()
