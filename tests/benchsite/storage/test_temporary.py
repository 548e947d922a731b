"""Temporary files are deleted with their process, also when it was killed."""

import os
import subprocess
import sys

import pytest
from django.test import RequestFactory

from benchsite.storage import temporary
from submissions.ingest.files.spool import spool
from tests.benchsite.commands import ROOT, environment

# Writes a log into its temporary folder, says where, and waits.
WORKER = """
import sys
import django
django.setup()
from submissions.ingest.files.spool import spool
spooled = spool([b"half of a log"])
print(spooled.path, flush=True)
sys.stdin.read()
"""


@pytest.fixture
def data_dir(settings, tmp_path):
    settings.DATA_DIR = tmp_path / "data"
    return settings.DATA_DIR


@pytest.fixture
def worker(data_dir):
    process = subprocess.Popen(
        [sys.executable, "-c", WORKER],
        cwd=ROOT,
        env=environment(DATA_DIR=data_dir, DJANGO_SETTINGS_MODULE="benchsite.settings"),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    yield process
    process.kill()
    process.wait()
    process.stdin.close()
    process.stdout.close()


def test_what_a_killed_worker_leaves_is_cleared_and_not_before(worker, data_dir):
    left = worker.stdout.readline().strip()
    assert left.startswith(str(data_dir / "tmp"))
    assert temporary.clear_abandoned() == 0  # it is still at it

    worker.kill()
    worker.wait()

    assert os.path.exists(left)
    assert temporary.clear_abandoned() == 1
    assert os.listdir(data_dir / "tmp") == []


def test_our_own_files_are_left_alone(data_dir):
    spooled = spool([b"a log"])

    assert temporary.clear_abandoned() == 0
    assert spooled.path.read_bytes() == b"a log"
    assert spooled.path.is_relative_to(data_dir / "tmp")


def test_a_sent_file_waits_without_a_name(data_dir, settings):
    settings.FILE_UPLOAD_MAX_MEMORY_SIZE = 10
    boundary = "x"
    body = (
        f'--{boundary}\r\nContent-Disposition: form-data; name="log"; filename="stress.log"\r\n'
        f"Content-Type: text/plain\r\n\r\n{'op rate ' * 100}\r\n--{boundary}--\r\n"
    )
    request = RequestFactory().generic("POST", "/", body, content_type=f"multipart/form-data; boundary={boundary}")

    file = request.FILES["log"]

    assert file.read() == b"op rate " * 100
    assert not hasattr(file, "temporary_file_path")
    [own] = (data_dir / "tmp").iterdir()
    assert os.listdir(own) == ["lock"]
