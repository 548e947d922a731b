"""Machines on the value page: chosen by facets, counted, and kept in the address."""

from datetime import date
from decimal import Decimal

import pytest

from submissions.questions.value.machines import Chosen, Machine, facet_counts
from tests.factories import PriceFactory, SubmissionFactory, WorkloadFactory
from tests.pages import faults, links, text

pytestmark = pytest.mark.django_db

URL = "/value/"
API = "/api/v1/value/"
REGIONS = {"aws": "us-east-1", "gce": "us-central1", "alicloud": "cn-beijing"}
# provider, machine type, family, architecture, CPU model, vCPUs, rate, USD an hour (None: its cloud has no prices)
MACHINES = [
    ("aws", "m7g.large", "m7g", "arm64", "Neoverse-V1", 2, 900.0, "0.08"),
    ("aws", "m7g.xlarge", "m7g", "arm64", "Neoverse-V1", 4, 1700.0, "0.16"),
    ("aws", "m5.xlarge", "m5", "x86_64", "Xeon 8259CL", 4, 1200.0, "0.2"),
    ("gce", "t2a-standard-4", "t2a-standard", "arm64", "Neoverse-N1", 4, 1500.0, "0.15"),
    ("gce", "strange", None, None, None, None, 800.0, "0.1"),
    ("alicloud", "ecs.g8y.large", "ecs.g8y", "arm64", "Neoverse-N2", 2, 1000.0, None),
]


@pytest.fixture
def workload():
    made = WorkloadFactory(title="SET, pipeline 16", fingerprint="ab" * 8)
    for provider, name, family, architecture, cpu, vcpus, rate, usd in MACHINES:
        SubmissionFactory(
            workload=made, provider=provider, region=REGIONS[provider], instance_type=name, machine_family=family,
            architecture=architecture, cpu_model=cpu, vcpus=vcpus, throughput_ops_s=rate, node_count=1,
            hourly_usd=usd and Decimal(usd), node_groups__disks=[], client_placement="on_database",
            latency_p99_ms=None, latency_mean_ms=0.95,
        )  # fmt: skip
        if usd:
            PriceFactory(
                provider=provider, region=REGIONS[provider], sku=name, usd=Decimal(usd), valid_from=date(2015, 1, 1)
            )
    return made


def types(client, query, prices=""):
    """The machine types of the page's and of the API's answer, best value first."""
    address = f"?workload={'ab' * 8}&by=instance_type{prices}&{query}"
    page = [value.group.best.instance_type for value in client.get(URL + address).context["ranked"]]
    assert page == [group["instance_type"] for group in client.get(API + address).json()["groups"]]
    return page


@pytest.mark.parametrize("prices", ["", "&prices=then", "&prices=then&basis=as_measured", "&basis=as_measured"])
@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("", ["m7g.large", "m7g.xlarge", "t2a-standard-4", "strange", "m5.xlarge"]),
        ("provider=aws", ["m7g.large", "m7g.xlarge", "m5.xlarge"]),
        ("provider=aws&provider=gce&architecture=arm64", ["m7g.large", "m7g.xlarge", "t2a-standard-4"]),
        ("machine_family=m7g&machine_family=m5", ["m7g.large", "m7g.xlarge", "m5.xlarge"]),
        ("machine_family=unknown", ["strange"]),
        ("architecture=unknown&architecture=x86_64", ["strange", "m5.xlarge"]),
        ("cpu_model=Neoverse-V1&max_vcpus=2", ["m7g.large"]),
        ("min_vcpus=4&max_vcpus=4", ["m7g.xlarge", "t2a-standard-4", "m5.xlarge"]),
        ("provider=azure", []),
    ],
)
def test_only_the_chosen_machines_are_ranked(client, workload, query, expected, prices):
    assert types(client, query, prices) == expected


def test_a_limit_of_the_p99_applies_to_the_chosen_machines_alone(client, workload):
    body = client.get(API, {"workload": workload.fingerprint, "max_p99_ms": "5", "provider": "aws"}).json()

    assert (body["groups"], body["p99_unknown"]) == ([], 3)
    assert "Of 3 results the p99 is unknown." in body["finding"]


def test_each_choice_is_a_chip_that_leads_to_the_page_without_it(client, workload):
    page = client.get(URL, {"workload": workload.fingerprint, "provider": ["aws", "gce"], "min_vcpus": "4"})

    assert {
        f"{URL}?workload={workload.fingerprint}&provider=gce&min_vcpus=4",
        f"{URL}?workload={workload.fingerprint}&provider=aws&min_vcpus=4",
        f"{URL}?workload={workload.fingerprint}&provider=aws&provider=gce",
    } <= set(links(page))
    assert 'name="provider" value="aws" checked' in page.content.decode()
    assert faults(page) == []


def test_nothing_is_a_wrong_choice_but_what_can_be_no_value(client, workload):
    assert client.get(URL, {"architecture": "sparc"}).status_code == 400
    assert client.get(API, {"min_vcpus": "0"}).status_code == 400


def test_a_facet_counts_what_the_other_choices_leave():
    arm, x86 = Machine("aws", "m7g", "arm64", None, 4), Machine("aws", "m5", "x86_64", None, 4)
    other = Machine("gce", None, "arm64", None, None)

    counts = facet_counts({arm: 3, x86: 2, other: 5}, Chosen(architecture=("arm64",), max_vcpus=8))

    assert counts["architecture"] == {"arm64": 3, "x86_64": 2}
    assert counts["provider"] == {"aws": 3}
    assert counts["machine_family"] == {"m7g": 3}
    assert counts["cpu_model"] == {None: 3}


def test_clouds_without_a_price_list_are_counted_and_never_ranked(client, workload):
    page = client.get(URL, {"workload": workload.fingerprint})
    body = client.get(API, {"workload": workload.fingerprint}).json()

    assert "1 result of clouds without a price list is not ranked: 1 of Alibaba Cloud." in text(page)
    assert f"/submissions/?workload={workload.fingerprint}&is_priced=false" in links(page)
    assert body["without_price_list"] == [{"provider": "alicloud", "submissions": 1}]
    assert (body["unpriced"], body["missing_prices"]) == (1, [])
    assert {group["provider"] for group in body["groups"]} == {"aws", "gce"}


def test_a_load_on_the_databases_machine_and_a_mean_instead_of_a_p99_are_said(client, workload):
    page = client.get(URL, {"workload": workload.fingerprint})
    of_chart = {chart.key: chart.shown_caveats for chart in page.context["charts"]}

    sentence = "Load clients ran on the database's machine, and took CPU time from it."
    assert sentence in text(page)
    assert sentence in of_chart["pareto"]
    assert sentence in of_chart["groups"]
    assert "mean 0.95" in text(page)


@pytest.mark.parametrize(
    ("by", "names"),
    [
        ("machine_family", ["AWS m7g", "Google Cloud t2a-standard", "Google Cloud not stated", "AWS m5"]),
        ("cpu_model", ["Neoverse-V1", "Neoverse-N1", "not stated", "Xeon 8259CL"]),
        ("architecture", ["AWS ARM", "Google Cloud ARM", "Google Cloud not stated", "AWS x86"]),
    ],
)
@pytest.mark.parametrize("prices", [{}, {"prices": "then"}])
def test_machines_of_a_family_a_cpu_model_and_an_architecture_are_groups(client, workload, by, names, prices):
    page = client.get(URL, {"workload": workload.fingerprint, "by": by, **prices})
    body = client.get(API, {"workload": workload.fingerprint, "by": by, **prices}).json()

    assert [value.group.name for value in page.context["ranked"]] == names
    first = {"machine_family": "m7g", "cpu_model": "Neoverse-V1", "architecture": "arm64"}
    assert body["groups"][0][by] == first[by]
    assert faults(page) == []


def test_an_unknown_family_of_one_cloud_is_not_that_of_another(client, workload):
    SubmissionFactory(
        workload=workload, machine_family=None, instance_type="odd", hourly_usd=Decimal(1), throughput_ops_s=1.0
    )
    body = client.get(API, {"workload": workload.fingerprint, "by": "machine_family", "prices": "then"}).json()

    unknown = [(group["provider"], group["n"]) for group in body["groups"] if group["machine_family"] is None]
    assert unknown == [("gce", 1), ("aws", 1)]
