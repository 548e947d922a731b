"""An amount of data is a limit: the cluster holds it, and was measured with as much for its memory."""

import pytest

from submissions.choices import NodeKind
from submissions.models import InstanceType, Submission
from tests.pages import faults, links, text
from tests.submissions.questions.recommend.results import READS, cluster, workload
from tests.submissions.questions.recommend.test_api import ASK, URL, ask, kinds

pytestmark = pytest.mark.django_db

GIB = 2**30


def of_data(
    rate: float, *, gib: float | None, nodes: int = 3, disk_gib: float | None = 3_000.0, **fields
) -> Submission:
    """Three copies on nodes of 30 GiB of memory, each with one disk."""
    ratio = None if gib is None else gib * 3 / (30 * nodes)
    amount = None if gib is None else int(gib * GIB)
    fields.setdefault("instance_type", "unlisted")  # of no type in the catalogue: its disks are as stated
    row = cluster(rate, nodes=nodes, data_bytes=amount, data_to_memory=ratio, **fields)
    disks = [] if disk_gib is None else [{"kind": "local-ssd", "count": 1, "size_gib": disk_gib}]
    row.node_groups.filter(role="database").update(disks=disks)
    return row


def reasons(answer):
    return {one["submission"]: one["reason"] for one in answer["rejected"]}


def test_the_cheapest_that_holds_the_data_and_was_measured_with_as_much_answers(client):
    small = of_data(120_000.0, gib=500.0, usd="0.50", disk_gib=400.0, instance_type="small")
    memory = of_data(500_000.0, gib=10.0, usd="0.60", instance_type="memory")
    right = of_data(110_000.0, gib=600.0, usd="1.00", instance_type="right")
    dear = of_data(115_000.0, gib=900.0, usd="2.00", instance_type="dear")

    answer = ask(client, data_gib=1000)

    assert kinds(answer)["cheapest", False] == right.pk
    assert kinds(answer)["fastest", False] == dear.pk
    first = answer["answers"][0]
    assert (first["data_to_memory"], first["data_to_memory_requested"], first["holds_gib"]) == (
        pytest.approx(20.0),
        pytest.approx(1_000 * 3 / 90),
        pytest.approx(3_000.0),
    )
    assert first["data_words"] == (
        "Holds 3,000 GiB, without head-room. Measured with data 20 times the memory; yours: 33 times."
    )
    found = reasons(answer)
    assert found[small.pk] == "holds 400 of 1,000 GiB"
    assert found[memory.pk] == "measured from memory; yours would not be (0.33 and 33 times the memory)"
    assert kinds(ask(client))["cheapest", False] == small.pk  # without data nothing changes


def test_less_than_half_of_the_ratio_is_no_answer_and_half_is(client):
    row = of_data(110_000.0, gib=500.0)

    assert kinds(ask(client, data_gib=1000))["cheapest", False] == row.pk
    none = ask(client, data_gib=1001)
    assert [one for one in none["answers"] if not one["extrapolated"]] == []
    assert [one["submission"] for one in none["nearest"]] == [row.pk]
    assert "measured with less data for its memory than yours (17 and 33 times the memory)" in none["sentence"]
    assert "No measured cluster of Apache Cassandra, mixed meets all three. Closest: " in none["sentence"]


def test_a_result_of_unknown_data_answers_below_the_known_ones_and_says_so(client):
    unknown = of_data(200_000.0, gib=None, usd="0.10", instance_type="unknown")
    alone = ask(client, data_gib=100)
    known = of_data(110_000.0, gib=100.0, usd="1.00", instance_type="known")

    both = ask(client, data_gib=100)

    assert kinds(alone)["cheapest", False] == unknown.pk
    assert "Its ratio of data to memory is unknown." in alone["sentence"]
    assert alone["answers"][0]["data_words"].endswith("Its ratio of data to memory is unknown.")
    assert {pk for (kind, _), pk in kinds(both).items() if kind} == {known.pk}
    assert reasons(both)[unknown.pk] == "ratio of data to memory unknown"


def test_what_a_front_of_one_cluster_left_out_answers_where_it_was_measured_with_more_data(client):
    fast = of_data(300_000.0, gib=10.0)
    slower = of_data(110_000.0, gib=500.0)

    assert kinds(ask(client))["fastest", False] == fast.pk
    assert kinds(ask(client, data_gib=500))["fastest", False] == slower.pk


def test_a_cluster_of_unknown_space_holds_what_it_was_measured_with_and_no_more(client):
    row = of_data(110_000.0, gib=500.0, disk_gib=None)

    assert kinds(ask(client, data_gib=500))["cheapest", False] == row.pk
    assert ask(client, data_gib=501)["nearest"][0]["submission"] == row.pk
    assert "its space for 501 GiB of data is unknown" in ask(client, data_gib=501)["sentence"]
    InstanceType.objects.create(
        provider="aws", name=row.instance_type, memory_gib=30, local_disk_gib=600, source="a list"
    )
    assert kinds(ask(client, data_gib=510))["cheapest", False] == row.pk
    row.node_groups.update(kind=NodeKind.MANAGED)
    assert ask(client, data_gib=511)["answers"] == []


def test_cassandra_before_1_0_holds_half_of_its_disks(client):
    row = of_data(110_000.0, gib=900.0, disk_gib=1_000.0, service_version="0.8.6")

    assert kinds(ask(client, data_gib=501)) == {(None, True): row.pk}  # four nodes, which were not measured
    answer = ask(client, data_gib=499)["answers"][0]
    assert (answer["submission"], answer["holds_gib"]) == (row.pk, pytest.approx(500.0))
    assert answer["data_words"].startswith("Holds 500 GiB. Measured with")


def test_redis_holds_what_fits_in_the_memory_of_its_nodes(client):
    of_redis = workload("redis", READS, service="redis", replication_factor=1)
    row = of_data(200_000.0, gib=30.0, workload=of_redis)  # 90 GiB of memory
    question = {"service": "redis", "work": "reads", "max_p99_ms": ""}

    assert kinds(ask(client, **question, data_gib=90))["cheapest", False] == row.pk
    assert kinds(ask(client, **question, data_gib=91)) == {(None, True): row.pk}
    assert ask(client, **question, data_gib=91)["answers"][0]["node_count"] == 4
    assert "holds 90 of 91 GiB" in ask(client, **question, data_gib=91)["sentence"]


def test_a_size_that_was_not_measured_is_large_enough_for_the_data(client):
    row = of_data(60_000.0, gib=500.0, disk_gib=1_000.0, usd="1.00")

    [estimate] = ask(client, data_gib=1_500)["answers"]

    # 60,000 x 5 / 3 would do for the rate; of 1,500 GiB three nodes would hold 1,000
    assert (estimate["submission"], estimate["node_count"], estimate["extrapolated"]) == (row.pk, 5, True)
    assert estimate["holds_gib"] == pytest.approx(1_666.7, rel=1e-3)
    assert estimate["data_to_memory_requested"] == pytest.approx(1_500 * 3 / 150)
    assert ask(client, data_gib=1_900, target_ops_s=1_000)["answers"][0]["node_count"] == 6
    assert ask(client, data_gib=2_001, target_ops_s=1_000)["answers"] == []


def test_the_page_shows_the_data_of_each_card_and_why_the_others_are_not_chosen(client):
    right = of_data(110_000.0, gib=600.0, instance_type="right")
    memory = of_data(500_000.0, gib=10.0, instance_type="memory")

    response = client.get("/recommend/", {**ASK, "data_gib": "1 TB"})

    content = text(response)
    assert "Holds 3,000 GiB, without head-room. Measured with data 20 times the memory; yours: 31 times." in content
    assert "Why not the others 1 other cluster, with one reason each" in content
    assert "3× memory · AWS us-east-1 50 % reads measured from memory; yours would not be (0.33 and 31 times" in content
    assert 'name="data_gib" value="1 TB"' in response.content.decode()
    assert {right.get_absolute_url(), memory.get_absolute_url()} <= set(links(response))
    assert faults(response) == []


def test_the_table_of_all_databases_takes_the_data_too(client):
    of_data(110_000.0, gib=600.0)

    cells = client.get(URL, {"data_gib": "5TB", "target_ops_s": "100k"}).json()["grid"]

    assert {cell["gap"] for cell in cells} == {"data"}
    assert {cell["gap_words"] for cell in cells} == {"none for so much data"}
    able = client.get(URL, {"data_gib": "1TB", "target_ops_s": "100k"}).json()["grid"]
    assert {cell["gap"] for cell in able} == {None}
    assert faults(client.get("/recommend/", {"data_gib": "5TB"})) == []


@pytest.mark.parametrize("value", ["much", "0", "-1", "1 XB", "5TB-1TB", "1e20"])
def test_a_wrong_amount_of_data_is_refused_by_its_name(client, value):
    response = client.get(URL, {**ASK, "data_gib": value})

    assert response.status_code == 400
    assert [error["pointer"] for error in response.json()["errors"]] == ["#/data_gib"]
    assert "data_gib: " in text(client.get("/recommend/", {**ASK, "data_gib": value}))
