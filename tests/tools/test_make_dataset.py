"""Invented submissions on the command line."""

import pytest

from submissions.models import Submission
from tools.make_dataset import fill, main


def test_the_tool_makes_and_clears(db, capsys):
    fill(10, seed=5, clear=False)
    fill(4, seed=6, clear=True)

    printed = capsys.readouterr().out.splitlines()
    assert printed[0].startswith("made 10 synthetic submissions of seed 5 in ")
    assert printed[1] == "deleted 10 synthetic submissions"
    assert printed[2].endswith(" (0 were there before)")
    assert Submission.objects.count() == 4


@pytest.mark.parametrize("arguments", [[], ["--submissions=-1"], ["--submissions=-1", "--clear"]])
def test_the_tool_asks_how_many(arguments, capsys):
    with pytest.raises(SystemExit):
        main(arguments)

    assert "say how many" in capsys.readouterr().err
