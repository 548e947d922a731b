"""docker-compose.yml as text; `make compose-check` brings it up where a Docker engine is."""

import re
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).parents[1]
CONTENT = yaml.safe_load((ROOT / "docker-compose.yml").read_text())
SERVICES = CONTENT["services"]
OF_THE_SITE = ("prepare", "web", "worker", "runs", "beat", "metrics")
# What containers decide themselves: an operator's value would break them.
DECIDED = {"DATABASE_URL", "DATABASE_POOLED", "REDIS_URL", "CACHE_REDIS_URL", "DATA_DIR", "STATIC_ROOT", "HOST", "PORT"}


def names_of_the_example():
    text = (ROOT / ".env.example").read_text()
    return sorted(set(re.findall(r"^(?:# )?([A-Z][A-Z0-9_]+)=", text, re.MULTILINE)))


@pytest.mark.parametrize("service", OF_THE_SITE)
def test_every_setting_of_the_example_reaches_the_containers_of_the_site(service):
    content = SERVICES[service]
    assert content["env_file"] == [".env"]
    # what `environment` names wins over env_file: either decided there, or taken from .env all the same
    for name, value in content["environment"].items():
        if name in names_of_the_example() and name not in DECIDED:
            assert value.startswith(f"${{{name}:"), name


def test_a_name_outside_the_site_is_read_by_the_file_itself():
    text = (ROOT / "docker-compose.yml").read_text()
    for name in ("POSTGRES_PASSWORD", "REDIS_PASSWORD", "PUBLISH_HTTP", "PUBLISH_HTTPS", "TLS_DIR", "MAX_UPLOAD_BYTES"):
        assert name in names_of_the_example()
        assert f"${{{name}:" in text, name


@pytest.mark.parametrize("service", SERVICES)
def test_no_container_gains_rights_or_takes_the_machine(service):
    content = SERVICES[service]
    assert content["cap_drop"] == ["ALL"]
    assert content["security_opt"] == ["no-new-privileges:true"]
    assert content["read_only"] is True
    assert content["mem_limit"]
    assert content["pids_limit"]


@pytest.mark.parametrize("service", [name for name in SERVICES if name not in OF_THE_SITE])
def test_images_are_pinned_to_a_release(service):
    assert re.search(r":\d+\.\d+", SERVICES[service]["image"]), SERVICES[service]["image"]


def test_only_the_proxy_is_published_and_it_reaches_web_alone():
    assert [name for name, content in SERVICES.items() if "ports" in content] == ["proxy"]
    assert [name for name, content in SERVICES.items() if "front" in content["networks"]] == ["proxy", "web"]
    assert SERVICES["proxy"]["networks"] == ["front"]
    assert CONTENT["networks"]["data"]["internal"] is True
    for name in ("postgres", "redis", "cache"):
        assert SERVICES[name]["networks"] == ["data"]


def test_the_cache_has_a_server_of_its_own_and_that_of_the_counters_evicts_nothing():
    for service in OF_THE_SITE:
        environment = SERVICES[service]["environment"]
        assert environment["REDIS_URL"].endswith("@redis:6379/0")
        assert environment["CACHE_REDIS_URL"].endswith("@cache:6379/0")
    counters, cache = (" ".join(SERVICES[name]["command"]) for name in ("redis", "cache"))
    assert "--appendonly yes" in counters
    assert "--maxmemory-policy noeviction" in counters
    assert "--maxmemory-policy allkeys-lru" in cache


def test_the_proxy_takes_whole_bodies_with_a_time_out_and_few_connections_of_one_address():
    text = (ROOT / "deploy" / "nginx.conf").read_text()
    for directive in (
        "proxy_request_buffering on",
        "client_body_timeout",
        "client_header_timeout",
        "limit_conn addresses ${CONNECTIONS_PER_ADDRESS}",
        "client_max_body_size ${MAX_BODY_BYTES}",
        "X-Forwarded-For $proxy_add_x_forwarded_for",
    ):
        assert directive in text
