"""The whole month, by hand."""

from datetime import date
from decimal import Decimal

import pytest

from submissions.pricing.month.kinds import Kind
from submissions.pricing.storage import DiskSpec
from tests.submissions.pricing.month.bills import bill, price, rows

AWS, GCE, AZURE = ("aws", "us-east-1"), ("gce", "us-central1"), ("azure", "eastus")
I4I = price(*AWS, "i4i.2xlarge", "0.686")
BETWEEN = {
    AWS: price(*AWS, "cross-zone", "0.01", "gb"),
    GCE: price(*GCE, "cross-zone", "0.01", "gb"),
}
GP3 = price(*AWS, "gp3", "0.08", "gib_month")
A_TERABYTE = DiskSpec("gp3", 1, Decimal(1000), None, None)


def cents(usd):
    return usd.quantize(Decimal("0.01"))


def test_six_nodes_cost_three_thousand_dollars_and_their_traffic_ten_thousand():
    month = bill(I4I, BETWEEN[AWS], written=rows("100000"))

    nodes, traffic, addresses = month.items
    assert (nodes.kind, nodes.quantity, nodes.unit, nodes.unit_usd) == ("nodes", 4380, "hour", Decimal("0.686"))
    assert nodes.usd == Decimal("3004.68")
    assert (traffic.kind, traffic.quantity, traffic.unit) == ("zone_traffic", 525_600, "gb")
    assert (traffic.unit_usd, traffic.usd) == (Decimal("0.02"), 10_512)  # the sender and the receiver pay
    assert (addresses.kind, addresses.quantity, addresses.usd) == ("public_addresses", 4380, Decimal("21.9"))
    assert month.total_usd == Decimal("13538.58")
    assert month.missing == ""


def test_two_copies_in_two_zones_send_half_of_that():
    month = bill(I4I, BETWEEN[AWS], zones=2, written=rows("100000", factor=2))

    assert month.usd_of(Kind.ZONE_TRAFFIC) == 5256


def test_google_cloud_bills_the_sender_alone():
    month = bill(price(*GCE, "n2-standard-8", "0.388"), BETWEEN[GCE], written=rows("100000"))

    assert month.usd_of(Kind.ZONE_TRAFFIC) == 5256


def test_azure_bills_no_one_and_says_where_that_is_written():
    month = bill(price(*AZURE, "Standard_L8s_v3", "0.624"), written=rows("100000"))

    [traffic] = [item for item in month.items if item.kind == Kind.ZONE_TRAFFIC]
    assert (traffic.quantity, traffic.unit_usd, traffic.usd) == (525_600, 0, 0)
    assert (traffic.price_date, traffic.source) == (
        date(2024, 5, 21),
        "learn.microsoft.com/azure/reliability/availability-zones-overview",
    )


# Totals made with a pocket calculator: nodes x USD x 730 + writes x RF x bytes x 2/3 x 2,628,000 s / 10^9 x USD/GB
# + disks + nodes x 0.005 x 730.
TEN_BILLS = [
    ("i4i.2xlarge", AWS, "0.686", 6, rows("100000"), 0, "13538.58"),
    ("i3.xlarge", AWS, "0.312", 3, rows("20000", row_bytes="100"), 0, "904.47"),
    ("i4i.4xlarge", AWS, "1.373", 9, rows("250000", row_bytes="500"), 0, "22193.46"),
    ("m5.2xlarge", AWS, "0.384", 6, rows("50000"), 1, "7439.82"),
    ("hi1.4xlarge", AWS, "3.10", 15, rows("50000"), 0, "39255.75"),
    (
        *("m5.xlarge", AWS, "0.192", 6),
        *(rows("10000", read="40000", service="riak", consistency_level="QUORUM"), 0, "3315.66"),
    ),
    ("z3-highmem-8-highlssd", GCE, "1.1519", 3, rows("100000"), 0, "7789.61"),
    ("c4-standard-8-lssd", GCE, "0.4775", 12, rows("120000", row_bytes="170"), 0, "5298.92"),
    ("c3-standard-8-lssd", GCE, "0.4854", 6, rows("30000", row_bytes="4096", factor=2), 0, "6453.67"),
    ("Standard_L8s_v2", AZURE, "0.504", 3, rows("100000"), 0, "1114.71"),
]


@pytest.mark.parametrize(
    ("machine", "where", "usd", "nodes", "written", "disks", "total"), TEN_BILLS, ids=[row[0] for row in TEN_BILLS]
)
def test_ten_clusters_in_three_zones_cost_what_they_do_by_hand(machine, where, usd, nodes, written, disks, total):
    between = [BETWEEN[where]] if where in BETWEEN else []

    month = bill(price(*where, machine, usd), *between, GP3, nodes=nodes, written=written, disks=(A_TERABYTE,) * disks)

    assert cents(month.total_usd) == Decimal(total)
    assert abs(month.total_usd / Decimal(total) - 1) < Decimal("0.01")


def test_disks_are_lines_of_their_own_by_the_month():
    month = bill(price(*AWS, "m5.2xlarge", "0.384"), GP3, zones=1, disks=(A_TERABYTE,))

    [disks] = [item for item in month.items if item.kind == Kind.DISKS]
    assert (disks.quantity, disks.unit, disks.unit_usd, disks.usd) == (6000, "gib_month", Decimal("0.08"), 480)


def test_a_part_of_unknown_price_makes_the_month_unknown_and_is_named():
    month = bill(I4I, written=rows("100000"))

    [traffic] = [item for item in month.items if item.kind == Kind.ZONE_TRAFFIC]
    assert (traffic.quantity, traffic.unit_usd, traffic.usd) == (525_600, None, None)
    assert month.total_usd is None
    assert month.missing == "The price of traffic between zones in AWS us-east-1 on 2026-11-27 is unknown."


def test_unknown_bytes_of_a_row_make_it_unknown_but_not_in_one_zone():
    load = rows("100000", row_bytes=None)

    assert bill(I4I, BETWEEN[AWS], written=load).missing == "The bytes of a row are not stated."
    in_one = bill(I4I, written=load, zones=1)
    assert (in_one.usd_of(Kind.ZONE_TRAFFIC), in_one.total_usd) == (0, Decimal("3026.58"))


def test_machines_of_unknown_price_make_the_month_unknown():
    month = bill(price(*AWS, "i4i.2xlarge", "0.686", valid_from=date(2026, 11, 28)), BETWEEN[AWS], zones=1)

    assert month.total_usd is None
    assert month.missing.startswith("No price of i4i.2xlarge (on demand) in AWS us-east-1 for 2026-11-27")


def test_a_backup_is_a_copy_and_a_week_of_writes_and_off_unless_it_is_asked_for():
    store = price(*AWS, "object-storage", "0.023", "gib_month")
    load = {"written": rows("1000", row_bytes="1024"), "data_bytes": Decimal(1000 * 2**30)}

    without = bill(I4I, BETWEEN[AWS], store, **load)
    with_backup = bill(I4I, BETWEEN[AWS], store, has_backup=True, **load)

    assert without.usd_of(Kind.BACKUP) == 0
    assert "backups" in without.not_included
    [backup] = [item for item in with_backup.items if item.kind == Kind.BACKUP]
    # 1,000 GiB, and 1,000 rows of 1 KiB in each of 604,800 seconds
    assert (backup.quantity, backup.unit) == (Decimal("1576.7822265625"), "gib_month")
    assert cents(backup.usd) == Decimal("36.27")
    assert "backups" not in with_backup.not_included


def test_a_backup_of_unknown_data_is_unknown():
    month = bill(I4I, BETWEEN[AWS], zones=1, has_backup=True)

    assert (month.total_usd, month.missing) == (None, "The amount of data is not known.")


def test_the_bill_says_what_it_leaves_out():
    month = bill(price("hcloud", "fsn1", "ccx33", "0.06"), zones=1)

    assert "load clients" in month.not_included
    assert "traffic between clients and the nodes that they ask" in month.not_included
    assert "public IPv4 addresses" in month.not_included  # no price of them is known


def test_a_price_that_was_last_seen_years_ago_says_so():
    old = price(*AWS, "cross-zone", "0.01", "gb", valid_from=date(2011, 11, 2))
    month = bill(I4I, old, written=rows("100000"))

    [traffic] = [item for item in month.items if item.kind == Kind.ZONE_TRAFFIC]
    assert (traffic.price_date, traffic.confirmed) == (date(2011, 11, 2), "last confirmed 15 years ago")
