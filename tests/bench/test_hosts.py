"""The bench of many hosts, with few."""

import re
import sys

from bench import hosts


def test_it_prints_a_line_for_every_step(monkeypatch, capsys):
    monkeypatch.setattr(sys, "argv", ["hosts", "--hosts", "2", "--runs", "3", "--no-silent"])

    hosts.main()

    lines = capsys.readouterr().out.splitlines()
    steps = [line.split(" | ")[0].removeprefix("| ") for line in lines if re.search(r"\| \d+\.\d \| \d+\.\d \|$", line)]
    assert steps == ["check", "prepare", "look 1", "look 2", "look 3", "a look at each of 3 such runs"]
