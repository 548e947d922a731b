"""pgbench's jobs as the host gets them, and what becomes of their output."""

import pytest

from runners.load_tools import UnsupportedWorkload, for_plan
from runners.load_tools.base import Member, OutputFile
from runners.load_tools.pgbench.pgbench import PGBENCH_PRESET, WORKLOAD, processor_slug
from runners.plan_schema.run_plan import RunPlan
from submissions.ingest.document.submission import ClusterDocument

CLUSTER = [Member("db-0", "database", 0, "127.9.9.1", None)]
CONNECTION = "--host=/proc/self/cwd/data/0/postgresql --username=benchsite"
FACTS = {
    "db-0": {
        "at": "2026-11-20T07:47:28Z",
        "cpu_model": "Intel(R) Xeon(R) Platinum 8370C CPU @ 2.80GHz",
        "vcpus": 8,
        "memory_gib": 31.2,
        "kernel": "6.1.0",
        "os": "Debian GNU/Linux 12 (bookworm)",
        "architecture": "x86_64",
        "data": [{"device": "/dev/nvme0n1p2", "filesystem": "ext4", "size_gib": 466.0}],
        "java": None,
        "disk_test": None,
    }
}


def plan(workload=None, **changes):
    """The preset with other values; None takes one away."""
    wanted = {**PGBENCH_PRESET["workload"], **(workload or {})}
    kept = {name: value for name, value in wanted.items() if value is not None}
    return RunPlan.model_validate({**PGBENCH_PRESET, **changes, "workload": kept})


def command(**workload):
    return WORKLOAD.trial_job(plan(workload), CLUSTER, 1).commands["db-0"]


def test_the_server_is_made_then_filled_then_described():
    jobs = WORKLOAD.bootstrap_jobs(plan(), CLUSTER)

    assert [(job.name, job.commands, job.log_path) for job in jobs] == [
        ("start", {"db-0": "sh bin/postgresql.sh start ''"}, "jobs/start/output"),
        ("fill", {"db-0": "sh bin/postgresql.sh fill 10"}, "jobs/fill/output"),
        ("facts", {"db-0": "python3 bin/facts.py"}, "jobs/facts/output"),
    ]
    assert sorted(jobs[0].files["db-0"]) == [
        *("bin/facts.py", "bin/pgbench_latencies.py", "bin/postgresql.sh", "bin/trial.py", "conf/postgresql.conf"),
    ]


def test_a_version_and_parameters_of_the_plan_reach_the_server():
    wanted = plan(
        {"threads": 300},
        service={"name": "postgresql", "version": "18; reboot"},
        settings={"postgresql.conf": {"fsync": False}},
    )

    start = WORKLOAD.bootstrap_jobs(wanted, CLUSTER)[0]

    assert start.commands == {"db-0": "sh bin/postgresql.sh start '18; reboot'"}
    assert start.files["db-0"]["conf/postgresql.conf"] == (
        b"listen_addresses = ''\nunix_socket_directories = '.'\nunix_socket_permissions = '0700'\n"
        b"max_connections = '320'\nfsync = 'off'\n"
    )


def test_a_trial_begins_with_a_checkpoint_and_is_sampled():
    job = WORKLOAD.trial_job(plan(), CLUSTER, 1)

    assert job.name == "trial-1"
    assert job.commands == {
        "db-0": f"tools/postgresql/bin/psql {CONNECTION} --quiet --command=CHECKPOINT postgres && "
        f"python3 bin/trial.py trials/1 1 1 - tools/postgresql/bin/pgbench {CONNECTION} --builtin=tpcb-like "
        "--client=8 --jobs=8 --time=15 --progress=1 --log --log-prefix=trials/1/latency-log postgres && "
        "{ python3 bin/pgbench_latencies.py trials/1/latency-log trials/1/latency.hdr tpcb-like-st 1 || true; }"
    }
    assert (job.expected_seconds, job.timeout_seconds, job.log_path) == (20, 330, "jobs/trial-1/output")


@pytest.mark.parametrize(
    ("workload", "options"),
    [
        ({"operation": "select"}, "--builtin=select-only --client=8 --jobs=8 --time=15 --progress=1 --log postgres"),
        ({"threads": 64}, "--builtin=tpcb-like --client=64 --jobs=16 --time=15 --progress=1 --log postgres"),
        (
            {"duration_seconds": None, "operations": 10_001, "threads": 4},
            "--builtin=tpcb-like --client=4 --jobs=4 --transactions=2501 --progress=1 --log postgres",
        ),
        (
            {"operation": "simple-update", "fixed_rate_ops_s": 2_500_000},
            "--builtin=simple-update --client=8 --jobs=8 --time=15 --rate=2500000 --progress=1 --log "
            "--sampling-rate=0.0533333 postgres",
        ),
        (
            {"duration_seconds": 600},
            "--builtin=tpcb-like --client=8 --jobs=8 --time=600 --progress=1 --log --sampling-rate=0.166667 postgres",
        ),
        (
            {"fixed_rate_ops_s": 0.5},
            "--builtin=tpcb-like --client=8 --jobs=8 --time=15 --rate=0.5 --progress=1 --log postgres",
        ),
    ],
)
def test_the_plans_workload_in_pgbenchs_words(workload, options):
    words = command(**workload).partition(f"pgbench {CONNECTION} ")[2].partition(" && ")[0]

    assert words.replace("--log-prefix=trials/1/latency-log ", "") == options


def test_a_number_of_transactions_may_take_as_long_as_the_run():
    job = WORKLOAD.trial_job(plan({"duration_seconds": None, "operations": 10_000}), CLUSTER, 0)

    assert (job.expected_seconds, job.timeout_seconds) == (55, 900)


def test_log_and_samples_are_kept():
    assert WORKLOAD.outputs(plan(), CLUSTER, 2) == [
        OutputFile("db-0", "jobs/trial-2/output", "log", 2, "trial-3-db-0.log"),
        OutputFile("db-0", "trials/2/latency.hdr", "hdr", 2, "trial-3-db-0.hdr"),
        OutputFile("db-0", "trials/2/samples.csv", "samples", 2, "trial-3-db-0-samples.csv"),
    ]


def test_progress_rows_become_points_without_a_percentile():
    lines = [
        "pgbench (18.4)",
        "progress: 3.0 s, 2775.6 tps, lat 2.823 ms stddev 2.211, 0 failed",
        "progress: 4.0 s, 2729.8 tps, lat 2.9",
    ]

    assert WORKLOAD.progress(lines) == [(3.0, 2775.6, None)]


def test_the_document_says_what_the_log_does_not():
    document = WORKLOAD.document(plan({"fixed_rate_ops_s": 500}), FACTS)

    assert document == {
        "service": {"name": "postgresql"},
        "title": "pgbench TPC-B, scale 10, on one machine",
        "notes": "The load tool ran on the database's machine, beside this site, over a Unix socket: it used part of "
        "the processors, and the latency includes no network. Compare it only with runs of the same kind. "
        "Data on ext4, 466 GiB (/dev/nvme0n1p2).",
        "provider": "local",
        "measured_at": "2026-11-20T07:47:28Z",
        "nodes": [
            {
                "role": "database",
                "count": 1,
                "instance_type": "intel-xeon-platinum-8370c",
                "cpu_model": "Intel(R) Xeon(R) Platinum 8370C CPU @ 2.80GHz",
                "vcpus": 8,
                "memory_gib": 31.2,
                "pricing_model": "on_demand",
            }
        ],
        "settings": {"kernel": "6.1.0", "os": "Debian GNU/Linux 12 (bookworm)", "architecture": "x86_64"},
        "workload": {
            "tool": "pgbench",
            "command": f"pgbench {CONNECTION} --builtin=tpcb-like --client=8 --jobs=8 --time=15 --rate=500 "
            "--progress=1 --log postgres",
            "fixed_rate_ops_s": 500,
        },
    }
    ClusterDocument.model_validate(document)


def test_a_sample_of_the_latencies_is_called_one():
    assert "Percentiles" not in WORKLOAD.document(plan(), FACTS)["notes"]
    assert (
        " Percentiles are those of 16.7 % of the transactions, chosen at random by pgbench."
        in (WORKLOAD.document(plan({"duration_seconds": 600}), FACTS)["notes"])
    )


def test_with_a_rate_the_latencies_are_response_times():
    assert "latency.hdr tpcb-like-rt 1 || true" in command(fixed_rate_ops_s=500)


def test_a_machine_that_said_nothing_is_this_machine_and_a_named_one_keeps_its_name():
    silent = WORKLOAD.document(plan(), {"db-0": {}})
    named = WORKLOAD.document(plan(database={"instance_type": "nuc-13", "count": 1}, title="My NUC"), FACTS)

    assert silent["nodes"] == [
        {"role": "database", "count": 1, "instance_type": "this-machine", "pricing_model": "on_demand"}
    ]
    assert (named["nodes"][0]["instance_type"], named["title"]) == ("nuc-13", "My NUC")


@pytest.mark.parametrize(
    ("cpu_model", "word"),
    [
        ("Intel(R) Xeon(R) Platinum 8370C CPU @ 2.80GHz", "intel-xeon-platinum-8370c"),
        ("Intel(R) Core(TM) i7-8550U CPU @ 1.80GHz", "intel-core-i7-8550u"),
        ("12th Gen Intel(R) Core(TM) i5-1240P", "12th-gen-intel-core-i5-1240p"),
        ("AMD Ryzen 9 5950X 16-Core Processor", "amd-ryzen-9-5950x"),
        ("AMD Ryzen 7 5800U with Radeon Graphics", "amd-ryzen-7-5800u"),
        ("AMD EPYC", "amd-epyc"),
        ("Neoverse-N1", "neoverse-n1"),
        ("@@@", "this-machine"),
    ],
)
def test_processors_have_a_word(cpu_model, word):
    assert processor_slug(cpu_model) == word


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        (
            {"database": {"instance_type": "x", "count": 2}},
            "pgbench runs on the database's machine: the plan needs one database node and no client",
        ),
        (
            {"database": {"instance_type": "x", "count": 1, "disks": [{"kind": "gp3", "count": 1}]}},
            "the private PostgreSQL server uses the disk of the site: a plan cannot order disks for it",
        ),
        (
            {"workload": {"operation": "write"}},
            "pgbench supports the operations tpcb, select, simple-update, not 'write'",
        ),
        ({"workload": {"threads": 1001}}, "pgbench supports at most 1,000 clients (threads)"),
        ({"workload": {"columns": 5, "prefill": 9}}, "pgbench has no columns, prefill"),
        ({"workload": {"disk_test": True}}, "pgbench has no disk_test"),
        (
            {"settings": {"postgresql.conf": {"archive_command": "reboot"}}},
            "archive_command is not a parameter of postgresql.conf that a run may set",
        ),
    ],
)
def test_what_pgbench_cannot_do_is_refused_before_anything_starts(changes, reason):
    with pytest.raises(UnsupportedWorkload) as refused:
        for_plan(plan(**changes))

    assert str(refused.value) == reason


def test_the_preset_is_a_plan_that_this_workload_takes():
    assert for_plan(plan()) is WORKLOAD
