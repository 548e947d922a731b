"""The lines of the files of Spare Cores."""

import gzip

import pytest

from submissions.packs.sparecores.lines import FOLDER, keys, lines


def test_postgresql_comes_first_and_of_each_file_the_clouds_with_prices():
    found = list(lines())
    order = [(line.task, line.provider in ("aws", "azure", "gcp")) for line in found]

    assert len(found) == len({line.key for line in found}) == 161 + 3592
    assert [each for place, each in enumerate(order) if each != order[place - 1]] == [
        ("pgbench", True),
        ("redis", True),
        ("redis", False),
    ]
    assert keys() == tuple((line.task, line.key) for line in found)
    assert all(line.content()["instance_type"] == line.instance_type for line in found[::300])


def test_a_line_without_a_machine_type_is_an_error(tmp_path):
    with gzip.open(tmp_path / "pgbench.ndjson.gz", "wt") as file:
        file.write('{"provider": null}\n')

    with pytest.raises(ValueError, match=r"a line of pgbench\.ndjson\.gz names no machine type"):
        list(lines(tmp_path))


def test_the_licence_and_a_notice_lie_beside_the_files():
    assert (FOLDER / "LICENSE").read_text().startswith("Attribution-ShareAlike 4.0 International")
    assert "Spare Cores (sparecores.com), CC BY-SA 4.0" in (FOLDER / "NOTICE").read_text()
