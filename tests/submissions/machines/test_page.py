"""The pages of machine types: what a type is, what it costs where, and what was measured on it."""

from datetime import date
from decimal import Decimal

import pytest

from submissions.choices import Trust
from tests.factories import PriceFactory, WorkloadFactory
from tests.machines import measured
from tests.pages import HOSTILE, faults, links, text

pytestmark = pytest.mark.django_db


def rows_of(response):
    return [row.machine.name for row in response.context["result"].shown]


def test_the_list_has_types_with_results_first_and_the_price_of_each(client, types):
    measured()
    response = client.get("/machines/")

    assert rows_of(response) == ["i4i.2xlarge", "c7g.large", "z3-highmem-8-highlssd"]
    assert "1 local disk (nvme, 1,746 GiB)" in text(response)
    assert "0.686" in text(response)
    assert "/machines/aws/i4i.2xlarge/" in links(response)
    assert faults(response) == []


@pytest.mark.parametrize(
    ("query", "names"),
    [
        ({"provider": "gcp"}, ["z3-highmem-8-highlssd"]),
        ({"q": "I4I"}, ["i4i.2xlarge"]),
        ({"architecture": "arm64"}, ["c7g.large"]),
        ({"min_vcpus": 4}, ["i4i.2xlarge", "z3-highmem-8-highlssd"]),
        ({"min_memory_gib": "5"}, ["i4i.2xlarge", "z3-highmem-8-highlssd"]),
        ({"local_disks": "yes"}, ["i4i.2xlarge"]),
        ({"measured": "yes"}, []),
        ({"region": "eu-west-1"}, ["c7g.large", "i4i.2xlarge"]),
        ({"ordering": "hourly_usd"}, ["i4i.2xlarge", "z3-highmem-8-highlssd", "c7g.large"]),
        ({"ordering": "-hourly_usd"}, ["z3-highmem-8-highlssd", "i4i.2xlarge", "c7g.large"]),
        ({"ordering": "vcpus"}, ["c7g.large", "i4i.2xlarge", "z3-highmem-8-highlssd"]),
    ],
    ids=str,
)
def test_the_list_is_filtered_and_ordered_with_unknown_values_last(client, types, query, names):
    response = client.get("/machines/", query)

    assert rows_of(response) == names
    assert faults(response) == []


def test_a_region_gives_its_own_prices(client, types):
    [row] = client.get("/api/v1/machines/", {"region": "eu-west-1", "q": "i4i"}).json()["machines"]

    assert (row["region"], row["hourly_usd"], row["monthly_usd"]) == ("eu-west-1", "0.76", "554.8")


def test_a_bad_parameter_is_named(client, types):
    response = client.get("/machines/", {"min_vcpus": "many", "ordering": "size"})

    assert response.status_code == 400
    assert {"min_vcpus", "ordering"} <= set(response.context["problems"])


def test_a_type_has_its_facts_its_prices_by_region_and_their_history(client, types):
    PriceFactory(region="us-east-1", sku="i4i.2xlarge", usd=Decimal("0.75"), valid_from=date(2022, 4, 1))
    response = client.get("/machines/aws/i4i.2xlarge/")

    words = text(response)
    assert "i4i.2xlarge on AWS has 8 vCPUs, 64 GiB of memory and 1 local disk (nvme, 1,746 GiB)." in words
    assert "It costs $0.69/h, $501/month on demand in us-east-1. Nothing was measured on it yet." in words
    assert [prices.region for prices in response.context["prices"].regions] == ["us-east-1", "eu-west-1"]
    past = [
        (past.model.value, str(past.point.day), f"{past.point.usd:.3f}") for past in response.context["prices"].past
    ]
    assert past == [
        ("reserved_1y", "2025-05-28", "0.500"),
        ("on_demand", "2023-12-11", "0.686"),
        ("on_demand", "2022-04-01", "0.750"),
    ]
    assert "in us-east-1, on demand: $0.75/h on 2022-04-01, $0.69/h since 2023-12-11; 1 change known." in words
    assert faults(response) == []


def test_a_region_of_the_address_has_its_history_drawn(client, types):
    response = client.get("/machines/aws/i4i.2xlarge/", {"region": "eu-west-1"})

    assert "i4i.2xlarge in eu-west-1, on demand: $0.76/h since 2025-05-28" in text(response)


def test_what_was_measured_on_a_type_is_on_its_page_and_nothing_private_is(client, types):
    shown = measured(title="shown")
    measured(title="secret", visibility="private", published_at=None)
    measured("i3.xlarge", title="another type")
    response = client.get("/machines/aws/i4i.2xlarge/")

    assert f"/submissions/{shown.pk}/" in links(response)
    assert "secret" not in text(response)
    assert response.context["machine"].results == 1
    assert "1 result was measured on it." in text(response)
    assert faults(response) == []


def test_the_best_value_of_each_database_has_its_place_among_the_machine_types_of_the_workload(client, types):
    workload = WorkloadFactory(title="ycsb a")
    kind = {"workload": workload, "node_groups__disks": []}
    slow = measured(**kind, throughput_ops_s=50_000.0, node_groups__instance_type="i4i.2xlarge")
    fast = measured(
        "z3-highmem-8-highlssd",
        "gce",
        **kind,
        throughput_ops_s=200_000.0,
        node_groups__instance_type="z3-highmem-8-highlssd",
    )
    measured(service="redis", trust=Trust.UPLOADED, node_groups__instance_type="i4i.2xlarge")

    [value] = client.get("/machines/aws/i4i.2xlarge/").context["result"].values

    assert (value.service, value.best.pk, value.types) == ("cassandra", slow.pk, 2)
    assert value.rank == "2"
    [other] = client.get("/api/v1/machines/gce/z3-highmem-8-highlssd/").json()["best_value"]
    assert (other["submission"], other["rank"], other["machine_types"]) == (fast.pk, "1", 2)


def test_a_type_that_no_price_list_has_is_known_by_its_results(client, types):
    measured("cx22", "hetzner", vcpus=2, memory_gib=4.0, cpu_model="Intel Xeon Skylake")
    response = client.get("/machines/hetzner/cx22/")

    assert response.status_code == 200
    assert "has 2 vCPUs and 4 GiB of memory. No price of it is known today." in text(response)
    assert "results, as most of them state it" in text(response)


def test_machines_of_someones_own_are_no_types(client, types):
    measured("laptop", "on-premises")

    assert client.get("/machines/on-premises/laptop/").status_code == 404
    assert "laptop" not in rows_of(client.get("/machines/"))


@pytest.mark.parametrize("name", ["i4i.2xlarg", "i4i.2xlargee", "I4I.2xlarge", "i4i"])
def test_an_unknown_type_is_a_404_that_offers_the_nearest_names(client, types, name):
    response = client.get(f"/machines/aws/{name}/")

    assert response.status_code == 404
    assert "/machines/aws/i4i.2xlarge/" in links(response)
    assert faults(response) == []
    problem = client.get(f"/api/v1/machines/aws/{name}/")
    assert problem.status_code == 404
    assert "aws:i4i.2xlarge" in problem.content.decode()


def test_words_of_an_address_stay_text(client, types):
    response = client.get("/machines/compare/", {"a": HOSTILE, "b": "aws:i4i.2xlarge"})

    assert response.status_code == 404
    assert faults(response) == []


def test_every_page_says_the_same_as_csv_and_json(client, types):
    rows = client.get("/machines/?format=csv", follow=True).getvalue().decode().splitlines()
    assert len(rows) == 4
    assert rows[0].startswith("provider,instance_type,machine_family,vcpus,memory_gib,architecture,deployment")
    prices = client.get("/machines/aws/i4i.2xlarge/?format=csv", follow=True).getvalue().decode().splitlines()
    assert prices[1] == ("us-east-1,on_demand,0.686,500.78,2023-12-11,2023-12-11,AWS price list of 2015-06-01")


def test_the_price_list_and_a_result_lead_to_the_type(client, types):
    row = measured(node_groups__instance_type="i4i.2xlarge")

    assert "/machines/aws/i4i.2xlarge/" in links(client.get("/prices/"))
    assert "/machines/aws/i4i.2xlarge/" in links(client.get(f"/submissions/{row.pk}/"))
