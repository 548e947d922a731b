"""benchsite upload: mixed logs against a running site. Good ones are published, others refused; nothing is lost."""

import shutil
from decimal import Decimal

import pytest

from tests.files import DATA, stress_log

GOOD = [
    "cassandra-stress/cs50-01-write-n20000-t4.log",
    "cassandra-stress/cs50-02-read-n20000-t8.log",
    "cassandra-stress/cs50-07b-mixed-fixed-hdrfile.log",
    "cassandra-stress/cs50-07b.hdr",  # of the log before
    "cassandra-stress/cs50-09-auto-threads.log",  # a load curve
    "latte/latte-01-write.json",
    "memtier/composed-text.log",
    "pgbench/pg15-01-tpcb.log",
    "pgbench/pg18-02-select-only.log",
    "redis-benchmark/rb70-05-command.log",
    "sysbench/sb10-02-histogram.log",
]
BAD = [
    "cassandra-stress/cs50-12-all-unavailable-ignored-zero-ops.log",
    "cassandra-stress/cs50-16-connection-refused.log",
    "latte/latte-01-write.log",
    "pgbench/pg18-00-init.log",
    "sysbench/sb10-07-no-database.log",
]
SERVICES = ["cassandra-stress=cassandra", "latte=cassandra", "memtier-benchmark=redis", "pgbench=postgresql"]
SERVICES += ["redis-benchmark=redis", "sysbench=mysql"]
WHERE = ("--aws", "3x m5.xlarge us-east-1")


def services(*names):
    return [part for name in names for part in ("--service", name)]


@pytest.fixture
def mixed(tmp_path):
    """A folder with 20 files: two trials of one result and a copy among them, an empty and a foreign file."""
    folder = tmp_path / "results"
    folder.mkdir()
    for name in (*GOOD, *BAD):
        shutil.copy(DATA / name, folder)
    log = stress_log("cs50-10-3node")
    shutil.copy(log, folder / "trial-1.log")
    (folder / "trial-2.log").write_bytes(log.read_bytes() + b"\n")
    (folder / "empty.log").touch()
    shutil.copy(DATA / "pgbench/pg18-02-select-only.log", folder / "a copy.log")
    (folder / ".hidden").write_text("not sent")
    assert len(list(folder.glob("[!.]*"))) == 20
    return folder


def test_a_folder_of_20_mixed_samples_is_uploaded_in_one_command(benchsite, mixed, ada):
    from submissions.models import Submission
    from tests.factories import PriceFactory

    PriceFactory(sku="m5.xlarge", usd=Decimal("0.192"))

    ended = benchsite("upload", mixed, *WHERE, *services(*SERVICES), "--json")

    rows = {row["file"].rpartition("/")[2]: row for row in ended.json["files"]}
    assert (len(rows), ended.code) == (20, 1)
    outcomes = {name: row["outcome"] for name, row in rows.items()}
    refused = {name for name, outcome in outcomes.items() if outcome == "refused"}
    assert refused == {path.rpartition("/")[2] for path in BAD} | {"empty.log"}
    assert all(rows[name]["reasons"] for name in refused)
    assert "all 200 of 200 operations failed" in rows["cs50-12-all-unavailable-ignored-zero-ops.log"]["reasons"][0]
    assert "is empty" in rows["empty.log"]["reasons"][0]
    assert sorted(outcomes.values()).count("duplicate") == 1
    trials = rows["trial-1.log"]["submissions"]
    assert rows["trial-1.log"]["together_with"] == [str(mixed / "trial-2.log")]
    assert trials == rows["trial-2.log"]["submissions"]
    assert trials[0]["trials_count"] == 2
    stored = {each["id"] for row in rows.values() for each in row["submissions"]}
    assert stored == set(Submission.objects.filter(submitted_by=ada).values_list("pk", flat=True))
    assert len(stored) >= 10
    assert {"cs50-07b.hdr", "cs50-07b-mixed-fixed-hdrfile.log"} == {
        artifact.name
        for artifact in Submission.objects.get(pk=rows["cs50-07b.hdr"]["submissions"][0]["id"]).artifacts.all()
        if artifact.name != "intervals.json.gz"
    }
    [curve] = rows["cs50-09-auto-threads.log"]["submissions"]
    assert Submission.objects.get(pk=curve["id"]).load_points.count() == 4


def test_what_is_missing_is_named_in_a_pipe_and_asked_for_on_a_terminal(benchsite, tmp_path):
    from submissions.models import Submission

    for name in ("cassandra-stress/cs50-01-write-n20000-t4.log", "pgbench/pg18-02-select-only.log"):
        shutil.copy(DATA / name, tmp_path)
    logs = sorted(tmp_path.glob("*.log"))

    piped = benchsite("upload", *logs)
    checked = benchsite("upload", *logs, *WHERE, *services(*SERVICES), "--dry-run")

    assert piped.code == 2
    assert "the database that cassandra-stress loaded" in piped.err
    assert "--service cassandra-stress=NAME" in piped.err
    assert "pgbench loaded" not in piped.err  # it loads only one
    assert '--aws "3x m5.xlarge us-east-1"' in piped.err
    assert (checked.code, checked.out.count("can be published")) == (0, 2)
    assert not Submission.objects.exists()

    answers = "cassandra\naws\n3x m5.xlarge us-east-1\n"
    asked = benchsite("upload", *logs, "--measured-at", "2026-05-04", typed=answers)

    assert asked.code == 0, asked.err
    assert asked.out.count("published") == 2
    assert "3,711" in asked.out
    stored = Submission.objects.order_by("service")
    assert [row.service for row in stored] == ["cassandra", "postgresql"]
    assert {(row.provider, row.region, row.node_count) for row in stored} == {("aws", "us-east-1", 3)}
    assert benchsite("upload", logs[0], *WHERE, "--service", "cassandra", "--measured-at", "2026-05-04").code == 0
    assert stored.count() == 2  # the same again is the first one


def test_each_tool_of_a_folder_has_its_database_by_the_name_that_the_tool_has_itself(benchsite, tmp_path):
    for name in (
        "cassandra-stress/cs50-01-write-n20000-t4.log",
        "memtier/composed-text.log",
        "pgbench/pg18-02-select-only.log",
    ):
        shutil.copy(DATA / name, tmp_path)

    by_tool = services("cassandra", "memtier_benchmark=redis", "pgbench=postgresql")
    ended = benchsite("upload", tmp_path, *WHERE, *by_tool, "--dry-run", "--measured-at", "2026-05-04")
    of_all = benchsite("upload", tmp_path, *WHERE, *services("cassandra"), "--dry-run")

    assert (ended.code, ended.out.count("can be published")) == (0, 3)
    assert (of_all.code, of_all.out.count("can be published")) == (1, 1)
    assert "a pgbench log is of PostgreSQL or a database that speaks its protocol, not of" in of_all.out


def test_a_log_against_the_stated_facts_is_refused_with_both_values(benchsite):
    ended = benchsite(
        "upload", stress_log("cs50-10-3node"), "--aws", "1x m5.xlarge us-east-1", "--service", "cassandra"
    )

    assert ended.code == 1
    assert "the log names 3 nodes, the upload says 1" in ended.out


def test_after_publishing_the_ranks_and_the_next_pages_are_printed(benchsite, ada):
    from submissions.models import Submission

    ada.is_staff = False  # whose first results would wait for nobody
    ada.save()
    log = stress_log("cs50-10-3node")
    facts = (*WHERE, "--service", "cassandra", "--measured-at", "2026-05-04")

    ended = benchsite("upload", log, *facts)
    again = benchsite("upload", log, *facts, "--json")

    row = Submission.objects.get()
    lines = ended.out.splitlines()
    assert any(line.startswith(f"#{row.pk}  http") and line.endswith(f"/submissions/{row.pk}/") for line in lines)
    assert any(line.startswith("    first result of its workload; flags: short") for line in lines)
    assert any("The first results of a new account are reviewed" in line for line in lines)
    assert any(line.startswith("All of yours: http") for line in lines)
    [submission] = again.json["files"][0]["submissions"]
    assert (submission["rank"], again.json["files"][0]["outcome"]) == ("first result of its workload", "known")
    assert again.json["next"]["compare"].endswith(f"/compare/?with={row.pk}")


def test_a_log_of_another_result_is_refused_until_it_is_allowed(benchsite):
    from submissions.models import Submission

    log = stress_log("cs50-10-3node")
    facts = ("--service", "cassandra", "--measured-at", "2026-05-04")
    assert benchsite("upload", log, *WHERE, *facts).code == 0

    refused = benchsite("upload", log, "--aws", "3x m5.xlarge eu-west-1", *facts)
    allowed = benchsite("upload", log, "--aws", "3x m5.xlarge eu-west-1", *facts, "--allow-duplicates")

    assert refused.code == 1
    assert f"is already published as result #{Submission.objects.earliest('pk').pk}" in refused.out
    assert "--allow-duplicates" in refused.out
    assert (allowed.code, Submission.objects.count()) == (0, 2)
