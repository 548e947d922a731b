"""A data folder for tests that start a whole site or its servers."""

import shutil
import tempfile
from pathlib import Path

import pytest


@pytest.fixture
def data_dir():
    """Not in tmp_path: each start of pytest closes that to other accounts, and root's PostgreSQL runs as another."""
    folder = Path(tempfile.mkdtemp(prefix="benchsite-test-"))
    yield folder / "data"
    shutil.rmtree(folder, ignore_errors=True)
