"""The local disks of a machine type, by the shipped catalogue."""

from decimal import Decimal

import pytest

from submissions.pricing.machines.local_disks import local_disks_of


@pytest.mark.parametrize(
    ("provider", "instance_type", "count", "gib"),
    [
        ("aws", "m5.2xlarge", 0, 0),
        ("aws", "m5d.2xlarge", 1, "279.4"),
        ("aws", "i3en.24xlarge", 8, "55879.4"),
        ("gce", "c3-standard-8-lssd", 2, 750),
        ("gce", "c4a-highmem-72-lssd", 16, 6000),
        ("gce", "z3-highmem-8-highlssd", 1, 3000),
        ("azure", "Standard_D2s_v5", 0, 0),
        ("azure", "Standard_D2ds_v5", None, 75),  # how many disks is unknown
        ("gce", "c3-standard-8", 0, 0),
        ("gce", "n2-standard-8", 0, 0),  # what is attached to it is billed
    ],
)
def test_the_catalogue_knows_what_is_in_the_price(provider, instance_type, count, gib):
    disks = local_disks_of(provider, instance_type)

    assert (disks.count, disks.gib) == (count, Decimal(gib))


@pytest.mark.parametrize(("provider", "instance_type"), [("azure", "Standard_D99s_v9"), ("aws", "m99.large")])
def test_of_a_type_that_is_not_in_the_catalogue_nothing_is_known(provider, instance_type):
    assert local_disks_of(provider, instance_type) is None
