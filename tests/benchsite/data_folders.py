"""Data folders for tests that start a whole site or its servers; a plugin of all tests (tests/conftest.py names it).

What the first start of a site makes takes seconds. Tests that look at something else begin from a copy of a folder
that each test process makes once, by the same commands.
"""

import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.benchsite.commands import ROOT, environment, manage

SERVERS = "import sys; from benchsite.processes import embedded; embedded.use(sys.argv[1])"
SITE = """
from django.core.management import call_command
call_command("prepare", admin=True)
call_command("create_token", "owner", scope=["run", "submit"])
"""


@dataclass(frozen=True)
class PreparedSite:
    data_dir: Path
    token: str  # of an account that may start runs and submit results


@pytest.fixture
def data_dir() -> Iterator[Path]:
    """The path of a folder that is not there yet."""
    with new_folder() as folder:
        yield folder


@pytest.fixture
def servers_made_before(data_dir: Path, _servers: Path) -> None:
    """On `data_dir` PostgreSQL and Redis have run, and their database is empty."""
    copied(_servers, data_dir)


@pytest.fixture
def prepared_site(data_dir: Path, _site: PreparedSite) -> PreparedSite:
    """On `data_dir` is what a first start makes: tables, prices, published results, an administrator."""
    copied(_site.data_dir, data_dir)
    return PreparedSite(data_dir, _site.token)


@pytest.fixture(scope="session")
def _servers() -> Iterator[Path]:
    with new_folder() as folder:
        subprocess.run([sys.executable, "-c", SERVERS, folder], cwd=ROOT, env=environment(), check=True)
        yield folder


@pytest.fixture(scope="session")
def _site() -> Iterator[PreparedSite]:
    with new_folder() as folder:
        done = manage("shell", "-v0", "-c", SITE, DATA_DIR=folder, STATIC_MANIFEST=0, EMBEDDED_DURABLE=0)
        assert done.returncode == 0, done.stdout
        yield PreparedSite(folder, done.stdout.split()[-1])


@contextmanager
def new_folder() -> Iterator[Path]:
    """Not in tmp_path: each start of pytest closes that to other accounts, and root's PostgreSQL runs as another."""
    folder = Path(tempfile.mkdtemp(prefix="benchsite-test-"))
    yield folder / "data"
    shutil.rmtree(folder, ignore_errors=True)


def copied(source: Path, target: Path) -> None:
    """With the owners of the files: those of PostgreSQL may be another account's."""
    subprocess.run(["cp", "-a", source, target], check=True)
