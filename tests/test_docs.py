"""What the documents say of the tests is true."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
NAMED = re.findall(r"`(tests/[\w/]+\.py)::(\w+)`", (ROOT / "docs" / "reliability.md").read_text())


@pytest.mark.parametrize(("file", "name"), NAMED)
def test_each_fault_names_a_test_that_exists(file, name):
    assert re.search(rf"def {name}\(", (ROOT / file).read_text())


def test_the_table_is_not_empty():
    assert len(NAMED) > 20
