"""What a disk is billed for."""

from decimal import Decimal

import pytest

from submissions.pricing.storage import DiskSpec, Need, Unknown, disk_needs


def disk(kind, size_gib=None, count=1, iops=None, throughput_mibps=None):
    size = None if size_gib is None else Decimal(size_gib)
    return DiskSpec(kind, count, size, iops, throughput_mibps)


ANY = "of-no-catalogue"  # what kinds of volumes are billed for does not depend on the machine


def needs(provider, spec, instance_type=ANY):
    return tuple(disk_needs(provider, instance_type, [spec]))


def billed(provider, spec, instance_type=ANY):
    return {need.sku: (need.unit.value, need.quantity) for need in needs(provider, spec, instance_type)}


@pytest.mark.parametrize("kind", ["local-ssd", "local-hdd", "nvme"])
def test_the_local_disks_of_aws_are_in_the_price_of_the_instance(kind):
    assert needs("aws", disk(kind, 80, count=2)) == ()


@pytest.mark.parametrize("kind", ["temporary-disk", "local-ssd", "local-hdd", "nvme"])
def test_the_temporary_and_local_disks_of_azure_are_in_the_price_of_the_instance(kind):
    assert needs("azure", disk(kind, 80, count=2)) == ()


@pytest.mark.parametrize("kind", ["local-ssd", "nvme"])
def test_the_local_disks_of_gce_are_billed_separately(kind):
    assert billed("gce", disk(kind, 375, count=2)) == {"local-ssd": ("gib_month", 750)}


@pytest.mark.parametrize(
    ("provider", "kind"),
    [("aws", "gp2"), ("aws", "st1"), ("aws", "standard"), ("gce", "pd-ssd"), ("gce", "pd-standard")],
)
def test_a_volume_is_billed_by_its_size(provider, kind):
    assert billed(provider, disk(kind, 100, count=4)) == {kind: ("gib_month", 400)}


def test_gp3_includes_3000_iops_and_125_mibps():
    assert billed("aws", disk("gp3", 500, iops=3000, throughput_mibps=125)) == {"gp3": ("gib_month", 500)}


def test_gp3_bills_what_each_disk_has_above_the_free_allowance():
    assert billed("aws", disk("gp3", 500, count=2, iops=16000, throughput_mibps=1000)) == {
        "gp3": ("gib_month", 1000),
        "gp3-iops": ("iops_month", 26_000),
        "gp3-throughput": ("mibps_month", 1750),
    }


def test_io2_bills_its_iops_in_three_tiers():
    assert billed("aws", disk("io2", 1000, iops=100_000)) == {
        "io2": ("gib_month", 1000),
        "io2-iops": ("iops_month", 32_000),
        "io2-iops-tier2": ("iops_month", 32_000),
        "io2-iops-tier3": ("iops_month", 36_000),
    }


def test_io1_bills_all_its_iops_alike():
    assert billed("aws", disk("io1", 100, iops=50_000)) == {
        "io1": ("gib_month", 100),
        "io1-iops": ("iops_month", 50_000),
    }


@pytest.mark.parametrize(
    ("provider", "spec", "reason"),
    [
        ("aws", disk("gp3"), "the size of the gp3 disks is not stated"),
        ("aws", disk("io1", 100), "the provisioned IOPS of the io1 disks are not stated"),
        ("aws", disk("ebs", 100), "how AWS bills ebs disks is unknown"),
        ("gce", disk("san", 100), "how Google Cloud bills san disks is unknown"),
        ("gce", disk("local-hdd", 100), "how Google Cloud bills local-hdd disks is unknown"),
        ("azure", disk("san", 100), "how Azure bills san disks is unknown"),
    ],
)
def test_what_cannot_be_priced_says_why(provider, spec, reason):
    assert needs(provider, spec) == (Unknown(f"1× {spec.kind}", reason),)


def test_a_need_has_all_that_its_line_shows():
    (need,) = needs("gce", disk("pd-ssd", 100, count=2))

    assert need == Need("2× pd-ssd capacity", "pd-ssd", "gib_month", Decimal(200))


@pytest.mark.parametrize(
    ("instance_type", "spec"),
    [
        ("c3-standard-8-lssd", disk("local-ssd", 375, count=2)),
        ("c4-standard-8-lssd", disk("nvme", 375)),
        ("z3-highmem-8-highlssd", disk("nvme", 3000)),
        ("z3-highmem-8-highlssd", disk("nvme", 3072)),  # 3 TiB, as the documentation rounds it
        ("c3-standard-8-lssd", disk("local-ssd")),  # the catalogue knows the size
    ],
)
def test_the_local_ssd_that_comes_with_a_gce_type_is_in_its_price(instance_type, spec):
    assert billed("gce", spec, instance_type) == {}


def test_local_ssd_beyond_what_comes_with_the_type_is_billed():
    assert billed("gce", disk("local-ssd", 375, count=4), "c3-standard-8-lssd") == {"local-ssd": ("gib_month", 750)}


def test_disks_that_are_stated_one_by_one_share_what_comes_with_the_type():
    specs = [disk("local-ssd", 375), disk("local-ssd", 375), disk("local-ssd", 375)]

    [need] = disk_needs("gce", "c3-standard-8-lssd", specs)

    assert (need.sku, need.quantity) == ("local-ssd", 375)


@pytest.mark.parametrize("instance_type", ["n2-standard-8", "n1-standard-8", "c3-standard-8", "n2-custom-8-16384"])
def test_local_ssd_on_a_type_that_comes_without_it_is_billed(instance_type):
    assert billed("gce", disk("local-ssd", 375), instance_type) == {"local-ssd": ("gib_month", 375)}


@pytest.mark.parametrize("kind", ["local-ssd", "nvme", "local-hdd"])
def test_a_local_disk_that_the_machine_does_not_have_is_never_free(kind):
    reason = "m5.2xlarge has no local disk"
    assert needs("aws", disk(kind, 1800, count=2), "m5.2xlarge") == (Unknown(f"2× {kind}", reason),)


def test_more_local_disk_than_the_machine_has_is_not_free_either():
    [unknown] = needs("aws", disk("nvme", 1800, count=2), "m5d.2xlarge")

    assert unknown.reason == "m5d.2xlarge has 279.4 GiB of local disks, not more"


def test_the_gigabytes_of_a_vendor_count_as_its_gibibytes():
    assert needs("aws", disk("nvme", 300), "m5d.2xlarge") == ()


@pytest.mark.parametrize(
    ("kind", "size_gib", "sku"),
    [
        ("premium-ssd", 128, "premium-ssd-p10"),
        ("premium-ssd", 129, "premium-ssd-p15"),
        ("premium-ssd", 4, "premium-ssd-p1"),
        ("standard-ssd", 1000, "standard-ssd-e30"),
        ("standard-hdd", 4, "standard-hdd-s4"),
    ],
)
def test_azure_bills_a_disk_as_the_smallest_class_that_holds_it(kind, size_gib, sku):
    assert billed("azure", disk(kind, size_gib, count=3)) == {sku: ("disk_month", 3)}


def test_no_class_holds_a_disk_that_azure_does_not_have():
    [unknown] = needs("azure", disk("premium-ssd", 40_000))

    assert unknown.reason == "no size class of premium-ssd holds 40000 GiB"
