"""docker-compose.yml as text; `make compose-check` brings it up where a Docker engine is."""

import re
from collections import defaultdict
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
    names = ("POSTGRES_PASSWORD", "REDIS_PASSWORD", "PUBLISH_HTTP", "PUBLISH_HTTPS", "TLS_DIR", "MAX_UPLOAD_BYTES")
    for name in (*names, "CONNECTIONS_PER_ADDRESS", "REQUESTS_PER_SECOND", "EXPORTS_PER_MINUTE", "TRUSTED_PROXIES"):
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


def named_images():
    """Those that a registry gives, wherever a file names one; what is built here has a name of ours."""
    default = re.compile(r"BASE_IMAGE(?::-|=)([^\s}]+)")
    compose = (ROOT / "docker-compose.yml").read_text()
    found = [service["image"] for service in SERVICES.values() if "build" not in service]
    found += default.findall(compose) + default.findall((ROOT / "Dockerfile").read_text())
    for path in (ROOT / "deploy").rglob("Dockerfile"):
        found += re.findall(r"^FROM (\S+)", path.read_text(), re.MULTILINE)
    return [image for image in found if not image.startswith("benchsite-")]


def test_every_image_has_the_tag_of_one_exact_release_and_all_files_the_same():
    two_numbers = ("postgres", "debian")  # their releases have no third
    by_name = defaultdict(set)
    for image in named_images():
        name = image.partition(":")[0]
        numbers = r"\d+\.\d+" if name in two_numbers else r"\d+\.\d+\.\d+"
        assert re.fullmatch(rf"{name}:{numbers}(-[a-z-]+)?(@sha256:[0-9a-f]{{64}})?", image), image
        by_name[name].add(image)

    assert {name: len(images) for name, images in by_name.items()} == dict.fromkeys(by_name, 1)
    assert set(by_name) == {"nginx", "postgres", "redis", "python", "debian"}


def test_the_list_for_releases_names_every_image_as_it_is_pinned():
    page = (ROOT / "docs" / "operations.md").read_text()

    listed = re.findall(r"^\| [\w ]+ \| `([^`]+)` \| [\w ]+ \| (.+) \|$", page, re.MULTILINE)

    assert {image for image, _ in listed} == {image.partition("@")[0] for image in named_images()}
    for image in named_images():
        digest = image.partition("@")[2] or "none yet"
        assert digest in dict(listed)[image.partition("@")[0]]


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
        "limit_conn connections ${CONNECTIONS_PER_ADDRESS}",
        "client_max_body_size ${MAX_BODY_BYTES}",
        "X-Forwarded-For $proxy_add_x_forwarded_for",
    ):
        assert directive in text
