"""The version of the site."""

import re
from pathlib import Path

import benchsite

CHANGES = (Path(__file__).resolve().parents[2] / "CHANGELOG.md").read_text(encoding="utf-8")


def test_the_newest_heading_of_the_changelog_is_the_version():
    assert re.findall(r"^## (\d+\.\d+\.\d+)", CHANGES, re.MULTILINE)[0] == benchsite.__version__
