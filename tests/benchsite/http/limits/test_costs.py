"""What a request cost is remembered by the name of its address."""

import pytest

from benchsite.http.limits import costs
from benchsite.http.limits.costs import Cost, is_costly, last_cost, note

VALUE, HOME = {"PATH_INFO": "/value/"}, {"PATH_INFO": "/"}


@pytest.fixture(autouse=True)
def forgotten(monkeypatch):
    monkeypatch.setattr(costs, "last_costs", {})


def test_a_page_is_costly_by_the_cpu_that_it_took():
    note("submissions:value", Cost(seconds=0.4, cpu_seconds=0.3))
    note("submissions:home", Cost(seconds=9.0, cpu_seconds=0.05))  # it waited for others

    assert is_costly(VALUE)
    assert not is_costly(HOME)
    assert not is_costly({"PATH_INFO": "/no/such/page/"})


def test_a_cheap_answer_between_makes_it_cheaper_by_half():
    note("submissions:value", Cost(seconds=4.0, cpu_seconds=0.8))

    note("submissions:value", Cost(seconds=0.1, cpu_seconds=0.01))

    assert last_cost("submissions:value") == Cost(seconds=2.0, cpu_seconds=0.4)
    assert is_costly(VALUE)
    note("submissions:value", Cost(seconds=0.1, cpu_seconds=0.01))
    assert not is_costly(VALUE)


def test_a_cost_counts_for_a_request_each_quarter_of_a_second():
    assert [Cost(seconds=seconds).units for seconds in (0.0, 0.24, 0.25, 1.6)] == [0, 0, 1, 6]
