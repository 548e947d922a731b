"""GCE's machine types: sizes, and the rates that bill them."""

from decimal import Decimal

import pytest

from submissions.pricing.machines.gce_machine_types import predefined_names, size_of


@pytest.mark.parametrize(
    ("name", "vcpus", "memory_gib", "family"),
    [
        ("n1-standard-8", 8, "30", "n1"),
        ("n1-highcpu-16", 16, "14.4", "n1"),
        ("n1-highmem-2", 2, "13", "n1"),
        ("n2-standard-4", 4, "16", "n2"),
        ("n2-highmem-128", 128, "864", "n2"),  # not 8 GiB a vCPU
        ("n2d-highcpu-224", 224, "224", "n2d"),
        ("e2-standard-2", 2, "8", "e2"),
        ("c2-standard-60", 60, "240", "c2"),
        ("c2d-highcpu-8", 8, "16", "c2d"),
        ("c3-highmem-4", 4, "32", "c3"),
        ("t2d-standard-1", 1, "4", "t2d"),
        ("m1-ultramem-40", 40, "961", "m1"),
        ("m1-megamem-96", 96, "1433.6", "m1"),
    ],
)
def test_a_predefined_type_is_vcpus_and_memory_of_its_family(name, vcpus, memory_gib, family):
    size = size_of(name)

    assert (size.vcpus, size.memory_gib) == (vcpus, Decimal(memory_gib))
    assert size.rates == ((f"{family}-vcpu", vcpus), (f"{family}-memory-gib", Decimal(memory_gib)))


@pytest.mark.parametrize(
    ("name", "rates"),
    [
        ("n1-custom-8-30720", {"n1-custom-vcpu": 8, "n1-custom-memory-gib": 30}),
        ("custom-8-30720", {"n1-custom-vcpu": 8, "n1-custom-memory-gib": 30}),
        ("n2-custom-4-20480", {"n2-custom-vcpu": 4, "n2-custom-memory-gib": 20}),
        ("e2-custom-4-8192", {"e2-vcpu": 4, "e2-memory-gib": 8}),
        (
            "n2-custom-2-24576-ext",  # 16 GiB are plain: 8 for each vCPU
            {"n2-custom-vcpu": 2, "n2-custom-memory-gib": 16, "n2-custom-extended-memory-gib": 8},
        ),
        ("n1-custom-2-6144-ext", {"n1-custom-vcpu": 2, "n1-custom-memory-gib": 6}),
    ],
)
def test_a_custom_type_is_billed_by_the_rates_for_custom_machines(name, rates):
    assert dict(size_of(name).rates) == rates


@pytest.mark.parametrize(
    "name",
    ["e2-micro", "e2-small", "f1-micro", "g1-small", "m3.2xlarge", "n1-standard-0", "n9-standard-8", "n1-odd-8", ""],
)
def test_a_type_of_unknown_size_has_no_rates(name):
    assert size_of(name) is None


def test_every_listed_type_has_a_size():
    assert [name for name in predefined_names() if size_of(name) is None] == []
    assert "n1-standard-8" in predefined_names()
