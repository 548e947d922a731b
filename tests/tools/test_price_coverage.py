"""The table of docs/prices.md is that of the shipped prices."""

from tools.price_coverage import PAGE, renewed


def test_the_table_of_the_documentation_is_that_of_the_shipped_prices():
    assert renewed(PAGE.read_text()) == PAGE.read_text(), "run python -m tools.price_coverage"
