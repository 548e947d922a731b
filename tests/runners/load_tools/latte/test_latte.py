"""The command lines and jobs of latte, what the live page sees of it, and what its result states."""

import pytest

from runners.load_tools import UnsupportedWorkload, for_plan
from runners.load_tools.downloads import Downloads
from runners.load_tools.latte import commands
from runners.load_tools.latte.latte import Latte
from tests.files import DATA
from tests.runners.databases.cassandra_plans import cluster, plan

JAVA = ". ./host.env; export JAVA_HOME; exec "


@pytest.fixture
def workload():
    return Latte(Downloads("http://mirror", latte_mirror="http://latte/"))


def latte(**workload):
    asked = {"tool": "latte", **workload}
    if "duration_seconds" in asked:
        asked["operations"] = None
    return plan(**asked)


def trial(made, number=0, client=0, clients=1):
    return " ".join(commands.trial(made, number, client, clients, ["10.0.0.1", "10.0.0.2"], report="r.json"))


def test_a_trial_of_writes():
    assert trial(latte(operations=1_001, threads=8), clients=2) == (
        "run bin/rows.rn --quiet --functions=write:1 --duration=501 --threads=1 --concurrency=8 --sampling=1s"
        " --start-cycle=0 --output=r.json -P rows=100000 -P columns=5 -P bytes=34 10.0.0.1 10.0.0.2"
    )


def test_a_trial_of_a_mix_at_a_rate_with_cycles_of_its_own():
    made = latte(
        operation="mixed",
        read_share=0.9,
        duration_seconds=60,
        fixed_rate_ops_s=1_001,
        consistency_level="LOCAL_ONE",
        prefill=500,
        columns=2,
        value_bytes=10,
    )

    assert trial(made, number=1, client=1, clients=2) == (
        "run bin/rows.rn --quiet --functions=read:0.9,write:0.1 --duration=60s --threads=5 --concurrency=20"
        f" --rate=500 --consistency=LOCAL_ONE --sampling=1s --start-cycle={3 * 2**40} --output=r.json"
        " -P rows=500 -P columns=2 -P bytes=10 10.0.0.1 10.0.0.2"
    )


@pytest.mark.parametrize(
    ("threads", "words"),
    [(1, "--threads=1 --concurrency=1"), (16, "--threads=1 --concurrency=16"), (37, "--threads=1 --concurrency=37"),
     (96, "--threads=6 --concurrency=16"), (256, "--threads=8 --concurrency=32")],
)  # fmt: skip
def test_the_requests_under_way_are_those_of_the_plan(threads, words):
    assert f" {words} " in trial(latte(threads=threads))


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"operation": "counter_write"}, "latte supports the operations write, read, mixed, not 'counter_write'"),
        ({"operation": "read", "read_share": 0.5}, "latte has no read_share with read"),
        ({"profile": "x"}, "latte has no profile"),
        ({"consistency_level": "SERIAL"}, "does not support the consistency level SERIAL"),
        ({"operation": "read", "prefill": 0}, "prefill must be at least 1"),
        ({"columns": 1_000, "value_bytes": 10**7}, "more than 10 MB"),
    ],
)
def test_a_load_that_latte_cannot_run_is_refused_with_the_reason(changes, reason):
    with pytest.raises(ValueError, match=reason):
        commands.check(latte(**changes))


def test_the_jobs_of_a_read(workload):
    made = latte(operation="read", clients=2, prefill=1_000)
    jobs = {job.name: job for job in workload.bootstrap_jobs(made, cluster(made))}

    contacts = "10.0.0.1 10.0.0.2 10.0.0.3"
    rows = "-P rows=1000 -P columns=5 -P bytes=34"
    assert jobs["install"].commands["client-1"] == (
        'python3 bin/fetch.py http://latte/latte-0.29.0-"$(uname -m)" dist/latte "${PEER:-}" && chmod 755 dist/latte'
    )
    assert jobs["schema"].commands == {
        "client-0": f"{JAVA}dist/latte schema bin/rows.rn {rows} -P replicas=3 -P 'datacenter=\"dc1\"' {contacts}"
    }
    assert jobs["fill"].commands == {
        "client-0": f"{JAVA}dist/latte load bin/rows.rn --quiet --consistency=ALL {rows} {contacts}"
    }
    assert "bin/rows.rn" in jobs["prepare"].files["client-1"]


def test_writes_need_no_rows(workload):
    made = latte(operation="write")

    assert [job.name for job in workload.bootstrap_jobs(made, cluster(made))][-1] == "schema"


def test_the_report_is_the_log_of_a_trial(workload):
    made = latte(databases=1, replication_factor=1)

    outputs = workload.outputs(made, cluster(made), 1)

    assert [(file.path, file.kind, file.name) for file in outputs] == [
        ("trials/1/report.json", "log", "trial-2-client-0.json"),
        ("trials/1/samples.csv", "samples", "trial-2-db-0-samples.csv"),
        ("trials/1/samples.csv", "samples", "trial-2-client-0-samples.csv"),
    ]
    assert workload.trial_job(made, cluster(made), 1).log_path == "jobs/trial-1/output"


def test_the_live_page_sees_rate_and_p99_of_each_second(workload):
    lines = (DATA / "latte/latte-01-write.log").read_text().splitlines()

    rows = workload.progress(lines)

    assert rows[:3] == [(1.001, 2940.0, 83.6), (2.001, 7192.0, 19.9), (3.007, 4820.0, 84.0)]
    assert len(rows) == 15


def test_the_result_states_what_the_report_does_not_have(workload):
    """The rate is in the report, as a limit: latte does not measure from when a request was due."""
    described = workload.document(latte(operation="read", fixed_rate_ops_s=500, prefill=100), {})["workload"]

    command = described.pop("command")
    assert command.startswith("latte run bin/rows.rn --quiet --functions=read:1 ")
    assert command.endswith(" -P rows=100 -P columns=5 -P bytes=34")
    assert described == {
        "tool": "latte",
        "tool_version": "0.29.0",
        "replication_factor": 3,
        "columns": 5,
        "value_bytes": 34,
        "key_count": 100,
    }


def test_hosts_of_a_site_without_a_mirror_cannot_have_it(settings):
    settings.LATTE_MIRROR = ""

    with pytest.raises(UnsupportedWorkload, match="latte needs LATTE_MIRROR: hosts download its program from there"):
        for_plan(latte())
