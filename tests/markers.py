"""Marks each test by what it needs, so that a part of the suite can be run: a plugin of all tests.

pure: in a folder of PURE, without the site's services; `make quick` runs these, and starts no service.
browser, lab: drives chromium; boots hosts in network namespaces.
slow: one of these two, starts programs or whole sites, sends thousands of requests, or is marked so where it stands.
"""

import socket
from pathlib import Path
from typing import Any, NoReturn

import pytest

TESTS = Path(__file__).resolve().parent
PURE = [
    TESTS / name
    for name in (
        "test_markers.py",
        "runners/load_search",
        "runners/load_tools",
        "runners/plans",
        "submissions/age",
        "submissions/analysis",
        "submissions/charts",
        "submissions/formatting",
        "submissions/ingest/document",
        "submissions/ingest/files",
        "submissions/ingest/logs",
        "submissions/ingest/parsers",
        "submissions/ingest/secrets",
        "submissions/pricing",
        "submissions/questions/boards",
        "submissions/records/curves",
        "tools/synthetic",
    )
]
SLOW = [TESTS / name for name in ("bench", "deploy", "e2e", "fuzz", "lab", "runners/load_tools/scripts")]

# PostgreSQL, Redis, and servers that stand for those of others
SERVICES = {"client", "db", "transactional_db", "redis_client", "clear_cache", "serve", "refused"}
WHOLE_SITES = {"live_server", "data_dir", "browser", "lab_network"}


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """`-m pure` reads the folders of pure tests alone: all others take as long to collect as these to run."""
    if config.option.markexpr != "pure" or not collection_path.is_relative_to(TESTS):
        return None
    near = any(collection_path.is_relative_to(path) or path.is_relative_to(collection_path) for path in PURE)
    return None if near else True


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        fixtures = set(getattr(item, "fixturenames", ()))
        is_slow = item.get_closest_marker("slow") or _is_in(item.path, SLOW) or fixtures & WHOLE_SITES
        if "browser" in fixtures:
            item.add_marker("browser")
        if is_slow:
            item.add_marker("slow")
        elif _is_in(item.path, PURE) and not fixtures & SERVICES and not item.get_closest_marker("django_db"):
            item.add_marker("pure")


def pytest_collection_finish(session: pytest.Session) -> None:
    """The services start only for tests that may use them."""
    if any(not item.get_closest_marker("pure") for item in session.items):
        from benchsite.processes import embedded

        embedded.use_configured()


@pytest.fixture(autouse=True)
def no_connection(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """A test that is marked pure fails where it connects to anything; pytest-django refuses it the database."""
    if request.node.get_closest_marker("pure"):
        monkeypatch.setattr(socket.socket, "connect", _refuse)
        monkeypatch.setattr(socket.socket, "connect_ex", _refuse)


def _refuse(*arguments: Any) -> NoReturn:
    raise AssertionError("a pure test opens a connection: see tests/markers.py")


def _is_in(path: Path, folders: list[Path]) -> bool:
    return any(path.is_relative_to(folder) for folder in folders)
