"""Queries whose SQL is built once."""

import pytest
from django.db.models import Q

from submissions.models import CompiledQuery, Workload

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
