"""A leaderboard in words; its finding is tested with the query and in boards/test_leader_sentence.py."""

import pytest

from submissions.choices import LatencyKind
from submissions.metrics import LATENCY_P99, OPS_PER_USD
from submissions.questions.leaderboard import sentences
from submissions.questions.leaderboard.query import LeaderboardParams, leaderboard_result
from tests.factories import SubmissionFactory, WorkloadFactory
from tests.measured import measured

pytestmark = pytest.mark.django_db


@pytest.fixture
def workload():
    return WorkloadFactory()


def result(workload, **params):
    return leaderboard_result(LeaderboardParams(workload.fingerprint, **params))


def test_the_caveats_explain_the_bars(workload):
    measured(100.0, 101.0, instance_type="a", throughput_low_ops_s=99.0, throughput_high_ops_s=102.0)
    measured(50.0, instance_type="b")

    assert sentences.caveats(result(workload).board) == [
        "Each dot is a group's best result; the line spans its trials, the tick is their median, "
        "the band the 95 % interval of its mean in these runs.",
        "1 of 2 groups has a single trial.",
    ]
    assert sentences.caveats(result(workload, metric=LATENCY_P99).board)[0] == (
        "Each dot is a group's best result; the line spans its trials, the tick is their median."
    )
    assert sentences.caveats(result(workload, metric=OPS_PER_USD).board)[-1] == (
        "Prices when measured: AWS list price of 2015-06-01."
    )


def test_the_noise_between_runs_behind_the_verdicts_is_named(workload):
    measured(100.0, instance_type="a")
    assert sentences.noise_note(result(workload).board) == ""

    measured(1000.0, instance_type="b")
    assert sentences.noise_note(result(workload).board) == (
        "Verdicts allow for the noise between runs: assuming the usual noise of clouds, 6 % from run to run."
    )


def test_an_empty_board_says_what_is_missing(workload):
    SubmissionFactory(hourly_usd=None, latency_p99_ms=None)

    assert sentences.nothing_ranked(result(workload, metric=OPS_PER_USD)) == (
        "No result of this workload has a known price."
    )
    assert sentences.nothing_ranked(result(workload, metric=LATENCY_P99, latency_kind=LatencyKind.RESPONSE_TIME)) == (
        "No result of this workload has a p99 response time."
    )
