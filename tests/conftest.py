"""Gives every test the real services: an embedded PostgreSQL and Redis, a Celery worker, a folder for artifacts.

The environment is set here, before Django reads its settings. TEST_DATA_DIR chooses the folder of the services;
two test runs at the same time need two of them, the workers of one run (pytest -n) share one.
"""

import os
import shutil
import sys
from itertools import count
from pathlib import Path

pytest_plugins = ["tests.markers", "tests.flushing", "tests.lab.fixtures", "tests.benchsite.data_folders"]

ROOT = Path(__file__).resolve().parent.parent
WORKER = os.environ.get("PYTEST_XDIST_WORKER", "main")

NUMBERS = count()
ROWS_OF_COLOURS = 10  # of a table: to measure the contrast of thousands of cells takes a browser half a minute

# Where the environment forbids bytecode, each process rewrites the assertions of all tests again: half of collection
sys.dont_write_bytecode = False

for name in ("DATABASE_URL", "REDIS_URL", "CACHE_REDIS_URL", "S3_BUCKET"):
    os.environ.pop(name, None)
    os.environ.pop(f"{name}_FILE", None)
for name in ("ALLOWED_HOSTS", "HTTPS", "DEBUG", "EMAIL_HOST"):
    os.environ.pop(name, None)
os.environ.update(
    DJANGO_SETTINGS_MODULE="benchsite.settings",
    DATA_DIR=os.environ.get("TEST_DATA_DIR", str(ROOT / ".data-test")),
    EMBEDDED_DURABLE="0",
    REDIS_PREFIX=f"test-{WORKER}",
    STATIC_MANIFEST="0",
    LOG_LEVEL="WARNING",
    DJANGO_ALLOW_ASYNC_UNSAFE="1",  # Playwright keeps an event loop in the thread of the tests
    SECRET_KEY="a key for tests only, never used by a site",
    PAGE_CACHE_SECONDS="0",
    PACKS="",
    THROTTLE_PAGES="0/min",
    THROTTLE_ANON="1000000/min",
    THROTTLE_USER="1000000/min",
    THROTTLE_UPLOAD="1000000/min",
)

import hypothesis  # noqa: E402
import pytest  # noqa: E402
from django.conf import settings  # noqa: E402

settings.STATIC_ROOT.mkdir(parents=True, exist_ok=True)  # WhiteNoise warns when it is missing
settings.WHITENOISE_AUTOREFRESH = True  # else every client of a test lists all static files, which takes 20 ms
# A real hash takes a third of a second on purpose; the tests make thousands of accounts.
settings.PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
# The first example of a process reads all of our source for constants: seconds on a busy machine, whatever the test.
# Nor does an example fail by its time alone: the default of 200 ms is what a busy machine may take for anything.
hypothesis.settings.register_profile("steady", deadline=None, suppress_health_check=[hypothesis.HealthCheck.too_slow])
hypothesis.settings.load_profile("steady")


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_setupnodes(specs):
    """A parallel worker inherits our environment, and reads the settings by it before it reads this file."""
    for spec in specs:
        spec.env["REDIS_PREFIX"] = f"test-{spec.id}"


@pytest.fixture(autouse=True)
def artifacts_folder(tmp_path_factory, settings):
    """Raw files of a test go to a folder of its own, which the first of them makes."""
    folder = tmp_path_factory.getbasetemp() / f"artifacts-{next(NUMBERS)}"
    options = {"location": folder, "durable": False}
    storage = {"BACKEND": "benchsite.storage.backends.FolderStorage", "OPTIONS": options}
    settings.STORAGES = {**settings.STORAGES, "default": storage}
    return folder


@pytest.fixture(autouse=True)
def places_of_exports(monkeypatch):
    """Many tests leave an export unread, which has its place until its response is collected."""
    import threading

    from benchsite.http import exports

    monkeypatch.setattr(exports, "free_places", threading.BoundedSemaphore(exports.AT_ONCE))


@pytest.fixture(autouse=True)
def time_to_count(monkeypatch):
    """Readers count all that is queued, on a slow machine too."""
    from submissions.aggregates import store

    monkeypatch.setattr(store, "READER_SECONDS", 600)


@pytest.fixture
def redis_client():
    """The server of the broker and of all counters, emptied of what this test worker keeps there."""
    import redis

    client = redis.Redis.from_url(settings.REDIS_URL)
    yield client
    for key in client.scan_iter(f"*{settings.REDIS_PREFIX}:*"):
        client.delete(key)
    client.close()


@pytest.fixture
def clear_cache():
    """No throttle count or cached page of another test."""
    from django.core.cache import caches

    for each in caches:
        caches[each].clear()


@pytest.fixture
def celery_worker(transactional_db, redis_client):
    """A worker thread on the real broker; it sees what the test has committed."""
    from celery.contrib.testing.worker import start_worker

    from benchsite.celery import app

    app.loader.import_default_modules()
    with start_worker(app, pool="threads", concurrency=2, perform_ping_check=False, shutdown_timeout=30) as worker:
        yield worker


@pytest.fixture(scope="session")
def browser():
    """Debian's chromium, driven by Playwright; the tests that ask for it are skipped where there is none."""
    from playwright.sync_api import sync_playwright

    program = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
    if not program:
        pytest.skip("no chromium is installed: apt-get install chromium")
    with sync_playwright() as playwright:
        # Root, as in a container, cannot have chromium's sandbox; the pages are our own.
        chromium = playwright.chromium.launch(executable_path=program, args=["--no-sandbox", "--disable-dev-shm-usage"])
        yield chromium
        chromium.close()


def is_error(line) -> bool:
    """htmx logs a request that a later one of the same form replaced; a failed one has a line more of its own."""
    return line.type == "error" and not line.text.startswith(("htmx:afterRequest", "htmx:sendAbort"))


@pytest.fixture
def page(browser, live_server):
    """A fresh browser page on the running site; the test fails when its console has an error."""
    context = browser.new_context(base_url=live_server.url, viewport={"width": 1280, "height": 800}, locale="en-GB")
    context.set_default_timeout(15_000)
    page = context.new_page()
    errors = []
    page.on("pageerror", lambda error: errors.append(f"{page.url}: {error}"))
    page.on("console", lambda line: errors.append(f"{page.url}: {line.text}") if is_error(line) else None)
    yield page
    context.close()
    assert not errors


@pytest.fixture
def violations():
    """A function: the accessibility rules of level A and AA that a page breaks, one line each; found by axe-core.

    `colours=True`: only those that the colours of a scheme can break.
    """
    from axe_playwright_python.sync_playwright import Axe

    by_colours = ["color-contrast", "link-in-text-block"]
    levels = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"]
    # What is in order needs no description of each of its elements: megabytes for a page with long tables.
    short = {"resultTypes": ["violations"], "preload": False}
    shape = {**short, "runOnly": levels, "rules": {rule: {"enabled": False} for rule in by_colours}}
    looks = {**short, "runOnly": {"type": "rule", "values": by_colours}}
    first_rows = {"include": [["html"]], "exclude": [[f"tbody tr:nth-child(n+{ROWS_OF_COLOURS + 1})"]]}

    def broken(page, context, options):
        result = page.evaluate("([context, options]) => axe.run(context, options)", [context, options])
        return [
            f"{rule['id']} ({rule['impact']}): {rule['help']}: {node['html']}"
            for rule in result["violations"]
            for node in rule["nodes"]
        ]

    def found(page, *, colours=False):
        if not page.evaluate("'axe' in window"):
            page.evaluate(Axe().axe_script)
        return ([] if colours else broken(page, {"include": [["html"]]}, shape)) + broken(page, first_rows, looks)

    return found
