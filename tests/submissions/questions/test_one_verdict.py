"""One verdict for a pair, on every page and whatever a board is grouped by."""

from datetime import UTC, datetime, timedelta

import pytest

from submissions.choices import Flag, Trust
from tests.documents import document
from tests.measured import measured

pytestmark = pytest.mark.django_db

API = "/api/v1"
FACTS = ("verdict", "noise_from", "runs_needed")


@pytest.fixture
def pair():
    """AWS leads by 12 % with trials that agree within 1 %; two slow machines of other clouds are on the board too."""
    fast = measured(1120.0, 1130.0, 1110.0, provider="aws", instance_type="fast", jdk_vendor="oracle")
    slow = measured(1000.0, 1010.0, 990.0, provider="gce", instance_type="slow", jdk_vendor="temurin")
    for number in range(2):
        measured(
            100.0 + number, provider="azure", instance_type=f"other{number}", jdk_vendor="zulu", region=f"r{number}"
        )
    return fast, slow


def compared(client, fast, slow, metric="throughput"):
    return client.get(f"{API}/compare/", {"a": fast.pk, "b": slow.pk}).json()[metric]


def on_board(client, slow, **query):
    body = client.get(f"{API}/leaderboard/", {"workload": slow.workload.fingerprint, **query}).json()
    return next(group for group in body["groups"] if group["submission"] == slow.pk)


def facts(answer):
    return [answer[name] for name in FACTS]


@pytest.mark.parametrize("by", ["provider", "instance_type", "jdk", "submission"])
def test_the_board_has_the_verdict_of_the_comparison_whatever_its_groups(client, pair, by):
    expected = compared(client, *pair)
    group = on_board(client, pair[1], by=by)

    assert facts(group) == facts(expected) == ["inconclusive", "clouds", expected["runs_needed"]]
    assert group["ratio_interval"] == expected["interval"]
    assert group["ratio_to_leader"] == expected["ratio"]


def test_the_board_of_values_has_the_verdict_of_the_comparison_per_dollar(client, pair):
    expected = compared(client, *pair, "ops_per_usd")

    assert facts(on_board(client, pair[1], metric="ops_per_usd")) == facts(expected)


def test_no_page_claims_a_lead_that_another_one_calls_inconclusive(client, pair):
    """It was "within noise" on one page and a factor on the next."""
    fast, slow = pair
    workload = {"workload": fast.workload.fingerprint}
    then = {**workload, "prices": "then"}
    value = client.get(f"{API}/value/", {**then, "by": "provider"}).json()
    board = client.get(f"{API}/leaderboard/", {**workload, "by": "provider"}).json()
    home = client.get("/", then).content.decode()

    assert "Not yet conclusive against Google Cloud" in value["finding"]
    assert "Not yet conclusive against Google Cloud" in board["sentence"]
    assert "offers the best value" not in home  # what is not conclusive leads no page
    assert "inconclusive" in client.get(f"{API}/compare/", {"a": fast.pk, "b": slow.pk}).json()["sentence"]


def test_a_cell_of_the_grid_has_the_verdict_of_the_comparison(client, pair):
    fast, slow = pair
    body = client.get(
        f"{API}/grid/",
        {"vary": "provider", "baseline": "aws", "variant": "gce", "rows": "node_count", "subrows": "none",
         "columns": "service_version"},
    ).json()  # fmt: skip

    assert facts(body["cells"][0]) == facts(compared(client, fast, slow))


def test_several_submissions_of_a_configuration_are_runs_of_it(client, pair):
    fast, slow = pair
    for figure in (1110.0, 1125.0):
        measured(figure, provider="aws", instance_type="fast", jdk_vendor="oracle")
    for figure in (1002.0, 995.0):
        measured(figure, provider="gce", instance_type="slow", jdk_vendor="temurin")
    # of another tuning, so that it is no run of the same system
    tuned = measured(100.0, provider="gce", instance_type="slow", jdk_vendor="temurin")
    tuned.document = {**tuned.document, "settings": {"cassandra.yaml": {"concurrent_writes": 7}}}
    tuned.save()

    found = compared(client, fast, slow)

    assert (found["verdict"], found["noise_from"], found["runs"]) == ("worse", "own_runs", [3, 3])
    assert found["ratio"] == pytest.approx(1000 / 1120)
    assert found["ratio_over_runs"] == pytest.approx((1000 * 1002 * 995 / (1120 * 1110 * 1125)) ** (1 / 3))
    assert facts(on_board(client, slow, by="submission")) == facts(found)


def test_repeated_runs_of_others_are_the_noise_of_the_workload(client, pair):
    for figure in (500.0, 505.0, 495.0, 502.0, 498.0, 501.0):
        measured(figure, provider="azure", instance_type="repeated")

    found = compared(client, *pair)

    assert (found["verdict"], found["noise_from"], found["runs"]) == ("worse", "workload", [1, 1])


def test_noise_without_a_log_changes_no_verdict_on_results_with_one(client, pair):
    """Whoever uploads numbers alone cannot make the noise of a workload small or large."""
    before = compared(client, *pair)
    for figure in (100.0, 10_000.0, 5.0, 70.0):
        measured(figure, provider="aws", instance_type="fast", jdk_vendor="oracle", trust=Trust.UPLOADED)
    measured(5.0, provider="aws", instance_type="fast", jdk_vendor="oracle", flags=[Flag.RATE_MISMATCH])

    assert compared(client, *pair) == before
    assert facts(on_board(client, pair[1], trust="log_verified")) == facts(before)


def test_two_results_without_a_log_are_judged_with_the_noise_of_all(client):
    rows = [measured(figure, trust=Trust.UPLOADED, instance_type="a") for figure in (1000.0, 1300.0, 900.0)]
    other = measured(1200.0, instance_type="b")

    assert compared(client, other, rows[0])["runs"] == [1, 3]


def uploaded(caller, instance_type, minutes, rates, **changes):
    trials = [
        {"throughput_ops_s": rate, "started_at": (START + timedelta(minutes=minutes + 30 * number)).isoformat()}
        for number, rate in enumerate(rates)
    ]
    answer = caller.submit(document({"nodes/0/instance_type": instance_type, "trials": trials, **changes}))
    assert answer.status_code == 201, answer.content
    return answer.json()["id"]


START = datetime(2026, 1, 1, tzinfo=UTC)
ROUNDS = (1000.0, 700.0, 1200.0, 900.0)


def test_a_series_measured_in_turns_is_compared_round_by_round(caller, client):
    series = {"series": "jdk comparison"}
    a = uploaded(caller, "c3.2xlarge", 0, ROUNDS, **series)
    b = uploaded(caller, "m3.2xlarge", 10, [rate * 1.05 + number for number, rate in enumerate(ROUNDS)], **series)

    found = client.get(f"{API}/compare/", {"a": a, "b": b}).json()

    assert [found["throughput"][name] for name in ("verdict", "noise_from", "runs")] == ["better", "series", [4, 4]]
    assert "Measured in turns and compared round by round (4 rounds)." in found["sentence"]


@pytest.mark.parametrize("changes", [{}, {"series": "another"}])
def test_what_was_not_measured_in_turns_is_no_series(caller, client, changes):
    a = uploaded(caller, "c3.2xlarge", 0, ROUNDS, series="jdk comparison")
    b = uploaded(caller, "m3.2xlarge", 10, [rate * 1.05 for rate in ROUNDS], **changes)

    found = client.get(f"{API}/compare/", {"a": a, "b": b}).json()["throughput"]

    assert (found["verdict"], found["noise_from"]) == ("inconclusive", "clouds")


def test_a_document_without_a_series_has_the_sum_that_it_had_before(caller):
    assert (
        "series"
        not in caller.client.get(f"{API}/submissions/{uploaded(caller, 'c3.2xlarge', 0, ROUNDS)}/").json()["document"]
    )
