"""Flags: what looks wrong in numbers that are valid."""

import pytest

from submissions.choices import EXCLUDING_FLAGS, Flag, LatencyKind
from submissions.ingest.checks.plausibility import flags_of
from submissions.ingest.document.readings import Latency, OperationReading
from submissions.ingest.document.submission import SubmissionDocument
from submissions.ingest.logs.trial_results import TrialResult
from tests.documents import document

# 200 threads x 1 client = 100,000 ops/s x 2 ms: in accord with Little's law
CLEAN = {
    "throughput_ops_s": 100_000.0,
    "operations": 10_000_000,
    "errors": 0,
    "duration_s": 100.0,
    "client_count": 1,
    "latency_kind": LatencyKind.SERVICE_TIME,
    "latency": Latency(mean=2.0, p99=4.0),
}


def flags(trial=None, changes=None, **options):
    read = SubmissionDocument.model_validate(document(changes))
    return flags_of(read, [TrialResult(**{**CLEAN, **(trial or {})})], **options)


def test_sound_numbers_get_no_flag():
    assert flags() == ()


@pytest.mark.parametrize(
    ("trial", "expected"),
    [
        ({"printed_ops_s": 105_100.0}, (Flag.RATE_MISMATCH,)),
        ({"printed_ops_s": 104_900.0}, ()),
        ({"printed_ops_s": 94_900.0}, (Flag.RATE_MISMATCH,)),
        ({"throughput_ops_s": 106_000.0}, (Flag.RATE_MISMATCH,)),
        ({"throughput_ops_s": 106_000.0, "duration_s": None}, ()),
        ({"errors": 10_000}, ()),
        ({"errors": 10_020}, (Flag.ERRORS,)),
        ({"errors": 1, "operations": None}, (Flag.ERRORS,)),
        ({"errors": None}, ()),
        ({"duration_s": 59.9, "operations": 5_990_000}, (Flag.SHORT,)),
        ({"duration_s": None}, ()),
        ({"is_truncated": True}, (Flag.TRUNCATED,)),
        ({"ranges": (("p99", 3.0, 4.0),)}, (Flag.NOT_MERGEABLE,)),
        ({"latency": Latency(mean=4.1)}, (Flag.LITTLES_LAW,)),
        ({"latency": Latency(mean=3.9)}, ()),
        ({"latency": Latency(mean=0.9)}, (Flag.LITTLES_LAW,)),
        ({"latency": Latency(mean=1.1)}, ()),
        ({"latency": Latency(mean=40.0), "latency_kind": LatencyKind.RESPONSE_TIME}, ()),
        ({"latency": Latency(mean=4.1), "client_count": 2}, ()),
        ({"latency": Latency(mean=4.1), "client_count": None}, ()),
    ],
)
def test_each_flag_has_its_limit(trial, expected):
    assert flags(trial) == expected


@pytest.mark.parametrize(("pipeline", "expected"), [(None, (Flag.LITTLES_LAW,)), (16, ()), (64, (Flag.LITTLES_LAW,))])
def test_each_thread_has_the_requests_of_its_pipeline_under_way(pipeline, expected):
    # 200 threads x 16 = 1,600,000 ops/s x 2 ms
    assert flags({"throughput_ops_s": 1_600_000.0, "operations": None}, {"workload/pipeline": pipeline}) == expected


@pytest.mark.parametrize(
    ("trial", "expected"),
    [
        ({}, ()),
        ({"operations": 9_400_000, "duration_s": 94.0}, (Flag.INCOMPLETE,)),
        ({"operations": 9_400_000, "duration_s": 94.0, "errors": 200_000}, (Flag.ERRORS,)),
        ({"client_count": 2, "latency": Latency(mean=4.0)}, (Flag.INCOMPLETE,)),
        ({"operations": 9_400_000, "duration_s": 94.0, "is_truncated": True}, (Flag.TRUNCATED,)),
    ],
)
def test_far_fewer_operations_than_each_client_was_asked_for_are_flagged(trial, expected):
    assert flags(trial, {"workload/requested_operations": 10_000_000}) == expected


def test_littles_law_says_nothing_of_a_fixed_rate():
    assert flags({"latency": Latency(mean=40.0)}, {"workload/fixed_rate_ops_s": 120_000}) == ()


def test_littles_law_says_nothing_of_held_back_threads():
    assert flags({"latency": Latency(mean=0.1)}, {"workload/throttle_ops_s": 120_000}) == ()


@pytest.mark.parametrize("limit", ["throttle_ops_s", "fixed_rate_ops_s"])
@pytest.mark.parametrize(
    ("limit_ops_s", "expected"),
    [
        (100_000, (Flag.THROTTLED,)),
        (105_000, (Flag.THROTTLED,)),
        (106_000, ()),  # the system did not reach it: its rate is its capacity
        (94_000, ()),  # a limit that did not hold
    ],
)
def test_a_rate_within_five_percent_of_the_load_tools_limit_is_no_capacity(limit, limit_ops_s, expected):
    assert flags(changes={f"workload/{limit}": limit_ops_s}) == expected


def test_a_limit_in_the_command_line_alone_counts_for_each_client():
    command = {"workload/command": "cassandra-stress write n=1 -rate threads=200 throttle=50000/s"}

    assert flags({"client_count": 2, "latency": Latency(mean=4.0)}, {**command, "trials/0/client_count": 2}) == (
        Flag.THROTTLED,
    )
    assert flags({"latency": Latency(mean=0.1)}, command) == ()


def test_of_trials_with_rates_of_their_own_one_below_its_rate_shows_the_capacity():
    two = document({"workload/threads": None})["trials"] * 2
    offered = [{**trial, "offered_ops_s": rate} for trial, rate in zip(two, (100_000, 200_000), strict=True)]
    read = SubmissionDocument.model_validate(document({"trials": offered}))
    trials = [TrialResult(**{**CLEAN, "offered_ops_s": rate}) for rate in (100_000.0, 200_000.0)]

    assert flags_of(read, trials) == ()
    assert flags_of(read, trials[:1]) == (Flag.THROTTLED,)


def test_a_limit_that_nobody_states_leaves_no_capacity_either():
    assert flags(has_unknown_limit=True) == (Flag.THROTTLED,)
    assert flags(changes={"workload/fixed_rate_ops_s": 200_000}, has_unknown_limit=True) == ()


def test_a_types_percentiles_out_of_order_are_flagged():
    reading = OperationReading("write", latency=Latency(p50=3.0, p95=2.0))

    assert flags({"by_operation": (reading,)}) == (Flag.PERCENTILE_ORDER,)


def test_two_cpu_models_behind_one_instance_type_are_flagged():
    node = {"role": "database", "count": 1, "instance_type": "m1.large"}
    nodes = [{**node, "cpu_model": "Opteron 2218 HE"}, {**node, "cpu_model": "Xeon E5430"}]

    assert flags(changes={"nodes": nodes}) == (Flag.MIXED_CPUS,)


def test_two_cpu_models_in_two_roles_are_no_mix():
    nodes = [
        {"role": "database", "count": 1, "instance_type": "a", "cpu_model": "Opteron 2218 HE"},
        {"role": "client", "count": 1, "instance_type": "a", "cpu_model": "Xeon E5430"},
    ]

    assert flags(changes={"nodes": nodes}) == ()


@pytest.mark.parametrize(
    ("trial", "seconds", "expected"),
    [
        ({"duration_s": 100.0}, 100, ()),
        ({"duration_s": 94.0, "operations": 9_400_000}, 100, (Flag.INCOMPLETE,)),
        ({"duration_s": 94.0, "operations": 9_400_000, "ended_by_time": True}, None, ()),
        ({"duration_s": 94.0, "operations": 9_400_000, "is_failed": True}, None, (Flag.FAILED,)),
    ],
)
def test_a_run_that_a_time_limit_ended_is_complete(trial, seconds, expected):
    changes = {"workload/requested_operations": 90_000_000, "workload/requested_duration_s": seconds}

    assert flags(trial, changes) == expected


def test_a_failed_run_is_in_no_ranking():
    assert Flag.FAILED in EXCLUDING_FLAGS


def test_a_printed_rate_may_count_failed_operations():
    assert flags({"errors": 700_000, "printed_ops_s": 107_000.0}) == (Flag.ERRORS,)


def test_percentiles_within_the_precision_of_a_histogram_are_in_order():
    reading = OperationReading("read", latency=Latency(p999=20.0, max=19.99))

    assert flags({"by_operation": (reading,)}) == ()
