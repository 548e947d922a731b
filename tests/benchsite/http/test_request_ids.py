"""One id in the answer, in the problem, and in each line of the log, of web and worker."""

import logging
import re
import time

import pytest
import structlog
from django.core.cache import cache

from benchsite.celery import app
from benchsite.http.request_ids import HEADER, current_request_id


@app.task(name="tests.remember_id")
def remember_id(key):
    cache.set(key, current_request_id())


@pytest.mark.django_db
def test_every_answer_has_an_id_of_its_own(client):
    first, second = client.get("/moderation/"), client.get("/moderation/")

    assert re.fullmatch("[0-9a-f]{32}", first[HEADER])
    assert first[HEADER] != second[HEADER]


@pytest.mark.django_db
def test_the_id_that_a_proxy_gave_is_kept(client):
    assert client.get("/healthz", headers={HEADER: "proxy-1234.5"})[HEADER] == "proxy-1234.5"


@pytest.mark.parametrize("given", ["short", "x" * 65, "evil id; drop", "line\nbreak-1"])
def test_an_id_that_could_forge_a_line_of_the_log_is_replaced(client, given):
    assert re.fullmatch("[0-9a-f]{32}", client.get("/healthz", HTTP_X_REQUEST_ID=given)[HEADER])


@pytest.mark.django_db
def test_a_problem_and_its_log_line_have_the_id(client, monkeypatch):
    lines = []
    handler = logging.Handler()
    handler.emit = lambda record: lines.append(structlog.contextvars.get_contextvars().get("request_id"))
    logging.getLogger("django.request").addHandler(handler)
    try:
        response = client.get("/api/v1/nothing/")
    finally:
        logging.getLogger("django.request").removeHandler(handler)

    assert response.json()["request_id"] == response[HEADER]
    assert lines == [response[HEADER]]
    assert current_request_id() is None


def test_a_task_has_the_id_of_the_request_that_caused_it(celery_worker):
    with structlog.contextvars.bound_contextvars(request_id="of-the-request"):
        remember_id.delay("id")

    deadline = time.monotonic() + 20
    while cache.get("id") is None and time.monotonic() < deadline:
        time.sleep(0.02)
    assert cache.get("id") == "of-the-request"
