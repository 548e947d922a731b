"""The drill: a site is backed up while uploads go on, killed, lost with its disk, and restored elsewhere."""

import hashlib
import json
import shutil
import socket
import sys
import threading
import time
import urllib.error
import urllib.request
from datetime import UTC, datetime

import psutil
import psycopg
import pytest

from benchsite.processes import embedded
from tests.benchsite.commands import manage, start
from tests.benchsite.processes.test_embedded import servers
from tests.documents import metadata
from tests.files import stress_log

START_SECONDS = 120
CONTENTS = """
SELECT s.id, s.title, s.content_hash, a.name, a.sha256, a.size_bytes
FROM submissions_submission s LEFT JOIN submissions_artifact a ON a.submission_id = s.id
ORDER BY s.id, a.id
"""


class Site:
    """A web server on a data folder of its own."""

    def __init__(self, data_dir):
        self.data_dir = data_dir
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            self.port = probe.getsockname()[1]
        self.address = f"http://127.0.0.1:{self.port}"

    def start(self):
        options = {"DATA_DIR": self.data_dir, "PORT": self.port, "STATIC_MANIFEST": 0, "WEB_WORKERS": 1}
        self.process = start("serve", "--only", "web", **options)
        deadline = time.monotonic() + START_SECONDS
        while self.status("/readyz") != 200:
            assert self.process.poll() is None, self.process.stdout.read()
            assert time.monotonic() < deadline, "not ready in time"
            time.sleep(0.1)

    def status(self, path):
        try:
            with urllib.request.urlopen(self.address + path, timeout=10) as response:
                return response.status
        except (urllib.error.URLError, ConnectionError):
            return None

    def upload(self, token, number):
        """The submission's address, once the site has acknowledged it."""
        log = stress_log("cs50-10-3node").read_bytes() + b"\n" * number
        body = b"".join(
            b'--x\r\nContent-Disposition: form-data; name="%s"\r\n\r\n%s\r\n' % part
            for part in (
                (b'metadata"; filename="metadata.json', json.dumps(metadata({"title": f"upload {number}"})).encode()),
                (b'log"; filename="stress.log', log),
            )
        )
        headers = {"Authorization": f"Bearer {token}", "Content-Type": "multipart/form-data; boundary=x"}
        request = urllib.request.Request(f"{self.address}/api/v1/submissions/import/", body + b"--x--\r\n", headers)
        with urllib.request.urlopen(request, timeout=30) as response:
            return json.load(response)

    def contents(self):
        with psycopg.connect(embedded.database_url(self.data_dir)) as connection:
            return connection.execute(CONTENTS).fetchall()

    def kill(self):
        """Everything at once, as a machine that loses its power."""
        web = psutil.Process(self.process.pid)
        for process in [*web.children(recursive=True), web, *servers(self.data_dir).values()]:
            process.kill()
        self.process.wait()
        self.process.stdout.close()


class Uploads(threading.Thread):
    """Uploads one log after the other until the site is gone."""

    def __init__(self, site, token):
        super().__init__(daemon=True)
        self.site, self.token = site, token
        self.acknowledged = []  # (when, number)
        self.enough = threading.Event()

    def run(self):
        for number in range(1, 10_000):
            try:
                self.site.upload(self.token, number)
            except (OSError, urllib.error.URLError, ValueError):
                return
            self.acknowledged.append((datetime.now(UTC), number))
            if len(self.acknowledged) >= 3:
                self.enough.set()


@pytest.fixture
def sites(prepared_site):
    first, second = Site(prepared_site.data_dir), Site(prepared_site.data_dir.with_name("restored"))
    yield first, second
    for site in (first, second):
        if hasattr(site, "process") and site.process.poll() is None:
            site.kill()
        for process in servers(site.data_dir).values():
            process.kill()


def test_a_site_that_is_lost_while_uploads_go_on_comes_back_whole(sites, prepared_site, capsys):
    first, second = sites
    backups = first.data_dir.with_name("backups")
    first.start()
    uploads = Uploads(first, prepared_site.token)
    uploads.start()
    assert uploads.enough.wait(60), "no upload was acknowledged"

    printed = manage("backup", backups, DATA_DIR=first.data_dir)

    assert printed.returncode == 0, printed.stdout
    count = len(uploads.acknowledged)
    deadline = time.monotonic() + 60
    while len(uploads.acknowledged) < count + 2 and time.monotonic() < deadline:
        time.sleep(0.05)  # they go on after the backup as well
    [snapshot] = (backups / "snapshots").iterdir()
    manifest = json.loads((snapshot / "manifest.json").read_text())
    moment = datetime.fromisoformat(manifest["moment"])
    as_it_was = first.contents()
    killed_at = datetime.now(UTC)
    first.kill()
    uploads.join(60)
    shutil.rmtree(first.data_dir)

    began = time.monotonic()
    restored = manage("restore", backups, DATA_DIR=second.data_dir)
    second.start()
    assert second.status("/") == 200
    recovery = time.monotonic() - began

    assert restored.returncode == 0, restored.stdout
    contents = second.contents()
    submissions = {row[0] for row in contents}
    titles = {row[1] for row in contents if row[1].startswith("upload ")}  # beside the published results
    assert contents == [row for row in as_it_was if row[0] in submissions]
    assert len(submissions) == manifest["tables"]["submissions_submission"]
    assert {f"upload {number}" for at, number in uploads.acknowledged if at < moment} <= titles
    assert len(titles) >= 3
    for sha256 in {row[4] for row in contents if row[4]}:  # of those, published results have no file
        path = second.data_dir / "artifacts" / sha256[:2] / sha256
        assert hashlib.sha256(path.read_bytes()).hexdigest() == sha256
    lost = len(uploads.acknowledged) - len(titles)
    with capsys.disabled():
        sys.stdout.write(
            f"\nbackup: {printed.stdout.splitlines()[0]}"
            f"\nRPO: {(killed_at - moment).total_seconds():.1f} s before the loss ({lost} of"
            f" {len(uploads.acknowledged)} acknowledged uploads were after the backup)"
            f"\nRTO: {recovery:.1f} s from an empty machine to the first page\n"
        )
