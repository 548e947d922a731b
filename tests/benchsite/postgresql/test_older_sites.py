"""A site of the last commit before the migrations became one comes along with all it has; an older one is refused."""

import json
import pwd
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import psycopg
import pytest

from benchsite.postgresql.older_sites import UPGRADE_THROUGH
from benchsite.processes import embedded
from benchsite.processes.embedded_servers import SERVICE_USER
from tests.benchsite.commands import ROOT, manage
from tests.benchsite.data_folders import new_folder

STORED = ROOT / "tests" / "data" / f"site-{UPGRADE_THROUGH}"
SETTINGS = {"PACKS": "", "STATIC_MANIFEST": 0, "EMBEDDED_DURABLE": 0, "THROTTLE_ANON": "0/min"}

# Fields that answers have since then; whatever else an answer had, it has still, with the same figures.
NEW_FIELDS = ("deployment", "data_bytes", "data_to_memory", "data_fit", "#/workload/data_bytes", "without_storage")
WORDS = ("effect",)  # what a missing fact means may be said in other words

# The files, the figures, and {address: where its answer differs from that of the old code}
CHECK = f"""
import json, lzma
from django.core.management import call_command
from django.test import Client
from django.utils import timezone
def of_today(answer):  # the day of the prices is that of the reader
    return {{**answer, "prices_on": f"{{timezone.now():%Y-%m-%d}}"}} if answer.get("prices_on") else answer
figures = json.loads(lzma.open("{STORED / "figures.json.xz"}").read(), object_hook=of_today)
call_command("check_artifacts")
client = Client(headers={{"host": "localhost:8330"}})
different = {{}}
def by_place(value):  # the facts that a result lacks, each by its place in the document
    is_such = isinstance(value, list) and value and all("pointer" in part for part in value if isinstance(part, dict))
    return {{part["pointer"]: part for part in value}} if is_such and isinstance(value[0], dict) else value
def differences(before, now, place=""):
    before, now = by_place(before), by_place(now)
    if isinstance(before, dict) and isinstance(now, dict):
        yield from (f"{{place}}/{{key}} is gone" for key in before.keys() - now.keys())
        yield from (f"{{place}}/{{key}} is new" for key in now.keys() - before.keys() - {set(NEW_FIELDS)})
        for key in before.keys() & now.keys() - {set(WORDS)}:
            yield from differences(before[key], now[key], f"{{place}}/{{key}}")
    elif isinstance(before, list) and isinstance(now, list) and len(before) == len(now):
        for number, (one, other) in enumerate(zip(before, now)):
            yield from differences(one, other, f"{{place}}/{{number}}")
    elif before != now:
        yield f"{{place}}: {{before!r}} -> {{now!r}}"[:300]
for address, before in figures.items():
    response = client.get(address)
    if found := sorted(differences(before, json.loads(response.content))):
        different[address] = found[:20]
call_command("check_aggregates")
print(json.dumps([len(figures), different]))
"""
COUNTS = """
import json
from django.apps import apps
from django.db import connection
tables = connection.introspection.table_names()
with connection.cursor() as cursor:
    counts = {}
    for table in tables:
        cursor.execute(f'SELECT count(*) FROM "{table}"')
        counts[table] = cursor.fetchone()[0]
print(json.dumps(counts))
"""


@pytest.fixture
def stored_site():
    """The folder of a site as that commit has left it."""
    with new_folder() as folder:
        folder.mkdir()
        subprocess.run(["tar", "-xJf", STORED / "data_dir.tar.xz", "-C", folder], check=True)
        if any(entry.pw_name == SERVICE_USER for entry in pwd.getpwall()):  # only root's site has the account
            for path in (folder / "services", *(folder / "services").rglob("*")):
                shutil.chown(path, SERVICE_USER)
        yield folder


def executed(statement, data_dir):
    with psycopg.connect(embedded.database_url(data_dir), autocommit=True) as database:
        database.execute(statement)


def done(*arguments, data_dir):
    process = manage(*arguments, DATA_DIR=data_dir, **SETTINGS)
    assert process.returncode == 0, process.stdout[-3000:]
    return process.stdout


def last_line(*arguments, data_dir):
    return json.loads(done("shell", "-v0", "-c", *arguments, data_dir=data_dir).splitlines()[-1])


def rows_of_backup():
    with new_folder() as folder:
        backup(folder)
        [manifest] = (folder / "snapshots").glob("*/manifest.json")
        return json.loads(manifest.read_text())["tables"]


def backup(folder: Path) -> Path:
    folder.mkdir()
    subprocess.run(["tar", "-xJf", STORED / "backup.tar.xz", "-C", folder], check=True)
    return folder


@contextmanager
def running(data_dir: Path) -> Iterator[None]:
    """The servers run on while the commands come and go."""
    embedded.use(data_dir, durable=False)
    try:
        yield
    finally:
        embedded.leave(data_dir)


def assert_has_everything(data_dir):
    before, now = rows_of_backup(), last_line(COUNTS, data_dir=data_dir)
    stored = {
        table: n for table, n in before.items() if table in now and not table.startswith(("django_", "auth_perm"))
    }
    assert stored["submissions_submission"] > 70
    changed = ("submissions_dataversion", "submissions_searchentry")
    assert {table: now[table] for table in stored if table not in changed} == {
        table: n for table, n in stored.items() if table not in changed
    }
    found = done("shell", "-v0", "-c", CHECK, data_dir=data_dir)
    assert json.loads(found.splitlines()[-1]) == [103, {}]
    assert "equal the counts of the rows" in found


def test_a_data_dir_of_that_commit_keeps_every_row_file_and_figure_and_an_older_one_is_refused(stored_site):
    with running(stored_site):
        forgotten = "DELETE FROM django_migrations WHERE app = 'submissions' AND name = '0056_credits'"
        executed(forgotten, stored_site)
        tables = last_line(COUNTS, data_dir=stored_site)
        refused = manage("prepare", "--no-static", DATA_DIR=stored_site, **SETTINGS)
        assert refused.returncode == 1
        assert f"this data is of a version before commit {UPGRADE_THROUGH}: submissions.0056_credits" in refused.stdout
        assert last_line(COUNTS, data_dir=stored_site) == tables
        applied = "INSERT INTO django_migrations (app, name, applied) VALUES ('submissions', '0056_credits', now())"
        executed(applied, stored_site)

        done("migrate", data_dir=stored_site)

        assert_has_everything(stored_site)


@pytest.mark.usefixtures("servers_made_before")
def test_a_backup_of_that_commit_keeps_every_row_file_and_figure(data_dir):
    with new_folder() as folder, running(data_dir):
        done("restore", str(backup(folder)), data_dir=data_dir)

        done("migrate", data_dir=data_dir)

        assert_has_everything(data_dir)


@pytest.mark.usefixtures("servers_made_before")
def test_a_backup_of_an_older_site_is_refused(data_dir):
    with new_folder() as folder:
        [manifest] = (backup(folder) / "snapshots").glob("*/manifest.json")
        content = json.loads(manifest.read_text())
        content["migrations"].remove(["submissions", "0056_credits"])
        manifest.write_text(json.dumps(content))

        refused = manage("restore", str(folder), DATA_DIR=data_dir, **SETTINGS)

    assert refused.returncode == 1
    assert f"before commit {UPGRADE_THROUGH}" in refused.stdout
