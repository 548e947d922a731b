"""Machine families: what groups machine types of several sizes."""

import pytest

from submissions.pricing.providers import billing_of


@pytest.mark.parametrize(
    ("provider", "instance_type", "family"),
    [
        ("aws", "m5.xlarge", "m5"),
        ("aws", "c7i-flex.4xlarge", "c7i-flex"),
        ("aws", "c8g.metal-48xl", "c8g"),
        ("aws", "u-6tb1.112xlarge", "u-6tb1"),
        ("gce", "n2-standard-8", "n2-standard"),
        ("gce", "c4-standard-288-lssd-metal", "c4-standard"),
        ("gce", "z3-highmem-32-highlssd", "z3-highmem"),
        ("gce", "e2-medium", "e2"),
        ("gce", "f1-micro", "f1"),
        ("gce", "custom-4-8192", "n1-custom"),
        ("gce", "n2-custom-4-8192", "n2-custom"),
        ("azure", "Standard_D8s_v5", "Dsv5"),
        ("azure", "Standard_D16plds_v6", "Dpldsv6"),
        ("azure", "Standard_E64-16s_v3", "Esv3"),
        ("azure", "Standard_E104ids_v5", "Edsv5"),
        ("azure", "Standard_D5_v2", "Dv2"),
        ("azure", "Standard_NC24ads_A100_v4", "NCads_A100_v4"),
        ("azure", "Standard_DC16as_cc_v5", "DCas_cc_v5"),
        ("azure", "Standard_M416s_10_v2", "Msv2"),
        ("azure", "Basic_A1", "Basic_A"),
        ("alicloud", "ecs.c7a-nps1.4xlarge", "ecs.c7a-nps1"),
        ("alicloud", "ecs.e-c1m1.large", "ecs.e"),
        ("alicloud", "ecs.u0.c1m2.xlarge", "ecs.u0"),
        ("hcloud", "cpx41", "cpx"),
        ("ovh", "b3-128", "b3"),
        ("upcloud", "HICPU-64xCPU-128GB", "HICPU"),
        ("vultr", "voc-c-2c-4gb-50s-amd", "voc-c"),
    ],
)
def test_types_of_several_sizes_are_one_family(provider, instance_type, family):
    assert billing_of(provider).family_of(instance_type) == family


@pytest.mark.parametrize(
    ("provider", "instance_type"),
    [
        ("aws", "not stated"),
        ("gce", "8 vCPUs"),
        ("azure", "D8s v5"),
        ("upcloud", "2xCPU-4GB"),
        ("on-premises", "dell-r740"),
        ("never-heard-of", "m5.xlarge"),
    ],
)
def test_a_name_that_has_no_family_is_of_none(provider, instance_type):
    assert billing_of(provider).family_of(instance_type) is None


@pytest.mark.parametrize(
    ("provider", "instance_type", "deployment"),
    [
        ("aws", "i4i.2xlarge", "vm"),
        ("aws", "i3.metal", "bare_metal"),
        ("aws", "m7i.metal-24xl", "bare_metal"),
        ("gce", "c3-standard-192-metal", "bare_metal"),
        ("gce", "z3-highmem-192-highlssd-metal", "bare_metal"),
        ("gce", "z3-highmem-8-highlssd", "vm"),
        ("azure", "Standard_D8s_v5", "vm"),
        ("alicloud", "ecs.ebmg7.32xlarge", "bare_metal"),
        ("hcloud", "cpx41", "vm"),
        ("aws", "not stated", None),
        ("on-premises", "r720", None),
        ("local", "laptop", None),
        ("acme", "c5.large", None),
    ],
)
def test_the_name_of_a_type_says_whether_it_is_a_virtual_machine(provider, instance_type, deployment):
    assert billing_of(provider).deployment_of(instance_type) == deployment


@pytest.mark.parametrize("name", ["n2-vcpu", "n2-custom-memory-gib", "n1-standard-8-preemptible"])
def test_parts_of_machines_are_no_types(name):
    assert billing_of("gce").is_part(name)
    assert not billing_of("gce").is_part("n2-standard-8")
