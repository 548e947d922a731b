"""What Prometheus reads: one process answers for all, from the database and Redis."""

import time
import urllib.request

import pytest
from django.core.management import CommandError, call_command
from prometheus_client import generate_latest, start_http_server
from prometheus_client.parser import text_string_to_metric_families

from benchsite.celery import app
from benchsite.ops import counts
from benchsite.ops.metrics import registry
from tests.factories import PriceFactory

pytestmark = pytest.mark.django_db


@app.task(name="tests.fails")
def fails():
    raise ValueError


def samples():
    families = text_string_to_metric_families(generate_latest(registry()).decode())
    return {
        (sample.name, *sorted(sample.labels.items())): sample.value for family in families for sample in family.samples
    }


def test_the_figures_of_operators_are_gauges(redis_client):
    PriceFactory(provider="gce")
    PriceFactory(provider="aws")

    found = samples()

    assert found["benchsite_uploads_waiting",] == 0
    assert found["benchsite_uploads_oldest_seconds",] == 0
    assert found["benchsite_runs_open",] == 0
    assert found["benchsite_machines_open",] == 0
    assert found["benchsite_disk_free_bytes",] > 0
    assert found["benchsite_redis_used_bytes", ("policy", "noeviction"), ("server", "queue")] > 0
    assert found["benchsite_redis_used_bytes", ("policy", "allkeys-lru"), ("server", "cache")] > 0
    assert found["benchsite_price_age_seconds", ("provider", "aws")] > 0
    assert found["benchsite_price_age_seconds", ("provider", "gce")] > 0
    assert ("benchsite_last_backup_seconds",) not in found


def test_requests_of_every_process_are_counted_by_view_and_outcome(client, redis_client):
    for path in ("/moderation/", "/moderation/", "/nothing/"):
        client.get(path)
    counts.send()

    found = samples()

    name = ("name", "GET submissions:moderation")
    assert found["benchsite_requests_total", name, ("outcome", "2xx")] == 2
    assert found["benchsite_requests_total", ("name", "GET none"), ("outcome", "4xx")] == 1
    assert found["benchsite_request_seconds_count", name] == 2
    assert found["benchsite_request_seconds_bucket", ("le", "+Inf"), name] == 2
    assert found["benchsite_request_seconds_sum", name] > 0


def test_tasks_that_fail_are_counted(celery_worker):
    fails.delay()

    key = ("benchsite_tasks_total", ("name", "tests.fails"), ("outcome", "failure"))
    deadline = time.monotonic() + 20
    while time.monotonic() < deadline and not counts.read().get("task|outcome|tests.fails|failure"):
        time.sleep(0.02)
        counts.send()
    assert samples()[key] == 1


def test_without_redis_counts_wait_and_gauges_are_answered(client, settings, redis_client):
    there, settings.REDIS_URL = settings.REDIS_URL, "redis://127.0.0.1:1/0"
    client.get("/moderation/")
    counts.send()
    assert samples()["benchsite_uploads_waiting",] == 0

    settings.REDIS_URL = there
    counts.send()
    assert samples()["benchsite_requests_total", ("name", "GET submissions:moderation"), ("outcome", "2xx")] == 1


@pytest.mark.django_db(transaction=True)
def test_the_inner_port_answers_and_the_sites_own_does_not(client, redis_client):
    server, thread = start_http_server(0, "127.0.0.1", registry())
    try:
        with urllib.request.urlopen(f"http://127.0.0.1:{server.server_port}/metrics") as answer:
            assert b"benchsite_disk_free_bytes" in answer.read()
    finally:
        server.shutdown()
        thread.join()

    assert client.get("/metrics").status_code == 404


def test_without_a_port_there_is_no_process_for_it(settings):
    from benchsite.management.commands.serve import commands

    assert "metrics" not in commands("127.0.0.1", 8000)
    with pytest.raises(CommandError, match="METRICS_PORT"):
        call_command("metrics")
    settings.METRICS_PORT = 9100
    assert commands("127.0.0.1", 8000)["metrics"][-1] == "metrics"
