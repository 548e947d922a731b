"""The shipped snapshot is continued by a new list, and stays what it was where the list says nothing."""

import shutil

from django.core.management import call_command

from submissions.pricing.sources import snapshot

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

    call_command("make_price_snapshot", str(table), "--folder", str(tmp_path), verbosity=0)

    before, after = rows(snapshot.FOLDER), rows(tmp_path)
    changed = {key for key in before | after if before.get(key) != after.get(key)}
    assert {(key[1], key[2]) for key in changed} == {("eu-west-1", "i4g.4xlarge"), ("mx-central-1", "x99.large")}
    assert {str(after[key].last_seen) for key in changed} == {"2026-10-20"}
    confirmed = next(after[key] for key in changed if key[1] == "eu-west-1")
    assert (str(confirmed.valid_from), str(confirmed.usd)) == ("2025-03-02", "1.36159")
