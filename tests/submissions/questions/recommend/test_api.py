"""GET /api/v1/recommend/: which cluster, what it costs, and how likely it is to hold."""

import pytest

from submissions.choices import Flag, LatencyKind, NodeKind, PricingModel, Trust
from submissions.models import settle
from submissions.questions import tallies
from tests.submissions.questions.recommend.results import READS, WRITES, cluster, workload

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
    assert poor["nearest"][0]["submission"] == rows["small"].pk


def test_nothing_measured_says_what_is_nearest_and_what_to_measure_next(client, rows):
    answer = ask(client, target_ops_s=2_000_000)

    assert answer["answers"] == []
    # 3 times the p99 is less far than 0.3 times the throughput
    assert [each["submission"] for each in answer["nearest"]] == [rows[name].pk for name in ("late", "fast", "value")]
    assert "Nothing measured of Apache Cassandra, mixed does 2,000,000 ops/s" in answer["sentence"]
    assert answer["measure_next"]["text"]
    nothing = ask(client, service="mongodb")
    assert (nothing["workload"], nothing["answers"], nothing["nearest"]) == (None, [], [])
    assert nothing["sentence"] == "No result of MongoDB, mixed is known here yet."
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


def test_results_of_two_workloads_are_not_ranked_against_each_other(client, rows):
    other = workload("mixed, other keys", {"read": 0.6, "update": 0.4})
    cluster(800_000.0, usd="0.01", workload=other, instance_type="elsewhere")

    answer = ask(client)

    assert answer["workload"] == rows["cheap"].workload.fingerprint
    assert answer["answers"][0]["submission"] == rows["cheap"].pk
    assert answer["other_workloads"] == [
        {"workload": other.fingerprint, "workload_title": "mixed, other keys", "results": 1, "able": True}
    ]


def test_a_p99_may_be_that_of_the_slowest_type_of_operation(client):
    row = cluster(136_000.0, latency_p99_ms=None)
    operations = [
        {"name": name, "operations": 10, "latency_ms": {"p99": p99}} for name, p99 in (("read", 5.663), ("update", 3.2))
    ]
    row.trials.update(by_operation=operations)

    [answer] = [each for each in ask(client)["answers"] if each["kind"] == "cheapest"]

    assert (answer["latency_p99_ms"], answer["latency_p99_of"]) == (5.663, "slowest_operation")
    assert ask(client, max_p99_ms=5)["answers"] == []
    row.trials.update(by_operation=[*operations, {"name": "scan", "operations": 1, "latency_ms": {}}])
    assert ask(client)["answers"] == []


def test_what_is_flagged_waits_or_is_not_proven_is_no_answer(client):
    cluster(200_000.0, flags=[Flag.ERRORS])
    cluster(200_000.0, flags=[Flag.STATED_PRICE_OFF])
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
    assert "held to 100,000 ops/s" in answer["answers"][0]["likelihood_words"]
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
    there = cluster(200_000.0, provider="gce", region="us-central1", instance_type="n2", workload=workload())

    assert kinds(ask(client, provider="gce"))["fastest", False] == there.pk
    assert kinds(ask(client, region="us-central1"))["cheapest", False] == there.pk
    reserved = ask(client, basis=PricingModel.RESERVED_1Y.value)
    assert [each["kind"] for each in reserved["answers"]] == ["fastest"]  # no such price is known
    assert reserved["answers"][0]["usd_per_month"] is None
    assert reserved["answers"][0]["price_missing"]


def test_bad_parameters_are_named(client):
    for params, name in (
        ({}, "service"),
        ({"service": "x", "work": "all"}, "work"),
        ({"workload": "nope"}, "workload"),
    ):
        response = client.get(URL, params)
        assert response.status_code == 400
        assert response.json()["errors"][0]["pointer"].endswith(name)
    assert client.get(URL, {**ASK, "tagret": 1}).status_code == 400


def test_the_answer_is_the_same_from_the_tally(client, rows):
    by_rows = [client.get(URL, {**ASK, **more}).json() for more in ({}, {"work": ""}, {"target_ops_s": 1e6})]

    tallies.count_again()

    assert [client.get(URL, {**ASK, **more}).json() for more in ({}, {"work": ""}, {"target_ops_s": 1e6})] == by_rows
    assert list(tallies.differences()) == []
    csv = b"".join(client.get(URL, {**ASK, "format": "csv"}).streaming_content).decode()
    assert csv.splitlines()[1].startswith(f"cheapest,{rows['cheap'].pk},")


BEST = {"usd": "0.50", "latency_p99_ms": 4.0, "service_version": "5.0.1"}
OTHERS = (100_000.0, 101_000.0, 102_000.0, 103_000.0, 104_000.0)


def likelihood_of_best(client, best):
    answers = ask(client, workload=best.workload.fingerprint)["answers"]
    return next(each["likelihood"] for each in answers if each["submission"] == best.pk)


def test_a_likelihood_knows_that_its_result_is_the_best_of_many_on_the_same_machines(client):
    """The others have other versions, and all but the same throughput."""
    best = cluster(109_500.0, 110_500.0, **BEST)
    alone = likelihood_of_best(client, best)
    for number, rate in enumerate(OTHERS):
        cluster(rate, rate * 1.01, **{**BEST, "service_version": f"4.1.{number}"})
    settle()

    assert likelihood_of_best(client, best) < alone - 0.1


@pytest.mark.parametrize(
    "other",
    [
        {"nodes": 6},
        {"instance_type": "other.large"},
        {"trust": Trust.UPLOADED},
        {"flags": [Flag.THROTTLED]},
        {"workload": ("elsewhere", {"read": 0.4, "update": 0.6})},
    ],
)
def test_what_ran_on_other_machines_or_does_not_count_does_not_change_a_likelihood(client, other):
    best = cluster(109_500.0, 110_500.0, **BEST)
    more = {**BEST, "usd": "2.00", **other}
    if "workload" in more:
        more["workload"] = workload(*more["workload"])
    alone = likelihood_of_best(client, best)
    for number, rate in enumerate(OTHERS):
        cluster(rate, rate * 1.01, **{**more, "service_version": f"4.1.{number}"})
    settle()

    assert likelihood_of_best(client, best) >= alone - 0.05


def test_the_best_p99_of_many_on_the_same_machines_is_less_likely_to_be_kept(client):
    best = cluster(400_000.0, 400_500.0, **{**BEST, "latency_p99_ms": 8.5})
    alone = likelihood_of_best(client, best)
    for number in range(5):
        version = {"service_version": f"4.1.{number}", "latency_p99_ms": 10.0 + number / 10}
        cluster(399_000.0, 399_500.0, **{**BEST, **version})
    settle()

    assert likelihood_of_best(client, best) < alone - 0.1
