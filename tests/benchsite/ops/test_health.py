"""The probes tell the truth about the process and its services."""

import socket
import threading

import pytest

from benchsite.storage import disk


def test_healthz_answers_without_a_database(client):
    response = client.get("/healthz")

    assert response.status_code == 200
    assert response.json() == {"status": "ok"}


@pytest.mark.django_db
def test_readyz_names_each_service(client):
    response = client.get("/readyz")

    assert response.status_code == 200
    assert response.json() == {"status": "ok", "database": "ok", "broker": "ok", "cache": "ok", "disk": "ok"}


@pytest.mark.django_db
def test_readyz_says_nothing_of_what_others_store(client, settings, monkeypatch):
    answers = set()
    for free in (settings.MIN_FREE_BYTES, settings.MIN_FREE_BYTES + 12_345_678):
        monkeypatch.setattr(disk, "free_bytes", lambda free=free: free)
        answers.add(client.get("/readyz").content)

    assert len(answers) == 1


@pytest.mark.django_db
def test_readyz_is_503_without_broker(client, settings):
    settings.REDIS_URL = "redis://127.0.0.1:1/0"

    response = client.get("/readyz")

    assert response.status_code == 503
    answer = response.json()
    assert (answer["status"], answer["database"], answer["broker"]) == ("unavailable", "ok", "unreachable")


@pytest.mark.django_db
def test_without_the_cache_the_site_is_ready_all_the_same(client, settings):
    settings.CACHE_REDIS_URL = "redis://127.0.0.1:1/0"

    response = client.get("/readyz")

    assert (response.status_code, response.json()["status"], response.json()["cache"]) == (200, "ok", "unreachable")


@pytest.mark.django_db
def test_many_probes_share_one_connection_to_the_broker(client, monkeypatch):
    client.get("/readyz")
    opened, connect = [], socket.socket.connect

    def counted(self, address):
        if threading.current_thread() is threading.main_thread():  # others send what was counted before
            opened.append(address)
        return connect(self, address)

    monkeypatch.setattr(socket.socket, "connect", counted)
    for _ in range(20):
        assert client.get("/readyz").json()["broker"] == "ok"

    assert opened == []


def test_probes_come_before_the_host_check(client):
    assert client.get("/healthz", headers={"host": "10.0.0.7"}).status_code == 200
