"""Queries whose SQL is built once."""

import pytest
from django.db.models import Q

from submissions.models import CompiledQuery, Submission, Workload
from tests.factories import SubmissionFactory

pytestmark = pytest.mark.django_db

TITLED = CompiledQuery(
    lambda title: Workload.objects.filter(Q(title=title) | Q(service=title)).order_by("pk").values_list("title"),
    title="?",
)


def test_each_use_has_its_own_values():
    for name in ("a", "b%s", "'"):
        Workload.objects.create(fingerprint=name, canonical={}, title=name, service="x")

    assert [TITLED.rows(title=name) for name in ("a", "b%s", "'", "?")] == [[("a",)], [("b%s",)], [("'",)], []]


def test_as_a_part_of_another_statement():
    sql, params = CompiledQuery(
        lambda title: Workload.objects.filter(title=title, service="x").values("pk"), title="?"
    ).sql_of(title="outside.title")

    assert '"title" = outside.title' in sql
    assert params == ["x"]


def test_a_value_without_a_place_is_refused():
    with pytest.raises(ValueError, match="place"):
        _ = CompiledQuery(lambda title: Workload.objects.all(), title="?").sql


@pytest.mark.parametrize("is_prepared", [False, True])
def test_its_objects_are_those_of_the_query(is_prepared):
    def of(nodes, pk):
        rows = (
            Submission.objects.filter(node_count=nodes, pk=pk).defer("notes").select_related("workload", "submitted_by")
        )
        return rows.order_by()

    stored = SubmissionFactory(node_count=3, bill={"usd": "1.5"})
    [expected] = of(3, stored.pk)

    # a positive number comes from Django's compiler in a type of the driver
    query = CompiledQuery(of, nodes=32_000, pk=-1)
    [read] = query.instances(is_prepared=is_prepared, nodes=3, pk=stored.pk)

    assert query.instances(is_prepared=is_prepared, nodes=4, pk=stored.pk) == []
    assert read.get_deferred_fields() == expected.get_deferred_fields() == {"notes"}
    assert Submission.workload.is_cached(read)
    assert Submission.submitted_by.is_cached(read)
    names = [field.attname for field in Submission._meta.concrete_fields if field.attname != "notes"]
    assert [getattr(read, name) for name in names] == [getattr(expected, name) for name in names]
    assert (read.workload, read.submitted_by) == (stored.workload, stored.submitted_by)
    assert read.workload.canonical == stored.workload.canonical


def test_rows_are_the_same_planned_for_the_values():
    Workload.objects.create(fingerprint="a", canonical={}, title="a", service="x")

    assert TITLED.rows_as_planned(title="a") == [("a",)] == TITLED.rows(title="a")
