"""What a marker promises: the tests of `make quick` need no service."""

import socket

import pytest
from django.conf import settings
from django.db import connection

from tests.markers import PURE


def test_a_test_here_is_pure(request):
    assert request.node.get_closest_marker("pure")


@pytest.mark.parametrize("family", [socket.AF_INET, socket.AF_UNIX])
def test_a_pure_test_cannot_connect(family, tmp_path):
    address = ("127.0.0.1", 9) if family == socket.AF_INET else str(tmp_path / "socket")

    with socket.socket(family) as one, pytest.raises(AssertionError, match="pure test"):
        one.connect(address)


def test_a_pure_test_cannot_ask_the_database_nor_redis():
    from redis import Redis

    with pytest.raises(RuntimeError, match="Database access not allowed"):
        connection.cursor()
    with pytest.raises(AssertionError, match="pure test"):
        Redis.from_url(settings.REDIS_URL).ping()


def test_folders_of_pure_tests_are_there():
    assert [path for path in PURE if not path.exists()] == []


def test_a_test_with_the_database_is_not_pure(db, request):
    assert not request.node.get_closest_marker("pure")
