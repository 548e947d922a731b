"""A version of what is shown ends with each row that is stored, changed or deleted."""

from contextlib import contextmanager
from datetime import timedelta

import pytest
from django.contrib.auth.models import Permission
from django.db import connection, models, transaction
from django.utils import timezone

from submissions.choices import Outcome
from submissions.models import (
    DataVersion,
    ModerationDecision,
    Price,
    Submission,
    Workload,
    data_state,
)
from submissions.models.versions.data_version import OTHER_COLUMNS
from tests.factories import PriceFactory, SubmissionFactory, UserFactory, WorkloadFactory

pytestmark = pytest.mark.django_db

SUBMISSION = Submission._meta.db_table
COLUMNS = [field.name for field in Submission._meta.concrete_fields]


def test_a_column_that_no_page_shows_has_a_reason():
    assert OTHER_COLUMNS.keys() < set(COLUMNS)
    assert all(OTHER_COLUMNS.values()), "why it changes nothing that is shown"


def test_a_change_of_each_shown_column_starts_a_version_and_writing_the_same_value_does_not():
    row = SubmissionFactory()
    wrong = []
    for name in set(COLUMNS) - OTHER_COLUMNS.keys():
        field = Submission._meta.get_field(name)
        before = data_state()
        _set(row, field, getattr(row, field.attname))
        if data_state() != before:
            wrong.append(f"{name}: the same value")
        _set(row, field, _other_value(row, field))
        if data_state().data == before.data:
            wrong.append(f"{name}: another value")
    assert not wrong


@pytest.mark.parametrize("name", ["content_hash", "own_trust", "changed_at"])
def test_a_change_of_the_other_columns_starts_none(name):
    row, before = SubmissionFactory(), data_state()

    _set(row, Submission._meta.get_field(name), timezone.now() if name == "changed_at" else "high")

    assert data_state() == before


def test_a_new_submission_starts_a_version_of_the_data_alone():
    before = data_state()
    row = SubmissionFactory()
    after = data_state()

    assert after.data != before.data
    assert (after.prices, after.pages) == (before.prices, before.pages)
    SubmissionFactory(supersedes=row)
    assert data_state().data != after.data


def test_a_deleted_submission_starts_one():
    row = SubmissionFactory()
    before = data_state()

    row.delete()

    assert data_state().data != before.data


def test_a_change_of_the_rows_of_a_submission_starts_one():
    row = SubmissionFactory()
    changes = (
        lambda: row.trials.update(throughput_ops_s=1),
        lambda: row.node_groups.update(count=77),
        lambda: Workload.objects.update(title="another"),
    )
    for change in changes:
        before = data_state()
        change()
        assert data_state().data != before.data


def test_prices_have_a_version_of_their_own():
    states = [data_state()]
    for change in (PriceFactory, lambda: Price.objects.update(usd=7), lambda: Price.objects.all().delete()):
        change()
        states.append(data_state())

    assert len({state.prices for state in states}) == 4
    assert len({(state.data.split(" in ")[0], state.pages) for state in states}) == 1


def test_what_pages_show_beside_the_data_has_a_version_of_its_own():
    user, row = UserFactory(), SubmissionFactory()
    changes = (
        lambda: type(user).objects.filter(pk=user.pk).update(username="another"),
        lambda: type(user).objects.filter(pk=user.pk).update(is_active=False),
        lambda: user.user_permissions.add(Permission.objects.first()),
        lambda: ModerationDecision.objects.create(submission=row, outcome=Outcome.APPROVED, reason="in order"),
    )
    for change in changes:
        before = data_state()
        change()
        after = data_state()
        assert after.pages != before.pages
        assert (after.data, after.prices) == (before.data, before.prices)


def test_signing_in_changes_nothing():
    user, before = UserFactory(), data_state()

    type(user).objects.filter(pk=user.pk).update(last_login=timezone.now())

    assert data_state() == before


@pytest.mark.parametrize("column", ["embargo_until", "unranked_until", "published_at"])
def test_a_moment_that_changes_what_is_shown_starts_a_version_without_a_write(column):
    moment = timezone.now() + timedelta(hours=1)
    SubmissionFactory(**{column: moment})

    now, before = data_state(), _data_at(moment - timedelta(seconds=1))

    assert now.data == before
    assert _data_at(moment) not in (now.data, "")
    assert _data_at(moment + timedelta(days=1)) == _data_at(moment)


def test_many_changed_rows_are_one_change():
    for _ in range(5):
        SubmissionFactory()
    data_state()
    before = DataVersion.objects.count()

    Submission.objects.update(title="the same for all")

    assert DataVersion.objects.count() == max(before, 1)


def test_a_change_that_is_rolled_back_leaves_the_version():
    row = SubmissionFactory()
    before = data_state()
    with transaction.atomic():
        Submission.objects.filter(pk=row.pk).update(title="never")
        transaction.set_rollback(True)

    assert data_state() == before


@pytest.mark.django_db(transaction=True)
class TestConnections:
    def test_a_transaction_that_has_written_has_a_version_of_its_own(self):
        SubmissionFactory()
        outside = data_state()
        with transaction.atomic():
            assert data_state() == outside
            SubmissionFactory()
            inside = data_state()
        assert inside.data != outside.data
        assert data_state().data not in (inside.data, outside.data)

    def test_changes_do_not_wait_for_each_other(self):
        rows = [SubmissionFactory(), SubmissionFactory()]
        states = [data_state().data]
        with _connection() as first, _connection() as second:
            for each, row in zip((first, second), rows, strict=True):
                with each.cursor() as cursor:
                    cursor.execute("SET lock_timeout = '1s'")
                    cursor.execute(f"UPDATE {SUBMISSION} SET title = 'changed' WHERE id = %s", [row.pk])
            for each in (second, first):
                each.commit()
                states.append(data_state().data)

        assert len(set(states)) == 3


def _data_at(moment) -> str:
    with connection.cursor() as cursor:
        cursor.execute("SELECT data FROM submissions_data_state(%s)", [moment])
        return cursor.fetchone()[0]


def _set(row: Submission, field: models.Field, value: object) -> None:
    sent = field.get_db_prep_save(value, connection)
    with connection.cursor() as cursor:
        cursor.execute(f'UPDATE {SUBMISSION} SET "{field.column}" = %s WHERE id = %s', [sent, row.pk])


def _other_value(row: Submission, field: models.Field) -> object:
    """Valid for the column, and not the one that it has."""
    value = getattr(row, field.attname)
    match field:
        case models.ForeignKey():
            related = {"workload": WorkloadFactory, "submitted_by": UserFactory, "supersedes": SubmissionFactory}
            factory = related[field.name]
            return (factory(title="another workload") if field.name == "workload" else factory()).pk
        case models.BooleanField():
            return not value
        case models.DateTimeField():
            return timezone.now() - timedelta(days=4000)
        case models.DateField():
            return timezone.now().date() - timedelta(days=4000)
        case models.JSONField():
            return {"another": "value"}
        case models.CharField() | models.TextField():
            return "y" if value == "x" else "x"
        case models.IntegerField() | models.FloatField() | models.DecimalField():
            return (value or 0) + 1
    return ["another"]


@contextmanager
def _connection():
    """A second one, with a transaction of its own."""
    other = connection.copy()
    other.set_autocommit(False)
    try:
        yield other
    finally:
        other.rollback()
        other.close()
