"""YCSB's logs and .hdr files together: four real clients of one run, 50 % reads and 50 % updates."""

from pathlib import Path

import pytest
from hdrh.histogram import HdrHistogram

from benchsite.http.refusals import Refusal
from submissions.choices import LatencyKind
from submissions.ingest.logs.document import Imported, submissions_of_logs
from submissions.ingest.logs.read import read_logs
from submissions.ingest.logs.ycsb_histograms import NO_COMMON_PERCENTILES
from submissions.ingest.uploads import offered
from tests.files import DATA, uploaded

FOLDER = DATA / "ycsb" / "public" / "scylladb-four-clients"
LOGS = [FOLDER / f"{client}_run.txt" for client in range(4)]
READS = [FOLDER / f"{client}_READ.hdr" for client in range(4)]
UPDATES = [FOLDER / f"{client}_UPDATE.hdr" for client in range(4)]
OPERATIONS = 992_568_226  # Return=OK of READ and UPDATE of all clients


def imported(paths: list[Path], trials: list[str] | None = None) -> Imported:
    [one] = submissions_of_logs(read_logs(offered([uploaded(path) for path in paths], trials or ["1"] * len(paths))))
    return one


def recorded(*paths: Path) -> HdrHistogram:
    """All values of the files, in microseconds, by the library alone."""
    merged = HdrHistogram(1, 3_600_000_000, 3)
    for path in paths:
        encoded = path.read_text().splitlines()[-1].split(",")[-1]
        merged.add(HdrHistogram.decode(encoded))
    return merged


def p99_ms(*paths: Path) -> float:
    return recorded(*paths).get_value_at_percentile(99) / 1000


def test_a_mixed_run_of_four_clients_has_the_percentiles_of_their_merged_histograms():
    one = imported([*LOGS, *READS, *UPDATES])

    [trial] = one.trials
    every = recorded(*READS, *UPDATES)
    assert every.get_total_count() == trial.operations == OPERATIONS
    assert (trial.client_count, trial.is_mergeable, trial.latency_kind) == (4, True, LatencyKind.SERVICE_TIME)
    for name, percentile in (("p50", 50), ("p95", 95), ("p99", 99), ("p999", 99.9)):
        expected = every.get_value_at_percentile(percentile) / 1000
        assert getattr(trial.latency, name) == pytest.approx(expected, rel=0.001), name
    assert NO_COMMON_PERCENTILES not in one.warnings


def test_the_rate_of_the_clients_is_the_sum_of_operations_by_time():
    [trial] = imported(LOGS).trials

    seconds = (1802.285, 1802.255, 1802.258, 1802.255)
    done = (247_259_039, 247_938_925, 248_793_091, 248_577_171)
    assert trial.throughput_ops_s == pytest.approx(sum(n / s for n, s in zip(done, seconds, strict=True)))


def test_each_operation_has_the_percentiles_of_all_clients():
    [trial] = imported([*LOGS, *READS, *UPDATES]).trials

    read, update = trial.by_operation
    assert (read.name, read.operations, update.name, update.operations) == (
        "read", 496_294_806, "update", 496_273_420,
    )  # fmt: skip
    assert read.latency.p99 == pytest.approx(p99_ms(*READS), rel=0.001)
    assert update.latency.p99 == pytest.approx(p99_ms(*UPDATES), rel=0.001)


def test_what_one_client_printed_of_an_operation_stays_and_the_file_adds_the_rest():
    [trial] = imported([LOGS[0], READS[0], UPDATES[0]]).trials

    read = trial.by_operation[0].latency
    assert (read.p95, read.p99) == (3.799, 14.399)  # [READ], 95th and 99thPercentileLatency(us)
    assert read.p999 == pytest.approx(recorded(READS[0]).get_value_at_percentile(99.9) / 1000, rel=0.001)
    assert trial.latency.p99 == pytest.approx(p99_ms(READS[0], UPDATES[0]), rel=0.001)


def test_without_the_files_a_mixed_run_has_no_common_percentile_and_says_what_adds_it():
    one = imported(LOGS)

    assert one.trials[0].latency.p99 is None
    assert one.trials[0].by_operation[0].latency.p99 is None  # of four clients: never averaged
    assert NO_COMMON_PERCENTILES in one.warnings


@pytest.mark.parametrize(
    ("files", "reason"),
    [
        ([*READS, *UPDATES[:3]], "of UPDATE there are 3, for 4 logs with such operations"),
        (READS, "there is none of UPDATE"),
        (
            [*READS[:3], UPDATES[0], *UPDATES],
            "of READ there are 3, for 4 logs with such operations",
        ),
    ],
)
def test_files_that_do_not_cover_the_logs_are_kept_but_not_used(files, reason):
    one = imported([*LOGS, *files])

    assert one.trials[0].latency.p99 is None
    assert f"The .hdr files were not used: {reason}" in one.warnings
    assert len(one.files) == len(LOGS) + len(files)


def test_a_file_of_another_run_is_not_used():
    first_rows = DATA / "ycsb" / "public" / "scylladb-first-rows-READ.hdr"

    one = imported([LOGS[0], first_rows, UPDATES[0]])

    assert one.trials[0].latency.p99 is None
    assert (
        "The .hdr files were not used: READ has 1,312,791 recorded latencies, the log 123,637,412 operations"
        in one.warnings
    )


def test_files_without_a_stated_trial_go_to_the_log_of_the_same_name():
    one = imported([*LOGS, *READS, *UPDATES], [""] * 12)

    assert [trial.client_count for trial in one.trials] == [1, 1, 1, 1]
    expected = [p99_ms(read, update) for read, update in zip(READS, UPDATES, strict=True)]
    assert [trial.latency.p99 for trial in one.trials] == pytest.approx(expected, rel=0.001)


def test_a_file_that_no_log_is_named_like_must_name_its_trial(tmp_path):
    stray = tmp_path / "other_READ.hdr"
    stray.write_bytes(READS[0].read_bytes())

    with pytest.raises(Refusal) as caught:
        imported([LOGS[0], LOGS[1], stray], ["", "", ""])

    assert "name the trial of this histogram file" in caught.value.faults[0].detail


def test_clients_that_load_their_own_keys_state_the_highest_number_of_keys(tmp_path):
    other = tmp_path / "1_run.txt"
    other.write_text(LOGS[1].read_text().replace("recordcount=1000000000", "recordcount=500000000"))

    assert imported([LOGS[0], other]).content["workload"]["key_count"] == 1_000_000_000


def test_trials_on_different_numbers_of_keys_are_refused(tmp_path):
    other = tmp_path / "1_run.txt"
    other.write_text(LOGS[1].read_text().replace("recordcount=1000000000", "recordcount=500000000"))

    with pytest.raises(Refusal) as caught:
        imported([LOGS[0], other], ["1", "2"])

    assert caught.value.faults[0].detail == "the logs differ in key_count: 1000000000, 500000000"
