"""What a process of the site loads before it does any work: nothing heavy that a part of it may never need."""

import subprocess
import sys

import pytest

from tests.benchsite.commands import PRODUCTION, ROOT, environment

HEAVY = [
    "scipy",
    "numpy",
    "pyarrow",
    "plotly",
    "narwhals",
    "otava",
    "boto3",
    "botocore",
    "google",
    "moto",
    "pandas",
    "resvg_py",
    "asyncssh",
]
ALL = """
import sys, django
django.setup()
from django.urls import get_resolver
get_resolver().url_patterns
from benchsite.celery import app
app.loader.import_default_modules()
app.finalize()
print(len(app.tasks), *sorted(set(sys.argv[1:]) & set(sys.modules)))
"""


@pytest.mark.parametrize("local", [False, True], ids=["deployment", "local site"])
def test_no_page_and_no_task_loads_what_is_heavy_before_it_is_needed(local, tmp_path):
    settings = {"DATA_DIR": tmp_path} if local else PRODUCTION
    done = subprocess.run(
        [sys.executable, "-c", ALL, *HEAVY],
        cwd=ROOT,
        env=environment(DJANGO_SETTINGS_MODULE="benchsite.settings", **settings),
        capture_output=True,
        text=True,
        check=True,
    )

    tasks, *loaded = done.stdout.split()
    assert int(tasks) > 10
    assert loaded == []
