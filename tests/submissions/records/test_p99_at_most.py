"""A p99 that is known by type of operation only: the same bound in each place of a result."""

from importlib import import_module

import pytest
from django.apps import apps
from django.db import connection

from submissions.models import Submission
from tests.factories import SubmissionFactory, TrialFactory

pytestmark = pytest.mark.django_db
BOUND = {
    "latency_p99_ms": None,
    "latency_p99_at_most_ms": 22.6,
    "latency_p99_is_bound": True,
    "latency_p99_bound_of": "read",
}


def operation(name, p99, operations=10):
    return {"name": name, "operations": operations, "errors": 0, "latency_ms": {"p99": p99}}


def trials(submission, *by_operation):
    submission.trials.all().delete()
    for index, types in enumerate(by_operation):
        TrialFactory(submission=submission, index=index, by_operation=types, latency_p99_ms=None)


def unfilled():
    return SubmissionFactory(latency_p99_ms=None, latency_p99_at_most_ms=None)


def filled(row):
    migration = import_module("submissions.migrations.0051_p99_at_most_filled")
    with connection.schema_editor(atomic=False) as editor:
        migration.fill(apps, editor)
    row.refresh_from_db()
    return row.latency_p99_at_most_ms, row.latency_p99_is_bound, row.latency_p99_bound_of


def test_the_list_shows_the_bound_sorts_by_it_and_limits_by_it(client):
    bound = SubmissionFactory(title="bound", **BOUND)
    plain = SubmissionFactory(title="plain", latency_p99_ms=30.0)
    SubmissionFactory(title="unknown", latency_p99_ms=None)

    def ids(query):
        return [row["id"] for row in client.get(f"/api/v1/submissions/?{query}").json()["results"]]

    assert ids("max_p99_ms=25") == [bound.pk]
    assert ids("ordering=latency_p99_ms")[:2] == [bound.pk, plain.pk]
    assert ">≤ </span>22.6" in client.get("/submissions/?max_p99_ms=25").content.decode()


def test_the_page_of_a_result_shows_the_bound_and_never_calls_it_not_stated(client):
    row = SubmissionFactory(**BOUND)

    page = client.get(row.get_absolute_url()).content.decode()

    assert "≤ 22.6" in page
    assert "reads, the slowest operation" in page
    assert "p99 latency</dd>" not in page


def test_the_api_of_a_result_has_the_bound_beside_the_p99_over_all_operations(client):
    row = client.get(f"/api/v1/submissions/{SubmissionFactory(**BOUND).pk}/").json()

    assert {name: row[name] for name in BOUND} == BOUND


def test_stored_results_are_filled_by_the_rule_of_ingest():
    row = unfilled()
    trials(
        row,
        [operation("read", 4.0), operation("insert", 3.0), operation("scan", None, 0)],
        [operation("read", 8.0), operation("insert", 3.0)],
    )

    assert filled(row) == (6.0, True, "read")


def test_a_stored_result_with_a_trial_of_which_it_is_unknown_stays_unknown():
    row = unfilled()
    trials(row, [operation("read", 4.0), operation("insert", 3.0)], [operation("read", 8.0), operation("insert", None)])

    assert filled(row) == (None, False, "")


def test_a_stored_result_with_a_p99_over_all_operations_is_filled_with_that():
    row = SubmissionFactory(latency_p99_ms=5.0)
    Submission.objects.update(latency_p99_at_most_ms=None)

    assert filled(row) == (5.0, False, "")
