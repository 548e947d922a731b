"""A search with the real commands of cassandra-stress: the hosts answer with the logs of a search that ran once.

A search decides by what it has measured alone: given the same logs it must offer the rates that these logs were
printed at. (They were printed when slow rates had longer steps than the plan asked for: every step has its 12 s now.)
"""

import re

import pytest

from runners.providers import fake
from submissions.choices import LatencyKind
from tests.files import DATA
from tests.runners.fake_runs import PLAN, drive_until, queued_run, record_prices

pytestmark = pytest.mark.django_db

LOGS = [(DATA / f"cassandra-stress/search/cs40a2-search-{number}.log").read_bytes() for number in range(1, 10)]
NO_RATE = "0"  # in the settings of a log
P99_MS = [17.4, 312.5, 120.4, 13.2, 13.4, 26.5, 52.4, 66.0, 75.4]  # as the logs print them
LOAD = {
    "tool": "cassandra-stress",
    "operation": "write",
    "consistency_level": "ONE",
    "replication_factor": 1,
    "threads": 8,
    "duration_seconds": 12,
    "columns": 5,
}


def stated(log, name):
    return re.search(rf"^  {name}: (-?\d+)".encode(), log, re.MULTILINE)[1].decode()


@pytest.fixture
def searched(db, settings):
    """The run after its end."""
    settings.RUN_PROVIDERS, settings.RUN_SETTLE_SECONDS = ["fake"], 0
    settings.CASSANDRA_STRESS_VERSION = "4.0-alpha2"
    record_prices()
    cloud = fake.reset()
    cloud.plan |= {f"trial-{number}": fake.FakeJob(log) for number, log in enumerate(LOGS)}
    cloud.plan["facts"] = fake.FakeJob(b'{"kernel": "6.1"}')
    run = queued_run(
        database={**PLAN["database"], "count": 1},
        zones=PLAN["zones"][:1],
        workload=LOAD,
        load={"slo": {"percentile": "p99", "max_ms": 20.0}, "max_steps": 9},
        trials=3,
        max_duration_minutes=12,
    )
    return drive_until(run, "succeeded")


def test_the_commands_offer_the_rates_that_the_logs_were_printed_at(searched):
    commands = [fake.CLOUD.commands["client-0", f"trial-{number}"] for number in range(9)]

    rates = [(re.search(r" fixed=(\d+)/s ", command) or ["", NO_RATE])[1] for command in commands]
    assert rates == [stated(log, "OpsPer Sec") for log in LOGS]
    assert rates.count(NO_RATE) == 1
    assert all(" duration=12s " in command and " -rate threads=8 " in command for command in commands)


def test_the_steps_are_judged_by_what_the_logs_print_and_become_a_curve(searched):
    steps = searched.progress["load_steps"]

    assert [step["latency_ms"]["p99"] for step in steps] == P99_MS
    kinds = [LatencyKind.SERVICE_TIME, *[LatencyKind.RESPONSE_TIME] * 8]
    assert [step["latency_kind"] for step in steps] == kinds
    # 1,300 kept the limit once, 1,840 was not reached, the trial that should confirm 1,300 broke it
    whys = ["", "latency", "latency", "", "rate", "latency", "latency", "latency", "latency"]
    assert [step["why"] for step in steps] == whys
    assert (searched.progress["load_search"]["end"], searched.progress["load_search"]["low_ops_s"]) == (
        "steps_ended",
        None,
    )
    submission = searched.submission
    assert [trial.offered_ops_s for trial in submission.trials.order_by("index")] == [
        step["offered_ops_s"] for step in steps
    ]
    points = submission.load_points.values_list("offered_ops_s", "trials_count", "worst_p99_ms")
    assert (1300.0, 2, 26.5) in points
    assert (submission.at_slo["ops_s"], submission.at_slo["bracket"]) == (None, [None, 750.0])
