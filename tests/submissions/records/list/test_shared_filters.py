"""The filter of a list serves all who ask for the same, as long as its conditions are the same."""

import pytest
from django.http import QueryDict

from submissions.records.list.page import LONGEST_SHARED, filter_of
from tests.factories import PriceFactory, SubmissionFactory, WorkloadFactory

pytestmark = pytest.mark.django_db


def of(query):
    return filter_of(QueryDict(query))


def test_the_order_and_the_place_in_a_list_are_no_part_of_its_filter():
    assert of("provider=aws&ordering=-node_count&cursor=x&utm_source=mail") is of("provider=aws")
    assert of("provider=aws") is not of("provider=gce")


def test_other_prices_are_another_filter_for_types_that_are_sold_no_more_are_among_its_conditions():
    before = of("age=type_retired")
    PriceFactory()

    assert of("age=type_retired") is not before


def test_that_of_a_workload_is_of_one_request():
    fingerprint = SubmissionFactory(workload=WorkloadFactory()).workload.fingerprint

    assert of(f"workload={fingerprint}") is not of(f"workload={fingerprint}")


def test_a_long_one_is_not_kept():
    query = "q=" + "x" * 600

    assert of(query) is not of(query)
    assert len(query) > LONGEST_SHARED


def test_what_is_wrong_is_said_to_each(client):
    for _ in range(2):
        assert client.get("/submissions/?trust=divine").status_code == 400


def test_a_filter_that_served_before_finds_what_has_come_since():
    assert of("provider=gce").qs.count() == 0
    row = SubmissionFactory(provider="gce")

    assert [found.pk for found in of("provider=gce").qs] == [row.pk]
