"""Large answers are read while they are written."""

import pytest
from django.contrib.auth.models import User
from django.db import connection

from benchsite.http.streams import by_key, streamed
from tests.factories import UserFactory


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("is_pooled", [False, True])
def test_a_stream_is_a_cursor_of_the_server_that_stores_no_result(is_pooled, monkeypatch):
    monkeypatch.setitem(connection.settings_dict, "DISABLE_SERVER_SIDE_CURSORS", is_pooled)
    names = [UserFactory().username for _ in range(5)]

    rows = streamed(User.objects.order_by("pk").values_list("username", flat=True), 2)
    first = next(rows)
    with connection.cursor() as cursor:
        cursor.execute("SELECT is_holdable FROM pg_cursors WHERE NOT statement LIKE '%pg_cursors%'")
        holdable = cursor.fetchall()

    assert holdable == [(False,)]
    assert [first, *rows] == names
    assert not connection.in_atomic_block


@pytest.mark.django_db(transaction=True)
def test_a_reader_who_stops_leaves_no_transaction():
    UserFactory(), UserFactory()

    rows = streamed(User.objects.order_by("pk"), 1)
    next(rows)
    rows.close()

    assert not connection.in_atomic_block
    assert User.objects.count() == 2


@pytest.mark.django_db(transaction=True)
def test_what_is_written_between_rows_by_key_is_committed():
    users = [UserFactory() for _ in range(5)]

    seen = []
    for user in by_key(User.objects.all(), 2):
        assert not connection.in_atomic_block
        seen.append(user.pk)
        user.delete()

    assert seen == [user.pk for user in users]
    assert not User.objects.exists()
