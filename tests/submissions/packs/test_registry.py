"""Every pack of the project is registered, and has its data, its licence and its notice in its folder."""

from pathlib import Path

import pytest

import submissions
from submissions.formatting.names import pack_name
from submissions.packs.registry import PACKS

FOLDER = Path(submissions.__file__).parent / "data" / "packs"


def test_the_packs_are_those_whose_folders_there_are():
    assert sorted(PACKS) == sorted(path.name for path in FOLDER.iterdir())
    assert all(PACKS[name].name == name for name in PACKS)
    assert all(pack_name(name) != name for name in PACKS)  # each has a name for readers


@pytest.mark.parametrize("name", PACKS)
def test_a_pack_has_its_licence_and_its_notice(name):
    assert (FOLDER / name / "LICENSE").read_text().strip()
    assert (FOLDER / name / "NOTICE").read_text().strip()


@pytest.mark.parametrize("name", PACKS)
def test_each_result_has_a_key_of_its_own_that_fits_and_a_licence(name):
    entries = PACKS[name].entries()

    assert len({entry.key for entry in entries}) == len(entries)
    assert max(len(entry.key) for entry in entries) <= 200
    assert all(entry.license for entry in entries)
    assert max(len(entry.attribution) for entry in entries) <= 300
