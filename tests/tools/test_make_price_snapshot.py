"""The shipped snapshot is continued by a new list, and stays what it was where the list says nothing."""

import json
import shutil
from zipfile import ZipFile

import pytest

from submissions.pricing.sources import snapshot
from tools.make_price_snapshot import main

LIST = """provider,region,sku,unit,pricing_model,usd,valid_from,source
aws,eu-west-1,i4g.4xlarge,hour,on_demand,1.36159,2026-10-20,a list
aws,mx-central-1,x99.large,hour,on_demand,0.1,2026-10-20,a list
"""


def rows(folder):
    return {(*price.series, price.valid_from): price for price in snapshot.read_prices(folder)}


def test_a_list_of_one_region_leaves_every_other_row_as_it_was(tmp_path):
    shutil.copytree(snapshot.FOLDER, tmp_path, dirs_exist_ok=True)
    table = tmp_path / "list.csv"
    table.write_text(LIST)

    main([str(table), "--folder", str(tmp_path)])

    before, after = rows(snapshot.FOLDER), rows(tmp_path)
    changed = {key for key in before | after if before.get(key) != after.get(key)}
    assert {(key[1], key[2]) for key in changed} == {("eu-west-1", "i4g.4xlarge"), ("mx-central-1", "x99.large")}
    assert {str(after[key].last_seen) for key in changed} == {"2026-10-20"}
    confirmed = next(after[key] for key in changed if key[1] == "eu-west-1")
    assert (str(confirmed.valid_from), str(confirmed.usd)) == ("2025-03-02", "1.36159")


def make_wheel(folder, updated=1598745600):  # 2020-08-30
    wheel = folder / "apache_libcloud-3.2.0-py2.py3-none-any.whl"
    pricing = {"updated": updated, "compute": {"ec2_linux": {"m5.large": {"us-east-1": 0.096}}}}
    types = 'INSTANCE_TYPES = {"m5.large": {"extra": {"vcpu": "2", "memory": "8 GiB", "storage": "EBS only"}}}'
    with ZipFile(wheel, "w") as members:
        members.writestr("libcloud/data/pricing.json", json.dumps(pricing))
        members.writestr("libcloud/compute/constants/ec2_instance_types.py", types)
    return wheel


def test_the_same_wheels_make_the_same_files(tmp_path, capsys):
    wheel = make_wheel(tmp_path)

    made = []
    for name in ("one", "two"):
        main([str(wheel), "--folder", str(tmp_path / name)])
        made.append([(tmp_path / name / file).read_bytes() for file in (snapshot.PRICES, snapshot.HARDWARE)])

    assert made[0] == made[1]
    assert capsys.readouterr().out.startswith("1 prices, 153 instance types")


def test_a_file_that_is_not_a_wheel_is_refused(tmp_path, capsys):
    other = tmp_path / "apache_libcloud-3.2.0.whl"
    with ZipFile(other, "w") as members:
        members.writestr("readme", "")

    with pytest.raises(SystemExit):
        main([str(other), "--folder", str(tmp_path)])

    assert "not a wheel of apache-libcloud with prices" in capsys.readouterr().err
