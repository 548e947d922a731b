"""Runs in a storm: whatever happens, nothing is left, doubled, stuck or lost, and every receipt is right."""

import json
import os
import shutil
import tempfile
from collections.abc import Callable, Iterator, Mapping
from datetime import UTC, datetime
from pathlib import Path

import pytest

SHORT = {"seed": 10, "aws": 6, "gce": 3, "local": 1, "series": 1}

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def apis():
    from tests.runners.providers import ec2_cloud, gce_cloud

    made = ec2_cloud.Api(), gce_cloud.Api()
    yield made
    for api in made:
        api.close()


@pytest.fixture
def site(settings, apis, monkeypatch):
    """A site with three clouds and room for many runs; its data is where the account of runs may go."""
    aws, gce = apis
    for name, value in {
        "AWS_ENDPOINT_URL": aws.endpoint,
        "AWS_ACCESS_KEY_ID": "lab",
        "AWS_SECRET_ACCESS_KEY": "lab",
        "AWS_DEFAULT_REGION": "us-east-1",
        "AWS_EC2_METADATA_DISABLED": "true",
    }.items():
        monkeypatch.setenv(name, value)
    settings.RUN_PROVIDERS = ["aws", "gce", "local"]
    settings.GCE_PROJECT, settings.GCE_ENDPOINT = "lab", gce.endpoint
    settings.RUN_SETTLE_SECONDS = 8
    settings.RUN_SSH_CIDR = "198.51.100.7/32"
    settings.MAX_OPEN_RUNS = settings.MAX_USER_OPEN_RUNS = settings.MAX_USER_QUEUED_RUNS = 30
    settings.MAX_USER_MONTH_USD = settings.MAX_MONTH_USD = 10**9
    settings.DATA_DIR = Path(tempfile.mkdtemp(prefix="storm-", dir=settings.DATA_DIR))
    (settings.DATA_DIR / "runs").mkdir()
    yield settings
    shutil.rmtree(settings.DATA_DIR)


@pytest.fixture
def storms(site, apis):
    """A function: the storms that are wanted, one after another, in clouds that are empty at first."""
    from tests.lab.storm import Storm
    from tests.lab.storm_at_length import parts
    from tests.lab.storm_clock import Clock, of_the_lab
    from tests.lab.storm_clouds import Ec2Sky, GceSky, ThisMachine
    from tests.lab.storm_runs import record_prices
    from tests.lab.storm_worker import prepare

    def rage(wanted: dict[str, int], restarts: Mapping[str, Callable[[], None]]) -> Iterator[Storm]:
        prepare()
        for part in parts(wanted):
            clock = Clock(datetime.now(UTC).replace(microsecond=0))
            with of_the_lab(clock):
                record_prices()
                clouds = [Ec2Sky(apis[0], clock), GceSky(apis[1], clock), ThisMachine(site.DATA_DIR / "runs", clock)]
                storm = Storm(part["seed"], clouds, clock, restarts)
                series = dict.fromkeys(("aws", "gce"), part["series"])
                storm.rage({cloud.slug: part[cloud.slug] for cloud in clouds}, series)
                yield storm

    return rage


def restarts() -> dict[str, Callable[[], None]]:
    """Of the servers of TEST_DATA_DIR: a long storm has its own."""
    from benchsite.processes import embedded, embedded_servers

    place = embedded.Place(Path(os.environ["DATA_DIR"]).absolute())

    def postgres() -> None:
        embedded_servers.stop_postgres(place.postgres_data)
        embedded_servers.start_postgres(place.postgres_data, place.sockets, embedded.DATABASE, durable=False)

    def redis() -> None:
        embedded_servers.stop_redis(place.redis_socket)
        embedded_servers.start_redis(place.redis_data, place.redis_socket)

    def cache() -> None:
        embedded_servers.stop_redis(place.cache_socket)
        embedded_servers.start_cache(place.cache_data, place.cache_socket)

    return {"PostgreSQL": postgres, "Redis": redis, "cache": cache}


def test_runs_survive_a_storm(storms):
    from tests.lab.storm_at_length import show, table

    wanted = json.loads(os.environ.get("STORM", "null"))
    raged, faults = [], []
    for storm in storms(wanted or SHORT, restarts() if wanted else {}):
        raged.append(storm)
        found = [f"seed {storm.seed}: {fault}" for fault in storm.faults()]
        faults += found
        if wanted:
            show(f"seed {storm.seed}: {len(storm.runs)} runs, {len(found)} faults", *found)
    if wanted:
        show(table(raged))
    assert not faults, "\n".join(faults)
