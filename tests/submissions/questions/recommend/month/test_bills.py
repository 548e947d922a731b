"""The whole month of what is recommended, and what is the cheapest by it."""

from datetime import date
from decimal import Decimal

import pytest

from submissions.models import Submission
from tests.factories import PriceFactory
from tests.pages import text
from tests.submissions.questions.recommend.results import WRITES, cluster, workload

pytestmark = pytest.mark.django_db

URL = "/api/v1/recommend/"
ASK = {"service": "cassandra", "target_ops_s": 100_000}


def ask(client, **changes):
    response = client.get(URL, {**ASK, **changes})
    assert response.status_code == 200, response.content
    return response.json()


def first(client, **changes):
    return ask(client, **changes)["answers"][0]


def line(answer, kind):
    [found] = [item for item in answer["month"]["items"] if item["kind"] == kind]
    return found


def writes(title="writes", **facts):
    return workload(title, WRITES, **{"columns": 1, "value_bytes": 1000, **facts})


def between_zones(provider="aws", region="us-east-1", usd="0.01", **fields):
    since = {"valid_from": date(2026, 1, 1), "unit": "gb", "sku": "cross-zone", **fields}
    PriceFactory(provider=provider, region=region, usd=Decimal(usd), **since)


@pytest.fixture
def six_nodes():
    between_zones()
    facts = {"zones": [], "data_bytes": 10**12, "instance_type": "i4i.2xlarge"}
    return cluster(110_000.0, usd="0.686", nodes=6, workload=writes(), **facts)


def test_the_month_of_an_answer_and_what_three_zones_would_add(client, six_nodes):
    answer = first(client)

    assert answer["usd_per_month"] == "3004.68"  # nodes and disks
    month = answer["month"]
    assert (month["zones"], month["zones_from"]) == (1, "assumed")
    assert [(item["kind"], item["usd"]) for item in month["items"]] == [
        ("nodes", "3004.68"),
        ("zone_traffic", "0"),
        ("public_addresses", "21.9"),
    ]
    assert month["total_usd"] == "3026.58"
    assert month["in_three_zones_usd"] == "10512.00"
    assert "load clients" in month["not_included"]


def test_in_three_zones_the_traffic_is_part_of_the_month_and_of_the_sentence(client, six_nodes):
    answer = ask(client, zones=3)

    month = answer["answers"][0]["month"]
    assert (month["zones"], month["zones_from"], month["in_three_zones_usd"]) == (3, "requested", None)
    assert line(answer["answers"][0], "zone_traffic") == {
        "kind": "zone_traffic",
        "label": "traffic between zones",
        "quantity": "525600",
        "unit": "gb",
        "unit_usd": "0.02",
        "usd": "10512",
        "price_date": "2026-01-01",
        "price_source": "AWS price list of 2015-06-01",
        "missing": "",
    }
    assert month["total_usd"] == "13538.58"
    assert answer["answers"][0]["usd_per_month"] == "3004.68"
    assert answer["sentence"].endswith("reaches 110 k ops/s at p99 4.0 ms for $13,539/month in 3 zones.")


def test_zones_are_those_of_the_measurement_where_it_states_them(client, six_nodes):
    Submission.objects.update(zones=["us-east-1a", "us-east-1b"])

    month = first(client)["month"]

    assert (month["zones"], month["zones_from"]) == (2, "measured")
    # 100,000 x 1,000 bytes x 3 x 1/2 x 2,628,000 s x 0.02; in three zones two thirds instead of a half
    assert line({"month": month}, "zone_traffic")["usd"] == "7884"
    assert month["in_three_zones_usd"] == "2628.00"


def test_the_cheapest_in_three_zones_is_the_cheapest_by_the_whole_month(client):
    aws = cluster(110_000.0, usd="1.00", workload=writes(), instance_type="a.large")
    gce = cluster(
        110_000.0, usd="2.00", workload=aws.workload, provider="gce", region="us-central1", instance_type="n-8"
    )
    between_zones()
    between_zones("gce", "us-central1")
    between_zones("gce", "us-central1", "0.10", sku="local-ssd", unit="gib_month")  # three nodes with 2 x 80 GiB

    assert first(client)["submission"] == aws.pk  # 2,190 against 4,380 + 48
    spread = first(client, zones=3)
    assert spread["submission"] == gce.pk  # 12,712.95 with traffic and addresses
    assert [item["usd"] for item in spread["month"]["items"]] == ["4380", "48", "5256", "10.95"]
    assert spread["month"]["total_usd"] == "9694.95"


def test_the_budget_is_that_of_the_whole_month_once_zones_are_asked_for(client, six_nodes):
    assert first(client, budget_usd_month=5000)["submission"] == six_nodes.pk

    answer = ask(client, budget_usd_month=5000, zones=3)

    assert answer["answers"] == []
    assert answer["nearest"][0]["month"]["total_usd"] == "13538.58"
    assert "2.71 times the budget" in answer["sentence"]
    assert first(client, budget_usd_month=14_000, zones=3)["submission"] == six_nodes.pk


def test_a_month_with_an_unknown_part_is_never_the_cheapest(client, six_nodes):
    unknown = cluster(120_000.0, usd="0.10", workload=writes("rows", columns=None), instance_type="cheap")

    assert first(client)["submission"] == unknown.pk
    answer = ask(client, zones=3)

    assert {each["kind"]: each["submission"] for each in answer["answers"] if each["kind"]} == {
        "cheapest": six_nodes.pk,
        "best_value": unknown.pk,  # of nodes and disks
        "fastest": unknown.pk,
    }
    [of_unknown] = [each for each in answer["answers"] if each["kind"] == "fastest"]
    assert of_unknown["month"]["total_usd"] is None
    assert of_unknown["month"]["missing"] == "The bytes of a row are not stated."
    assert of_unknown["usd_per_month"] == "219.00"
    assert answer["unpriced"] == 1


def test_a_region_without_a_price_of_traffic_says_so(client):
    cluster(110_000.0, usd="0.686", nodes=6, workload=writes())

    month = first(client, zones=3)["month"]

    assert month["total_usd"] is None
    assert month["missing"].startswith("The price of traffic between zones in AWS us-east-1 on ")
    assert first(client)["month"]["in_three_zones_usd"] is None


def test_a_cluster_with_fewer_nodes_than_zones_is_no_answer(client):
    between_zones()
    cluster(110_000.0, usd="0.10", nodes=2, workload=writes(replication_factor=2), instance_type="two")

    answer = ask(client, zones=3)

    assert [each for each in answer["answers"] if each["kind"]] == []
    assert "2 nodes cannot be in 3 zones" in answer["sentence"]


def test_another_replication_factor_is_another_workload(client, six_nodes):
    assert ask(client, replication_factor=2)["answers"] == []
    assert first(client, replication_factor=3)["submission"] == six_nodes.pk


def test_a_workload_that_states_no_replication_factor_has_the_one_that_is_asked_for(client):
    between_zones()
    cluster(110_000.0, usd="0.686", nodes=6, workload=writes(replication_factor=None))

    unknown = first(client, zones=3)["month"]
    asked = first(client, zones=2, replication_factor=2)["month"]

    assert unknown["missing"] == "The replication factor is not stated."
    assert line({"month": asked}, "zone_traffic")["usd"] == "5256"


def test_a_backup_is_in_the_month_where_it_is_asked_for(client, six_nodes):
    between_zones(sku="object-storage", unit="gib_month", usd="0.023")

    backup = line(first(client, backup="true"), "backup")

    # 10^12 bytes, and 604,800 s of 100,000 rows of 1,000 bytes: 61.48 x 10^12 / 2^30
    assert Decimal(backup["quantity"]) == pytest.approx(Decimal("57257.72"), abs=Decimal("0.01"))
    assert Decimal(backup["usd"]) == pytest.approx(Decimal("1316.93"), abs=Decimal("0.01"))
    assert "backups" in first(client)["month"]["not_included"]


def test_an_estimate_has_a_month_too(client, six_nodes):
    [estimate] = [each for each in ask(client, target_ops_s=200_000, zones=3)["answers"] if each["extrapolated"]]

    assert estimate["node_count"] == 11
    assert line(estimate, "zone_traffic")["usd"] == "21024"
    assert estimate["month"]["total_usd"] == "26572.73"  # 11 x 730 x (0.686 + 0.005) + 21,024


def test_a_month_at_the_prices_of_the_measurement(client):
    between_zones(valid_from=date(2015, 1, 1))
    cluster(110_000.0, usd="0.686", nodes=6, workload=writes())

    month = first(client, prices="then", zones=3)["month"]

    assert month["total_usd"] == "13516.68"  # addresses were free in 2015
    assert "public IPv4 addresses" in month["not_included"]


def test_a_discount_is_off_every_list_price_of_its_cloud(client, six_nodes):
    month = first(client, zones=3, discount="aws:25")["month"]

    assert month["total_usd"] == "10153.94"  # three quarters of 13,538.58, rounded once


def test_a_month_in_another_currency_is_converted_once(client, six_nodes):
    answer = ask(client, zones=3, currency="EUR")
    month = answer["answers"][0]["month"]

    assert month["total_usd"] == "13538.58"
    assert Decimal(month["total"]) == pytest.approx(Decimal("13538.58") * Decimal(answer["rate"]), abs=Decimal("0.01"))


def test_the_csv_has_the_bill_in_columns(client, six_nodes):
    file = b"".join(client.get(URL, {**ASK, "zones": 3, "format": "csv"}).streaming_content).decode()
    header, row = file.splitlines()[:2]

    assert "month_items,month_total_usd" in header
    assert "traffic between zones: 10512" in row
    assert ",13538.58," in row


def test_the_grid_is_of_nodes_and_disks(client, six_nodes):
    answer = client.get(URL, {"zones": 3, "target_ops_s": 100_000}).json()

    [cell] = [cell for cell in answer["grid"] if cell["work"] is None]
    assert (cell["answer"]["usd_per_month"], cell["answer"]["month"]) == ("3004.68", None)


@pytest.mark.parametrize("zones", ["0", "11", "three"])
def test_a_number_of_zones_is_from_one_to_ten(client, zones):
    response = client.get(URL, {**ASK, "zones": zones})

    assert response.status_code == 400
    assert response.json()["errors"][0]["pointer"] == "#/zones"


def test_the_page_shows_the_bill_and_leads_to_three_zones(client, six_nodes):
    page = client.get("/recommend/", ASK)

    shown = text(page)
    assert "This result does not state its zones: the bill is that of one zone." in shown
    assert "In three zones: + $10,512/month" in shown
    assert "zones=3" in page.content.decode()
    spread = text(client.get("/recommend/", {**ASK, "zones": 3}))
    assert "$13,539/month" in spread
    assert "Nodes and disks: $3,005/month" in spread
    assert "Not included: traffic between clients" in spread
