"""A run on a whole site whose Redis, and then PostgreSQL, goes down in the middle and comes back."""

import json
import time
import urllib.error
import urllib.request
from collections.abc import Callable

from benchsite.processes import embedded, embedded_servers
from tests.benchsite.management.commands.test_serve import port, site, wait_until_ready  # noqa: F401  (fixtures)

LIMIT_SECONDS = 600
PLAN = {
    "provider": "local",
    "service": {"name": "postgresql"},
    "database": {"instance_type": "this-machine", "count": 1},
    "workload": {"tool": "pgbench", "operation": "tpcb", "scale": 1, "threads": 2, "duration_seconds": 5},
    "trials": 3,
    "max_duration_minutes": 15,
    "max_usd": "0",
}


def restart_redis(place):
    embedded_servers.stop_redis(place.redis_socket)
    embedded_servers.start_redis(place.redis_data, place.redis_socket)


def restart_postgres(place):
    embedded_servers.stop_postgres(place.postgres_data)
    embedded_servers.start_postgres(place.postgres_data, place.sockets, embedded.DATABASE, durable=True)


def until(happens: Callable[[], bool]) -> None:
    deadline = time.monotonic() + LIMIT_SECONDS
    while not happens():
        assert time.monotonic() < deadline
        time.sleep(0.2)


def test_a_run_goes_on_when_redis_and_then_postgresql_were_restarted(site, prepared_site, port):  # noqa: F811
    wait_until_ready(site, port)
    address = f"http://127.0.0.1:{port}/api/v1/runs/"

    def ask(url: str, body: bytes | None = None) -> dict:
        headers = {"Authorization": f"Bearer {prepared_site.token}", "Content-Type": "application/json"}
        with urllib.request.urlopen(urllib.request.Request(url, body, headers), timeout=30) as answer:
            return json.load(answer)

    run = ask(address, json.dumps(PLAN).encode())

    def is_at(*statuses: str) -> bool:
        try:
            run.update(ask(run["url"]))
        except (urllib.error.URLError, ConnectionError):
            return False  # the site without its database: an error page, and then it goes on
        return run["status"] in (*statuses, "failed")

    def is_in_trial(number: int) -> bool:
        return is_at("stressing", "succeeded") and (
            run["status"] != "stressing" or run["progress"].get("trial", 0) >= number
        )

    place = embedded.Place(prepared_site.data_dir)
    until(lambda: is_in_trial(1))
    restart_redis(place)
    until(lambda: is_in_trial(2))  # hence the run has gone on, and is not over
    assert run["status"] == "stressing", run["end_detail"]
    restart_postgres(place)
    until(lambda: is_at("succeeded"))

    assert (run["status"], run["end_reason"]) == ("succeeded", "completed"), run["end_detail"]
    assert run["submission"] is not None
    assert run["receipt"]["left"] == 0
