"""GET /api/v1/recommend/: which cluster, what it costs, and how likely it is to hold."""

from datetime import UTC, date, datetime

import pytest
from django.utils import timezone

from submissions.choices import Flag, LatencyKind, NodeKind, PricingModel, Trust
from tests.pages import text
from tests.submissions.questions.recommend.results import MIXED, READS, WRITES, cluster, list_price, workload

pytestmark = pytest.mark.django_db

URL = "/api/v1/recommend/"
ASK = {"service": "cassandra", "work": "mixed", "target_ops_s": 100_000, "max_p99_ms": 10}


def ask(client, **changes):
    response = client.get(URL, {name: value for name, value in {**ASK, **changes}.items() if value != ""})
    assert response.status_code == 200, response.content
    return response.json()


def kinds(answer):
    return {(each["kind"], each["extrapolated"]): each["submission"] for each in answer["answers"]}


@pytest.fixture
def rows():
    return {
        "small": cluster(90_000.0, 91_000.0, usd="0.50", instance_type="small"),
        "cheap": cluster(110_000.0, 112_000.0, usd="1.00", instance_type="cheap"),
        "value": cluster(390_000.0, 410_000.0, usd="2.00", instance_type="value"),
        "fast": cluster(600_000.0, 620_000.0, usd="9.00", instance_type="fast"),
        "late": cluster(900_000.0, 900_000.0, usd="0.10", instance_type="late", latency_p99_ms=30.0),
    }


def test_the_cheapest_that_does_it_the_best_value_and_the_fastest(client, rows):
    answer = ask(client)

    assert kinds(answer) == {
        ("cheapest", False): rows["cheap"].pk,
        ("best_value", False): rows["value"].pk,
        ("fastest", False): rows["fast"].pk,
        (None, True): rows["small"].pk,  # four nodes of it would cost less
    }
    cheapest = answer["answers"][0]
    assert cheapest["cluster"] == "3× cheap · AWS us-east-1"
    assert cheapest["usd_per_month"] == "2190.00"  # 3 x 1.00 x 730
    assert (cheapest["throughput_ops_s"], cheapest["latency_p99_ms"]) == (111_000.0, 4.0)
    assert (cheapest["trust"], cheapest["trials"], cheapest["at_least"]) == ("log_verified", 2, False)
    assert cheapest["measured_at"].startswith("2015-09-01")
    assert 0.5 < cheapest["likelihood"] <= 0.99
    assert answer["measure_next"] is None
    extrapolated = answer["answers"][-1]
    assert (extrapolated["node_count"], extrapolated["usd_per_month"]) == (4, "1460.00")
    assert extrapolated["likelihood"] is None


def test_a_budget_is_a_limit_and_the_fastest_is_the_fastest_within_it(client, rows):
    assert kinds(ask(client, budget_usd_month=5000))["fastest", False] == rows["value"].pk
    poor = ask(client, budget_usd_month=1000)
    assert poor["answers"] == []
    assert poor["measure_next"]["run_url"].startswith("http://testserver/runs/new/?like=")
    # 2.2 times the budget alone, not 1.1 times the budget and nine tenths of the rate
    assert poor["nearest"][0]["submission"] == rows["cheap"].pk


def test_nothing_measured_says_what_is_nearest_and_what_to_measure_next(client, rows):
    answer = ask(client, target_ops_s=2_000_000)

    assert answer["answers"] == []
    # a third of the throughput is one limit missed, half of it with three times the p99 are two
    assert [each["submission"] for each in answer["nearest"]] == [rows[name].pk for name in ("fast", "value", "cheap")]
    assert answer["sentence"] == (
        "No measured cluster of Apache Cassandra, mixed meets both. "
        "Closest: 3× fast · AWS us-east-1 reaches 610 k ops/s at p99 4.0 ms for $19,710/month."
    )
    assert answer["measure_next"]["text"].startswith("Next step: measure more or larger nodes than ")
    nothing = ask(client, service="mongodb")
    assert (nothing["workload"], nothing["answers"], nothing["nearest"]) == (None, [], [])
    assert nothing["sentence"] == "Nothing has been measured for MongoDB, mixed yet."
    assert nothing["measure_next"]["text"] == "Run a benchmark of MongoDB, mixed here, or upload the log of one."
    assert nothing["measure_next"]["upload_url"] == "http://testserver/submissions/new/"


def test_extrapolated_sizes_end_at_twice_the_largest_measured(client):
    base = cluster(60_000.0, usd="1.00", instance_type="m", nodes=3)

    assert kinds(ask(client)) == {(None, True): base.pk}
    assert ask(client)["answers"][0]["node_count"] == 5
    assert kinds(ask(client, target_ops_s=120_000)) == {(None, True): base.pk}
    assert kinds(ask(client, target_ops_s=121_000)) == {}


def test_work_is_that_of_the_operations_of_a_workload(client):
    reads = cluster(200_000.0, workload=workload("reads", READS))
    writes = cluster(200_000.0, workload=workload("writes", WRITES))
    unknown = cluster(200_000.0, workload=workload("own", {"statement1": 1.0}))

    assert ask(client, work="reads")["answers"][0]["submission"] == reads.pk
    assert ask(client, work="writes")["answers"][0]["submission"] == writes.pk
    assert ask(client)["answers"] == []
    chosen = ask(client, work="", service="", workload=unknown.workload.fingerprint)
    assert chosen["answers"][0]["submission"] == unknown.pk
    assert chosen["other_workloads"] == []


def test_results_of_all_workloads_that_fit_are_candidates_together(client, rows):
    other = workload("mixed, other keys", {"read": 0.6, "update": 0.4}, tool="ycsb", key_count=40_000_000)
    elsewhere = cluster(800_000.0, usd="0.01", workload=other, instance_type="elsewhere")

    answer = ask(client)

    assert set(kinds(answer).values()) == {elsewhere.pk}
    assert (answer["workload"], answer["answers"][0]["workload"]) == (other.fingerprint, other.fingerprint)
    assert answer["answers"][0]["workload_title"] == "mixed, other keys"
    own = rows["cheap"].workload
    assert answer["other_workloads"] == [
        {"workload": own.fingerprint, "workload_title": own.title, "results": 5, "able": True}
    ]
    assert kinds(ask(client, workload=own.fingerprint))["cheapest", False] == rows["cheap"].pk
    assert "YCSB 60 % reads, 40 M keys" in text(client.get("/recommend/", ASK))


def test_a_workload_of_another_value_size_is_no_candidate(client, rows):
    sized = workload("mixed, 100 bytes", MIXED, value_bytes=100)
    row = cluster(120_000.0, workload=sized, instance_type="sized")

    assert kinds(ask(client, value_bytes=100)) == dict.fromkeys(
        [("cheapest", False), ("best_value", False), ("fastest", False)], row.pk
    )
    assert ask(client, value_bytes=10)["answers"] == []


def test_ties_go_to_cost_then_to_the_newer_result_never_to_the_id(client):
    newer = cluster(120_000.0, instance_type="newer", measured_at=datetime(2024, 1, 1, tzinfo=UTC))
    older = cluster(120_000.0, instance_type="older", measured_at=datetime(2023, 1, 1, tzinfo=UTC))
    dear = cluster(120_000.0, instance_type="dear", usd="2.00")

    answer = ask(client)

    assert set(kinds(answer).values()) == {newer.pk}
    assert [one["submission"] for one in answer["rejected"]] == [older.pk, dear.pk]
    near = ask(client, target_ops_s=240_001)["nearest"]
    assert [one["submission"] for one in near] == [newer.pk, older.pk, dear.pk]


def test_each_rejected_cluster_has_one_reason_and_all_are_counted(client, rows):
    unpriced = cluster(200_000.0, usd=None, instance_type="unpriced")
    unknown = cluster(200_000.0, latency_p99_ms=None, instance_type="unknown")

    answer = ask(client, budget_usd_month=5000)

    reasons = {one["submission"]: one["reason"] for one in answer["rejected"]}
    assert reasons == {
        rows["small"].pk: "90 % of the rate",
        rows["late"].pk: "p99 30.0 ms",
        rows["fast"].pk: "3.9 times the budget",
        unpriced.pk: "no price",
        unknown.pk: "p99 unknown",
    }
    assert answer["rejected_count"] == 5
    assert answer["rejected"][0]["cluster"] == "3× small · AWS us-east-1"
    assert (answer["p99_unknown"], answer["unpriced"]) == (1, 1)
    assert answer["sentence"].endswith("The p99 of 1 cluster is unknown.")
    assert "costs more" in {one["reason"] for one in ask(client, target_ops_s=80_000)["rejected"]}
    for number in range(25):
        cluster(1_000.0 + number, instance_type=f"slow{number}")
    many = ask(client)
    assert (len(many["rejected"]), many["rejected_count"]) == (20, 29)


def test_an_unknown_figure_counts_as_one_missed_limit_after_known_ones(client):
    unknown = cluster(200_000.0, latency_p99_ms=None, instance_type="unknown")
    far = cluster(200_000.0, latency_p99_ms=500.0, instance_type="far")
    two = cluster(99_000.0, latency_p99_ms=10.1, instance_type="two")

    assert [one["submission"] for one in ask(client)["nearest"]] == [far.pk, unknown.pk, two.pk]


def test_prices_are_of_today_and_what_it_cost_when_measured_is_beside_them(client):
    row = cluster(120_000.0, usd="1.00", instance_type="m")
    list_price(row, "1.50", valid_from=date(2020, 1, 1))

    now = ask(client)["answers"][0]
    assert (now["usd_per_month"], now["usd_per_month_when_measured"]) == ("3285.00", "2190.00")
    assert now["priced_at"] == str(timezone.now().date())
    assert "$2,190/month when measured" in text(client.get("/recommend/", ASK))
    then = ask(client, prices="then")["answers"][0]
    assert (then["usd_per_month"], then["priced_at"]) == ("2190.00", "2015-09-01")
    assert ask(client, prices="on", prices_on="2019-12-31")["answers"][0]["usd_per_month"] == "2190.00"
    assert ask(client, prices_on="2020-01-01")["answers"][0]["usd_per_month"] == "3285.00"
    assert client.get(URL, {**ASK, "prices": "on"}).status_code == 400


def test_a_stated_price_is_no_answer_to_another_pricing_model(client):
    row = cluster(120_000.0, provider="mongodb-atlas", usd="1.00", instance_type="M80")
    row.node_groups.update(is_price_stated=True)

    assert ask(client)["answers"][0]["usd_per_month"] == "2190.00"
    for basis in (PricingModel.SPOT, PricingModel.RESERVED_1Y):
        answer = ask(client, basis=basis.value)
        assert kinds(answer) == {("fastest", False): row.pk}
        assert answer["answers"][0]["usd_per_month"] is None
        assert answer["stated_left_out"] == 1
        assert "1 cluster has a price of another pricing model only, left out." in answer["sentence"]
        assert ask(client, basis=basis.value, budget_usd_month=5000)["answers"] == []


def test_an_estimate_says_of_which_kind_it_is_and_agrees_with_the_card(client):
    for threads, rate, p99 in ((100, 91_000.0, 3.0), (400, 145_000.0, 7.8)):
        cluster(rate, threads=threads, nodes=6, latency_p99_ms=p99, instance_type="i4g")

    answer = ask(client, target_ops_s=80_000, budget_usd_month=3000)

    assert [(one["kind"], one["estimate"], one["extrapolated"]) for one in answer["answers"]] == [
        (None, "extrapolated", True)
    ]
    estimate, near = answer["answers"][0], answer["nearest"][0]
    assert (estimate["node_count"], estimate["usd_per_month"]) == (4, "2920.00")
    assert "two thirds of 145 k ops/s is about 96.7 k ops/s" in estimate["likelihood_words"]
    assert (near["throughput_ops_s"], near["at_limit_ops_s"]) == (145_000.0, 145_000.0)
    assert "4 nodes ($2,920) would probably do." in answer["sentence"]
    page = text(client.get("/recommend/", {**ASK, "target_ops_s": 80_000, "budget_usd_month": 3000}))
    assert "Up to 145 k ops/s at p99 7.8 ms; 91 k ops/s at p99 3.0 ms" in page
    assert "46 % over budget" in page
    assert answer["measure_next"]["text"] == "Next step: measure 4× i4g · AWS us-east-1."
    cluster(70_000.0, nodes=3, instance_type="i4g")
    between = ask(client, target_ops_s=80_000, budget_usd_month=3000)["answers"][0]
    assert (between["estimate"], between["extrapolated"]) == ("interpolated", True)
    assert between["likelihood_words"].startswith("Interpolated between 3 and 6 nodes: about 95 k ops/s.")


def test_a_p99_may_be_that_of_the_slowest_type_of_operation(client):
    bound = {"latency_p99_at_most_ms": 5.663, "latency_p99_is_bound": True, "latency_p99_bound_of": "read"}
    cluster(136_000.0, latency_p99_ms=None, **bound)

    [answer] = [each for each in ask(client)["answers"] if each["kind"] == "cheapest"]

    assert (answer["latency_p99_ms"], answer["latency_p99_of"]) == (5.663, "slowest_operation")
    assert ask(client, max_p99_ms=5)["answers"] == []
    assert "≤ 5.7 ms (reads, the slowest operation)" in text(client.get("/recommend/", ASK))


def test_a_result_whose_p99_is_unknown_keeps_no_limit(client):
    cluster(136_000.0, latency_p99_ms=None)
    assert ask(client)["answers"] == []


def test_what_is_flagged_waits_or_is_not_proven_is_no_answer(client):
    cluster(200_000.0, flags=[Flag.ERRORS])
    cluster(200_000.0, flags=[Flag.STATED_PRICE_OFF])
    cluster(200_000.0, flags=[Flag.WITHOUT_STORAGE])
    cluster(200_000.0, latency_kind=LatencyKind.UNKNOWN)
    cluster(200_000.0, trust=Trust.UPLOADED)
    cluster(200_000.0, trust=Trust.HISTORICAL)
    cluster(200_000.0, retracted_at="2020-01-01T00:00Z")
    cluster(40_000.0)

    assert ask(client)["answers"] == []
    assert ask(client)["uploaded_left_out"] == 1
    assert ask(client, trust="uploaded")["answers"][0]["trust"] == "uploaded"


def test_historical_results_answer_where_nothing_else_is_known(client):
    row = cluster(200_000.0, trust=Trust.HISTORICAL)

    answer = ask(client)

    assert (answer["answers"][0]["submission"], answer["shelf"]) == (row.pk, "historical")


def test_a_result_held_to_a_rate_can_do_at_least_that(client):
    held = {"flags": [Flag.THROTTLED], "throttle_ops_s": 100_000.0, "tool": "ycsb"}
    row = cluster(100_500.0, **held)

    answer = ask(client)

    assert kinds(answer) == {("cheapest", False): row.pk}
    assert (answer["answers"][0]["at_least"], answer["answers"][0]["likelihood"]) == (True, None)
    assert "limited to 100,000 ops/s" in answer["answers"][0]["likelihood_words"]
    assert ask(client, target_ops_s=101_000)["answers"] == []


def test_one_trial_without_any_known_noise_has_no_likelihood(client):
    cluster(110_000.0)

    [answer, *_] = ask(client)["answers"]

    assert answer["likelihood"] is None
    assert 0.5 < answer["likelihood_assumed"] < 1
    assert "not known: it was measured once" in answer["likelihood_words"]


def test_a_lucky_run_gives_way_to_one_whose_runs_hold(client):
    machine = {"instance_type": "lucky", "usd": "0.10"}
    for rate in (80_000.0, 85_000.0, 101_000.0):
        cluster(rate, **machine)
    steady = cluster(130_000.0, instance_type="steady")

    answer = ask(client)

    assert kinds(answer)["cheapest", False] == steady.pk
    assert answer["answers"][0]["noise_from"] == "workload"


def test_of_loads_on_one_cluster_the_cheapest_is_the_one_most_likely_to_hold(client):
    for threads, rate, p99 in ((100, 101_000.0, 3.0), (200, 130_000.0, 5.0), (400, 145_000.0, 9.9)):
        cluster(rate, threads=threads, latency_p99_ms=p99)

    cheapest, *_, fastest = ask(client)["answers"]

    assert (cheapest["throughput_ops_s"], fastest["throughput_ops_s"]) == (130_000.0, 145_000.0)


def test_a_managed_database_is_not_extrapolated_by_its_nodes(client):
    row = cluster(60_000.0, instance_type="M60")
    row.node_groups.update(kind=NodeKind.MANAGED)

    assert ask(client)["answers"] == []


def test_place_and_pricing_model_restrict_the_answers(client, rows):
    there = cluster(200_000.0, provider="gce", region="us-central1", instance_type="n2", node_groups__disks=[])

    assert kinds(ask(client, provider="gce"))["fastest", False] == there.pk
    assert kinds(ask(client, region="us-central1"))["cheapest", False] == there.pk
    reserved = ask(client, basis=PricingModel.RESERVED_1Y.value)
    assert [each["kind"] for each in reserved["answers"]] == ["fastest"]  # no such price is known
    assert reserved["answers"][0]["usd_per_month"] is None
    assert reserved["answers"][0]["price_missing"]


def test_bad_parameters_are_named(client):
    for params, name in (
        ({"service": "x", "max_p99_ms": "any"}, "max_p99_ms"),
        ({"service": "x", "work": "all"}, "work"),
        ({"workload": "nope"}, "workload"),
    ):
        response = client.get(URL, params)
        assert response.status_code == 400
        assert response.json()["errors"][0]["pointer"].endswith(name)
    assert client.get(URL, {**ASK, "tagret": 1}).status_code == 400
