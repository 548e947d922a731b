"""The pack of published runs is made from folders of the repositories, the same for the same folders."""

import json

import pytest

from submissions.packs.public_runs.archives import INDEX, index
from tools.make_public_runs import SOURCES, main

RUN = "[OVERALL], Throughput(ops/sec), 1000\n"


@pytest.fixture
def repositories(tmp_path):
    """Of each source one configuration at two loads, and two trials of the first."""
    for source in SOURCES:
        folder = tmp_path / "in" / source.name
        for name in ("c-100-threads_1_abcdefgh", "c-100-threads_2_abcdefgh", "c-200-threads_1_abcdefgh"):
            (folder / name).mkdir(parents=True)
            (folder / name / "scenario.json").write_text(json.dumps({"threads": name[2:5], "metadata": name}))
            (folder / name / "0_run.txt").write_text(RUN)
        (folder / "LICENSE").write_text("Apache-2.0")
    return tmp_path / "in"


def test_configurations_at_several_loads_are_one_result_and_runs_its_trials(repositories, tmp_path, capsys):
    main([str(repositories), "--out", str(tmp_path / "out")])

    results = index(tmp_path / "out").results
    assert [result.source for result in results] == list(SOURCES)
    assert [trial.folder for trial in results[0].trials] == [
        "c-100-threads_1_abcdefgh",
        "c-100-threads_2_abcdefgh",
        "c-200-threads_1_abcdefgh",
    ]
    assert capsys.readouterr().out.startswith("3 results, ")


def test_the_same_folders_make_the_same_version(repositories, tmp_path):
    for name in ("one", "two"):
        main([str(repositories), "--out", str(tmp_path / name)])

    assert (tmp_path / "one" / INDEX).read_bytes() == (tmp_path / "two" / INDEX).read_bytes()


def test_a_folder_without_runs_is_refused_before_anything_is_written(repositories, tmp_path, capsys):
    with pytest.raises(SystemExit):
        main([str(tmp_path), "--out", str(tmp_path / "out")])

    assert "has no scenario.json" in capsys.readouterr().err
    assert not (tmp_path / "out").exists()
