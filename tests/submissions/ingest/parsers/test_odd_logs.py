"""The smallest parts of public outputs that were once misread; the right values are worked out by hand."""

from pathlib import Path

import pytest

from benchsite.http.refusals import Refusal
from submissions.choices import LatencyKind
from submissions.ingest.document.readings import Latency, LogReading, TrialReading
from submissions.ingest.logs.complete import complete
from submissions.ingest.parsers import FORMAT_LABELS
from tests.submissions.ingest.parsers.reading import read, read_or_reason

DATA = Path(__file__).resolve().parents[3] / "data" / "odd-logs"
UNKNOWN = LatencyKind.UNKNOWN


def odd(number: int) -> LogReading:
    return read((DATA / f"fail-{number:02}.log").read_bytes())


def reason(number: int) -> str:
    refused = read_or_reason((DATA / f"fail-{number:02}.log").read_bytes())
    assert isinstance(refused, str)
    return refused


def single(reading: LogReading) -> TrialReading:
    ((trial,),) = reading.trial_sets
    return trial


def trials(reading: LogReading) -> list[TrialReading]:
    return [trial for group in reading.trial_sets for trial in group]


def test_01_a_container_before_each_line_is_taken_off():
    reading = odd(1)
    trial = single(reading)

    assert (trial.truncated, trial.operations, trial.duration_s) == (False, 1_500_000, 127.572)
    assert trial.throughput_ops_s == 1_500_000 / 127.572  # 11,758.07
    assert trial.latency == Latency(p99=3.379)
    assert reading.warnings[0].startswith('the lines were read without the prefix "ycsb-1  | "')


def test_02_a_second_result_of_another_operation_is_a_result_of_its_own():
    reading = odd(2)

    assert [facts.operations for facts in reading.set_facts] == [{"write": 1.0}, {"read": 1.0}]
    assert [(each.throughput_ops_s, each.duration_s) for each in trials(reading)] == [(3335.0, 149.0), (2704.0, 184.0)]


def test_03_a_time_before_each_line_is_taken_off():
    trial = single(odd(3))

    assert (trial.truncated, trial.operations, trial.duration_s) == (True, 43_148, 1.0)
    assert (trial.latency.mean, trial.latency.p99) == (4.6, 106.1)


def test_04_an_indent_is_taken_off():
    trial = single(odd(4))

    assert (trial.throughput_ops_s, trial.operations, trial.threads) == (2945.093549, 29_882, 1000)


def test_05_go_ycsb_before_it_printed_a_total():
    reading = odd(5)
    trial = single(reading)

    assert reading.facts.operations == {"insert": 1.0}
    assert (trial.throughput_ops_s, trial.printed_ops_s) == (10_000 / 11.722575701, 855.2)
    assert trial.latency == Latency(mean=18.69, p99=36.0, p999=58.0, max=61.304)


def test_06_a_row_without_its_head_has_no_known_length():
    trial = single(odd(6))

    assert (trial.truncated, trial.throughput_ops_s, trial.threads) == (True, 45.0, 56)
    assert (trial.duration_s, trial.latency_kind, trial.latency) == (None, UNKNOWN, Latency(p95=2880.27))


def test_07_a_summary_without_its_head_is_known():
    reading = odd(7)
    trial = single(reading)

    assert (trial.throughput_ops_s, trial.operations, trial.threads) == (8054.812052, 966_106, 64)
    assert reading.facts.operations is None


def test_08_what_a_longer_line_left_behind_is_no_part_of_the_next():
    reading = odd(8)

    assert [facts.operations for facts in reading.set_facts] == [{"ping_inline": 1.0}, {"set": 1.0}]
    assert [(each.throughput_ops_s, each.latency.p50) for each in trials(reading)] == [
        (132_802.12, 0.343),
        (132_978.73, 0.351),
    ]


def test_09_redis_benchmark_with_two_columns():
    reading = odd(9)

    assert [facts.operations for facts in reading.set_facts] == [{"set": 1.0}, {"get": 1.0}]
    assert [each.throughput_ops_s for each in trials(reading)] == [48_923.68, 49_382.71]


def test_10_the_result_of_a_hammerdb_job_is_read():
    reading = odd(10)
    trial = single(reading)

    assert (trial.throughput_ops_s, trial.threads) == (26_018 / 60, 1)
    assert "60,408" in " ".join(reading.warnings)


def test_11_the_rows_of_sysbench_0_5_have_percentiles_and_errors():
    trial = single(odd(11))

    assert (trial.truncated, trial.throughput_ops_s, trial.threads) == (True, 1658.47, 128)
    assert (trial.latency, trial.errors, trial.duration_s) == (Latency(p95=101.36), 6, 2.0)  # 3.00 a second


def test_12_a_load_and_a_killed_run_are_two_results():
    reading = odd(12)
    load, run = trials(reading)

    assert (load.truncated, load.threads, load.throughput_ops_s) == (False, 16, 1_000_000 / 20.019)
    assert (run.truncated, run.threads, run.throughput_ops_s) == (True, 64, 5000.0)
    assert [facts.operations for facts in reading.set_facts] == [{"insert": 1.0}, {"read": 1.0}]
    assert [len(each.intervals) for each in (load, run)] == [2, 2]


@pytest.mark.skipif("YCSB-cpp" not in FORMAT_LABELS, reason="YCSB-cpp is not among the formats")
def test_13_ycsb_cpp_is_not_taken_for_ycsb():
    reading = odd(13)
    trial = single(reading)

    assert (reading.tool, trial.truncated, trial.duration_s) == ("ycsb-cpp", False, 108.089)
    assert trial.throughput_ops_s == pytest.approx(925.16, abs=0.01)


def test_14_two_runs_of_the_same_settings_are_trials():
    reading = odd(14)

    assert [[each.throughput_ops_s for each in group] for group in reading.trial_sets] == [[398.284645, 399.184645]]
    assert (reading.facts.threads, reading.set_facts) == (1, ())


def test_15_a_missing_rate_is_named():
    assert "100 cycles of main_read were a success, but their rate is missing" in reason(15)


def test_16_a_goodput_above_the_throughput_is_not_believed():
    reading = odd(16)
    trial = single(reading)

    assert (trial.throughput_ops_s, trial.operations) == (0.010009098869862678, 22)
    assert "cannot be" in " ".join(reading.warnings)


def test_17_doubled_lines_count_once():
    reading = odd(17)
    trial = single(reading)

    assert (trial.truncated, trial.throughput_ops_s, trial.errors) == (True, 90.0, 100)
    assert len(trial.intervals) == 2
    assert reading.warnings[0] == "each line is in the file twice: it is counted once"


def test_18_a_blank_before_a_line_of_the_summary():
    trial = single(odd(18))

    assert (trial.operations, trial.duration_s, trial.throughput_ops_s) == (491, 10.11, 491 / 10.11)


def test_19_a_server_of_the_protocol_is_not_postgresql():
    reading = odd(19)
    facts = reading.facts

    assert single(reading).throughput_ops_s == 1221.977158
    assert (facts.service, facts.service_version, facts.tool_version) == ("yugabytedb", None, "14.3")
    with pytest.raises(Refusal, match="the log says yugabytedb, the upload says postgresql"):
        complete({"service": {"name": "postgresql"}}, facts, tool="pgbench", threads=None)


def test_20_an_indent_loses_neither_threads_nor_operations():
    reading = odd(20)
    trial = single(reading)

    assert (reading.facts.operations, reading.facts.threads) == ({"write": 1.0}, 200)
    assert (trial.truncated, trial.operations, trial.duration_s) == (True, 43_148, 1.0)


def test_21_runs_of_unknown_users_are_not_taken_for_repetitions():
    refused = reason(21)

    assert "2 runs of the same workload" in refused
    assert "4 Active Virtual Users configured" in refused


def test_22_the_missing_lines_of_a_summary_are_named():
    refused = reason(22)

    assert '"[OVERALL], Throughput(ops/sec), 31562.565549908937"' in refused
    assert "lacks [OVERALL], RunTime(ms) and Operations of any type" in refused


def test_23_nosqlbench_5_is_named():
    assert "output of NoSQLBench 5" in reason(23)
    assert "it has no time of the run" in reason(23)
