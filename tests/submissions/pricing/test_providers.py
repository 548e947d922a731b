"""What each provider bills."""

import pytest

from submissions.pricing.providers import billing_of


@pytest.mark.parametrize(
    ("provider", "region"),
    [("aws", "us-east-1"), ("gce", "us-central1"), ("azure", "eastus"), ("local", None), ("hetzner", None)],
)
def test_a_cloud_with_list_prices_has_the_region_whose_prices_are_meant_where_none_is_stated(provider, region):
    assert billing_of(provider).reference_region == region
