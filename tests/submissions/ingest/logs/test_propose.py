"""Which of many logs are trials of one result."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from submissions.ingest.files.open import Unopened, open_each
from submissions.ingest.logs.each import figures_of, read_each
from submissions.ingest.logs.propose import proposed
from submissions.ingest.logs.read import ReadFile
from tests.files import DATA, stress_log, uploaded


def read(*paths):
    files = read_each(open_each([uploaded(path) for path in paths], 100))
    assert not [file for file in files if isinstance(file, Unopened)]
    return files


def moved(file, name):
    return replace(file, member=replace(file.member, name=name))


def dated(file, delta):
    facts = replace(file.reading.facts, measured_at=datetime(2026, 11, 1, tzinfo=UTC) + delta)
    return replace(file, reading=replace(file.reading, facts=facts))


@pytest.fixture(scope="module")
def trial() -> ReadFile:
    [file] = read(stress_log("cs50-10"))
    return file


def test_alike_logs_of_one_folder_and_day_are_trials_of_one_result(trial):
    assert proposed([trial, trial, trial]) == [[0, 1, 2]]


def test_logs_of_other_folders_are_results_of_their_own(trial):
    assert proposed([moved(trial, "a/1.log"), moved(trial, "b/1.log"), moved(trial, "a/2.log")]) == [[0, 2], [1]]


def test_logs_of_other_loads_are_results_of_their_own():
    files = read(stress_log("cs50-10"), stress_log("cs50-02"), DATA / "pgbench" / "pg15-01-tpcb.log")

    assert proposed(files) == [[0], [1], [2]]


def test_a_log_with_a_set_for_each_thread_count_is_never_a_trial_of_another(trial):
    [auto] = read(stress_log("cs50-09"))

    assert proposed([auto, auto, trial]) == [[0], [1], [2]]
    assert (figures_of(auto).results, figures_of(auto).trials) == (1, 4)
    assert figures_of(auto).throughput_ops_s == 2361.0  # of its peak


def test_logs_of_other_threads_or_rates_are_one_load_curve(trial):
    def loaded(**load):
        sets = tuple(
            tuple(replace(each, threads=load.get("threads", 24)) for each in one) for one in trial.reading.trial_sets
        )
        facts = replace(trial.reading.facts, **{"threads": 24, **load})
        return replace(trial, reading=replace(trial.reading, trial_sets=sets, facts=facts))

    assert proposed([trial, loaded(threads=48), loaded(threads=96)]) == [[0, 1, 2]]
    rates = [loaded(fixed_rate_ops_s=rate) for rate in (500.0, 800.0)]
    assert proposed([*rates, trial]) == [[0, 1], [2]]


def test_histograms_and_graphs_go_with_the_log_of_their_name():
    folder = DATA / "ycsb" / "public" / "scylladb-four-clients"
    files = read(folder / "0_READ.hdr", folder / "0_run.txt", stress_log("cs50-10"), folder / "0_UPDATE.hdr")

    assert proposed(files) == [[0, 1, 3], [2]]


def test_a_disk_test_goes_with_the_only_result_and_stays_alone_beside_two(trial):
    [disk] = read(DATA / "fio" / "fio333-01-randrw.json")
    [other] = read(stress_log("cs50-02"))

    assert proposed([disk, trial]) == [[0, 1]]
    assert proposed([disk, trial, other]) == [[0], [1], [2]]
    assert figures_of(disk).throughput_ops_s is None


def test_a_bad_file_is_named_and_stops_no_other():
    files = read_each(open_each([uploaded(stress_log("cs50-12-all")), uploaded(stress_log("cs50-10"))], 100))

    assert isinstance(files[0], Unopened)
    assert "200 of 200 operations failed" in files[0].reason
    assert figures_of(files[1]).latency_p99_ms == 194.6


def test_logs_of_other_days_are_results_of_their_own(trial):
    assert proposed([dated(trial, timedelta(0)), dated(trial, timedelta(days=2))]) == [[0], [1]]
