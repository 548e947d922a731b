"""What the environment makes of a site: a local one that just runs, a public one that is locked."""

import stat
import subprocess
import sys

import pytest

from tests.benchsite.commands import PRODUCTION, ROOT, environment, manage


def shown(expression, **settings):
    """The value of `expression` over the settings `s` in a fresh process that starts no services."""
    code = f"from django.conf import settings as s; print(({expression}))"
    result = subprocess.run(
        [sys.executable, "-c", code],
        cwd=ROOT,
        env=environment(DJANGO_SETTINGS_MODULE="benchsite.settings", **settings),
        capture_output=True,
        text=True,
        check=False,
    )
    return result.stdout.strip() or result.stderr.strip().splitlines()[-1]


def test_the_checks_of_a_deployment_find_nothing(tmp_path):
    result = manage("check", "--deploy", "--fail-level", "WARNING", DATA_DIR=tmp_path, **PRODUCTION)

    assert result.returncode == 0, result.stdout


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"SECRET_KEY": ""}, "SECRET_KEY must be set"),
        ({"SECRET_KEY_FILE": "/none"}, "SECRET_KEY and SECRET_KEY_FILE are both set"),
        ({"REDIS_URL": "", "REDIS_URL_FILE": "/none"}, "REDIS_URL_FILE is wrong: /none cannot be read: No such file"),
        (
            {"CACHE_REDIS_URL": ""},
            "CACHE_REDIS_URL must be set when REDIS_URL is, to another server: cached pages must",
        ),
        ({"ALLOWED_HOSTS": ""}, "ALLOWED_HOSTS must be set"),
        ({"HTTPS": "0"}, "HTTPS=0 is for a site on loopback"),
        ({"DATABASE_URL": "sqlite:///x"}, "DATABASE_URL is wrong"),
        ({"DEBUG": "true"}, "DEBUG is wrong: expected 0 or 1"),
        ({"THROTTLE_ANON": "many"}, "THROTTLE_ANON is wrong"),
        ({"PORT": "http"}, "PORT is wrong"),
        ({"GCE_ENDPOINT": "127.0.0.1:9"}, "GCE_ENDPOINT is wrong"),
        ({"PUBLIC_RUNS": "0"}, "PUBLIC_RUNS was replaced by PACKS: write PACKS= instead of PUBLIC_RUNS=0"),
        ({"PACKS": "public_runs,public-runs"}, "PACKS is wrong: no pack public-runs; there are public_runs"),
    ],
)
def test_a_public_site_refuses_to_start_half_configured(tmp_path, change, message):
    assert message in shown("s.DEBUG", DATA_DIR=tmp_path, **(PRODUCTION | change))


def test_all_packs_of_the_project_are_loaded_where_nothing_is_set(tmp_path):
    assert "'public_runs'" in shown("s.PACKS", DATA_DIR=tmp_path)
    assert shown("s.PACKS", DATA_DIR=tmp_path, PACKS="") == "[]"


def test_one_given_address_leaves_the_other_service_embedded(tmp_path):
    given = PRODUCTION | {"REDIS_URL": "", "CACHE_REDIS_URL": ""}

    assert shown("s.EMBEDDED_SERVICES, s.HTTPS", DATA_DIR=tmp_path, **given) == "(('redis', 'cache'), True)"


def test_a_local_site_needs_nothing_and_speaks_http(tmp_path):
    assert shown("s.DEBUG, s.HTTPS, s.SESSION_COOKIE_SECURE", DATA_DIR=tmp_path) == "(False, False, False)"


@pytest.mark.parametrize(
    "hosts",
    [
        {"HOST": "0.0.0.0", "ALLOWED_HOSTS": "bench.example.org"},
        {"ALLOWED_HOSTS": "localhost,bench.example.org"},
        {"HOST": "192.0.2.7", "ALLOWED_HOSTS": "localhost"},
    ],
)
def test_a_site_of_one_machine_that_others_reach_is_as_locked_as_a_deployment(tmp_path, hosts):
    expression = "s.LOCAL_SITE, s.HTTPS, s.SESSION_COOKIE_SECURE, s.RUNS_NEED_PERMISSION, s.RUN_PROVIDERS"

    assert shown(expression, DATA_DIR=tmp_path, **hosts) == "(False, True, True, True, [])"


def test_a_site_that_listens_for_others_must_name_its_hosts(tmp_path):
    assert "ALLOWED_HOSTS must be set" in shown("s.DEBUG", DATA_DIR=tmp_path, HOST="0.0.0.0")


def test_other_names_of_the_domain_are_bound_to_https_only_by_choice(tmp_path):
    expression = "s.SECURE_HSTS_SECONDS, s.SECURE_HSTS_INCLUDE_SUBDOMAINS, s.SECURE_HSTS_PRELOAD"

    assert shown(expression, DATA_DIR=tmp_path, **PRODUCTION) == "(31536000, False, False)"


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ({}, "('open', False, 'none')"),
        (PRODUCTION, "('invite', True, 'none')"),
        ({**PRODUCTION, "EMAIL_HOST": "mail.example.org"}, "('invite', True, 'mandatory')"),
    ],
)
def test_strangers_need_an_invitation_staff_a_second_factor_and_addresses_a_mail(tmp_path, given, expected):
    expression = "s.SIGNUP, s.STAFF_NEEDS_SECOND_FACTOR, s.ACCOUNT_EMAIL_VERIFICATION"

    assert shown(expression, DATA_DIR=tmp_path, **given) == expected


def test_a_local_site_keeps_its_own_secret_key(tmp_path):
    first = shown("s.SECRET_KEY", DATA_DIR=tmp_path)

    assert len(first) > 50
    assert shown("s.SECRET_KEY", DATA_DIR=tmp_path) == first
    assert stat.S_IMODE((tmp_path / "secret_key").stat().st_mode) == 0o600


def test_artifacts_go_to_the_bucket_when_there_is_one(tmp_path):
    shown_backend = shown("s.STORAGES['default']['BACKEND']", DATA_DIR=tmp_path, S3_BUCKET="results")

    assert shown_backend == "benchsite.storage.bucket.BucketStorage"


def test_proxies_are_not_believed_unless_they_are_ours(tmp_path):
    expression = "s.PROXIES, s.SECURE_PROXY_SSL_HEADER"

    assert shown(expression, DATA_DIR=tmp_path) == "(0, None)"
    assert shown(expression, DATA_DIR=tmp_path, PROXIES="1") == "(1, ('HTTP_X_FORWARDED_PROTO', 'https'))"
