"""Connections to PostgreSQL: what is prepared on them, and how a lost one is noticed."""

import copy

import pytest
from django.db import connection

from benchsite.postgresql.base import DatabaseWrapper

PREPARED = "SELECT array_agg(statement) FROM pg_prepared_statements WHERE NOT from_sql"
ADD = "SELECT %s::integer + 1"

pytestmark = pytest.mark.django_db


@pytest.fixture
def own_connection():
    """One of the test alone, by changes of its settings."""
    opened = []

    def make(**changes):
        opened.append(DatabaseWrapper({**copy.deepcopy(connection.settings_dict), **changes}))
        return opened[-1]

    yield make
    for each in opened:
        each.close()


def value(cursor, sql, params=None):
    cursor.execute(sql, params)
    return cursor.fetchone()[0]


def test_a_statement_is_prepared_once_where_that_is_asked_for(own_connection):
    own = own_connection()
    with own.cursor() as usual, own.prepared_cursor() as prepared:
        answers = [value(cursor, ADD, [number]) for number in (1, 2) for cursor in (usual, prepared)]
        assert answers == [2, 2, 3, 3]
        assert value(usual, PREPARED) == ["SELECT $1::integer + 1"]


def test_a_statement_for_many_rows_is_prepared_too(own_connection):
    own = own_connection()
    with own.cursor() as usual, own.prepared_cursor() as prepared:
        usual.execute("CREATE TEMPORARY TABLE few (number integer)")
        prepared.executemany("INSERT INTO few VALUES (%s::integer)", [(1,), (2,)])
        assert value(usual, "SELECT sum(number) FROM few") == 3
        assert value(usual, PREPARED) == ["INSERT INTO few VALUES ($1::integer)"]


def test_behind_a_pooler_nothing_is_prepared(own_connection):
    own = own_connection(DISABLE_SERVER_SIDE_CURSORS=True)
    with own.prepared_cursor() as cursor:
        assert value(cursor, ADD, [1]) == 2
        assert value(cursor, PREPARED) is None


def test_statements_are_prepared_again_after_a_rollback(own_connection):
    own = own_connection()
    with own.prepared_cursor() as cursor:
        value(cursor, ADD, [1])
        own.set_autocommit(False)
        value(cursor, ADD, [2])
        own.rollback()
        assert value(cursor, ADD, [3]) == 4
        own.rollback()


def backend(wrapper):
    with wrapper.cursor() as cursor:
        return value(cursor, "SELECT pg_backend_pid()")


def begin_request(wrapper):
    wrapper.close_if_unusable_or_obsolete()


def test_a_connection_that_is_as_it_was_is_not_asked_again(own_connection, monkeypatch):
    own = own_connection(CONN_HEALTH_CHECKS=True)
    before = backend(own)
    begin_request(own)

    monkeypatch.setattr(own, "is_usable", lambda: pytest.fail("the server was asked"))

    assert backend(own) == before


def test_a_connection_that_the_server_ended_is_replaced(own_connection):
    own, other = own_connection(CONN_HEALTH_CHECKS=True), own_connection()
    before = backend(own)
    begin_request(own)
    with other.cursor() as cursor:
        assert value(cursor, "SELECT pg_terminate_backend(%s, 5000)", [before])

    assert backend(own) != before
