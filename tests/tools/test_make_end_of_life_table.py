"""The table of supported versions, continued from files of endoflife.date."""

import json
import shutil
from datetime import date

import pytest

from submissions.age.end_of_life import FILE, read
from tools.make_end_of_life_table import main

AS_OF = "2026-11-23"


@pytest.fixture
def table(tmp_path):
    return shutil.copy(FILE, tmp_path / "table.csv")


def file_of(tmp_path, name, rows):
    path = tmp_path / f"{name}.json"
    path.write_text(json.dumps(rows))
    return path


def test_a_product_gets_new_lines_and_keeps_the_cycles_that_its_file_lacks(tmp_path, table):
    rows = [{"cycle": "18", "eol": "2030-11-14"}, {"cycle": "17", "eol": "2029-11-08"}]
    path = file_of(tmp_path, "postgresql", rows)
    before = read(table)

    main([f"service:postgresql={path}", f"--as-of={AS_OF}", f"--table={table}"])

    after = read(table)
    assert len(after) == len(before) + 1
    [newest] = [one for one in after if (one.product, one.cycle) == ("postgresql", "18")]
    assert (newest.eol, newest.as_of) == (date(2030, 11, 14), date(2026, 11, 23))
    assert newest.source == "https://endoflife.date/postgresql"
    assert [one for one in after if one.product != "postgresql"] == [o for o in before if o.product != "postgresql"]


def test_a_paid_extension_counts_and_what_has_no_day_has_none(tmp_path, table):
    rows = [
        {"cycle": "21", "eol": "2028-09-30", "extendedSupport": "2031-09-30"},
        {"cycle": "20", "eol": "2023-09-19", "extendedSupport": False},
        {"cycle": "25", "eol": False},
    ]
    path = file_of(tmp_path, "oracle-jdk", rows)

    main([f"jdk:oracle={path}", f"--as-of={AS_OF}", f"--table={table}"])

    known = {one.cycle: one.eol for one in read(table) if one.product == "oracle"}
    assert (known["21"], known["20"], known["25"]) == (date(2031, 9, 30), date(2023, 9, 19), None)


@pytest.mark.parametrize("named", ["postgresql={}", "service:postgresql=none.json", "tool:x={}"])
def test_a_bad_name_is_refused_and_nothing_is_written(tmp_path, table, named, capsys):
    path = file_of(tmp_path, "x", [{"cycle": "1", "eol": False}])
    before = read(table)

    with pytest.raises(SystemExit):
        main([named.format(path), f"--as-of={AS_OF}", f"--table={table}"])

    assert f"error: {named.format(path)}: " in capsys.readouterr().err
    assert read(table) == before
