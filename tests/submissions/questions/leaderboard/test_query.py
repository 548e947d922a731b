"""The leaderboard of a workload: groups by their best, ties, what is excluded."""

from decimal import Decimal

import pytest

from submissions.choices import Flag, LatencyKind
from submissions.metrics import LATENCY_P99, OPS_PER_USD
from submissions.questions.boards.grouping import GroupBy
from submissions.questions.leaderboard.answer import LeaderboardSerializer
from submissions.questions.leaderboard.query import LeaderboardParams, leaderboard, leaderboard_result
from submissions.questions.leaderboard.sentences import finding
from tests.factories import SubmissionFactory, WorkloadFactory
from tests.measured import measured

pytestmark = pytest.mark.django_db


@pytest.fixture
def workload():
    return WorkloadFactory()


def board_of(workload, by=GroupBy.INSTANCE_TYPE, *metric):
    return leaderboard(workload.pk, by, *metric)


def groups(board):
    return [(group.entry.rank, group.name, group.best.pk, group.submissions, group.trials) for group in board.groups]


def not_ranked(workload, *params):
    result = leaderboard_result(LeaderboardParams(workload.fingerprint, *params))
    return LeaderboardSerializer(result).data["not_ranked"]


def test_a_group_is_represented_by_its_best_submission_and_ties_share_a_rank(workload):
    fast = measured(1000.0, 1010.0, 990.0, instance_type="fast")
    measured(900.0, 905.0, 895.0, instance_type="fast", threads=20)  # another configuration
    near = measured(996.0, 1003.0, 985.0, instance_type="near")
    slow = measured(500.0, 505.0, 495.0, instance_type="slow")

    board = board_of(workload)

    assert groups(board) == [
        ("1-2", "AWS fast", fast.pk, 2, 3),
        ("1-2", "AWS near", near.pk, 1, 3),
        ("3", "AWS slow", slow.pk, 1, 3),
    ]
    assert (
        finding(board) == "AWS fast and AWS near are statistically tied for the highest throughput (1 k to 995 ops/s)."
    )


def test_a_lead_beyond_noise_has_its_ratio(workload):
    measured(1000.0, 1010.0, 990.0, instance_type="fast")
    measured(500.0, 505.0, 495.0, instance_type="slow")

    assert finding(board_of(workload)) == "AWS fast reaches the highest throughput: 1 k ops/s, 2× AWS slow."


def test_single_runs_that_noise_may_explain_are_no_lead(workload):
    measured(111394.0, provider="gce", instance_type="n1-standard-8")
    measured(95748.0)

    board = board_of(workload)

    assert [group.entry.rank for group in board.groups] == ["1-2", "1-2"]
    assert finding(board) == (
        "Google Cloud n1-standard-8 reaches the highest throughput: 111 k ops/s, 1.16× AWS m3.2xlarge. "
        "Not yet conclusive: one run each; 4 more runs of each would detect the difference."
    )


def test_what_was_measured_once_is_judged_by_the_runs_of_others(workload):
    for number in range(2):
        measured(1000.0 - 60 * number, instance_type=f"once {number}")
    for number in range(8):
        measured(500.0 + number, instance_type="often")

    board = board_of(workload)

    assert [group.entry.rank for group in board.groups] == ["1", "2", "3"]
    assert [group.entry.judgement.noise_from for group in board.groups[1:]] == ["workload", "own_runs"]


@pytest.mark.parametrize(
    ("by", "names"),
    [
        (GroupBy.PROVIDER, ["Google Cloud", "AWS"]),
        (GroupBy.INSTANCE_TYPE, ["Google Cloud n1", "AWS m3.2xlarge"]),
        (GroupBy.JDK, ["not stated", "oracle 8u51"]),
        (GroupBy.DISK, ["pd-ssd", "local-ssd"]),
    ],
)
def test_each_grouping_has_its_names(workload, by, names):
    measured(100.0)
    measured(200.0, provider="gce", instance_type="n1", jdk_vendor=None, jdk_version=None, disk_kind="pd-ssd")

    assert [group.name for group in board_of(workload, by).groups] == names


def test_by_submission_each_has_its_own_place_and_the_best_fifty_are_shown(workload):
    rows = [measured(1000.0 + n) for n in range(52)]

    board = board_of(workload, GroupBy.SUBMISSION)

    assert [group.best.pk for group in board.groups] == [row.pk for row in rows[:1:-1]]
    assert (board.groups_count, len(board.groups)) == (52, 50)
    assert board.groups[0].name == f"#{rows[-1].pk} · AWS 3× m3.2xlarge"


def test_value_is_ranked_by_what_a_dollar_buys(workload):
    dear = measured(1000.0, 1010.0, 990.0, instance_type="dear", hourly_usd=Decimal(10))
    cheap = measured(500.0, 505.0, 495.0, instance_type="cheap", hourly_usd=Decimal(1))
    SubmissionFactory(hourly_usd=None, instance_type="unpriced")

    board = board_of(workload, GroupBy.INSTANCE_TYPE, OPS_PER_USD)

    assert [(group.best, group.entry.rank, group.figure) for group in board.groups] == [
        (cheap, "1", 1_800_000.0),
        (dear, "2", 360_000.0),
    ]


def test_p99s_of_one_kind_are_ranked_lowest_first(workload):
    low = measured(100.0, instance_type="low", latency_p99_ms=2.0)
    high = measured(100.0, instance_type="high", latency_p99_ms=9.0)
    measured(100.0, instance_type="other", latency_p99_ms=0.5, latency_kind=LatencyKind.RESPONSE_TIME)
    measured(100.0, instance_type="unknown", latency_p99_ms=0.5, latency_kind=LatencyKind.UNKNOWN)

    board = board_of(workload, GroupBy.INSTANCE_TYPE, LATENCY_P99, LatencyKind.SERVICE_TIME)

    figures = [(group.best, group.figure, group.interval) for group in board.groups]
    assert figures == [(low, 2.0, None), (high, 9.0, None)]
    assert not_ranked(workload, GroupBy.INSTANCE_TYPE, LATENCY_P99)["other_latency_kind"] == 2


def test_what_is_not_ranked_is_counted_by_reason(workload):
    measured(100.0)
    measured(1e6, flags=[Flag.RATE_MISMATCH])
    SubmissionFactory(throughput_ops_s=None, relative_throughput=1.0, relative_base="existing")
    SubmissionFactory(retracted_at="2026-01-01T00:00:00Z")
    SubmissionFactory(hourly_usd=None)
    SubmissionFactory(workload=WorkloadFactory(title="another"))

    board = board_of(workload, GroupBy.SUBMISSION, OPS_PER_USD)

    assert len(board.groups) == 1
    assert not_ranked(workload, GroupBy.SUBMISSION, OPS_PER_USD) == {
        "relative": 1,
        "doubtful": 1,
        "throttled": 0,
        "other_rate": 0,
        "unranked": 0,
        "aged": 0,
        "uploaded": 0,
        "historical": 0,
        "retracted": 1,
        "unpriced": 1,
        "stated_price_off": 0,
        "without_storage": 0,
        "unknown_p99": 0,
        "other_latency_kind": 0,
        "above_limit": 0,
    }


def test_an_empty_board_claims_nothing(workload):
    assert finding(board_of(workload)) == "No result of this workload can be ranked."
