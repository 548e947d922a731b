"""The page of a result at what its reader pays: its own figures, beside the list prices that are stored."""

from decimal import Decimal

import pytest

from submissions.choices import PricingModel
from tests.factories import SubmissionFactory
from tests.pages import text

pytestmark = pytest.mark.django_db


@pytest.fixture
def row():
    """3x m3.2xlarge at 0.532 USD/h each."""
    return SubmissionFactory(
        throughput_ops_s=90748.0, hourly_usd=Decimal("1.596"), node_groups__node_hourly_usd=Decimal("0.532")
    )


def test_its_figures_are_at_the_readers_prices_and_the_list_prices_stand_beside_them(client, row):
    response = client.get(row.get_absolute_url(), {"discount": "aws:25", "currency": "EUR"})
    shown = text(response)

    assert response["Cache-Control"] == "private, no-store"
    assert "€1.07 /h" in shown  # 1.596 x 0.75 / 1.1172
    assert "€1.43 at list prices" in shown
    assert "less 25 % on AWS; EUR at the ECB's reference rate of 2026-10-30" in shown.replace("’", "'")
    assert "M ops/$" not in shown


def test_without_them_it_is_as_before(client, row):
    shown = text(client.get(row.get_absolute_url()))

    assert "$1.60 /h" in shown
    assert "at list prices" not in shown


def test_a_wrong_discount_is_shown_at_its_field(client, row):
    response = client.get(row.get_absolute_url(), {"discount": "aws:100"})

    assert response.status_code == 400
    assert "less than 100" in text(response)


def test_its_linked_data_and_its_citation_keep_the_list_prices(client, row):
    described = client.get(row.get_absolute_url(), {"discount": "aws:50"}).context["linked_data"]

    assert any(str(each.get("value")).startswith("1.596") for each in described["variableMeasured"])


def test_the_stored_price_is_not_changed(client, row):
    client.get(row.get_absolute_url(), {"discount": "aws:50", "currency": "EUR"})

    row.refresh_from_db()
    assert row.hourly_usd == Decimal("1.596")


def test_a_disk_of_a_spot_machine_has_the_discount_where_it_is_bought_at_list_prices(client):
    spot = SubmissionFactory(
        hourly_usd=Decimal("0.9"),
        node_groups__pricing_model=PricingModel.SPOT,
        node_groups__node_hourly_usd=Decimal("0.2"),
        node_groups__storage_hourly_usd=Decimal("0.1"),
        node_groups__disks=[{"kind": "gp2", "count": 1, "size_gib": 100}],
    )

    answer = client.get(f"/api/v1/submissions/{spot.pk}/", {"discount": "aws:50"}).json()

    assert answer["your_price"]["hourly_usd"] == "0.75"  # 3 x (0.2 + 0.05)


def test_the_api_keeps_the_stored_figures_and_adds_the_readers(client, row):
    answer = client.get(f"/api/v1/submissions/{row.pk}/", {"discount": "aws:25", "currency": "EUR"}).json()

    assert answer["hourly_usd"] == "1.596"
    own = answer["your_price"]
    assert own["hourly_usd"] == "1.197"
    assert own["per_month"] == str(round(Decimal("1.197") * 730 / Decimal("1.1172"), 2))
    assert (own["currency"], own["rate_date"]) == ("EUR", "2026-10-30")


def test_the_list_of_the_api_has_them_for_each_row(client, row):
    answer = client.get("/api/v1/submissions/", {"discount": "aws:25"})

    assert answer["Cache-Control"] == "private, no-store"
    [each] = answer.json()["results"]
    assert (each["hourly_usd"], each["your_price"]["hourly_usd"]) == ("1.596", "1.197")
    assert "your_price" not in client.get("/api/v1/submissions/").json()["results"][0]


def test_the_csv_of_the_list_has_the_stored_figures(client, row):
    plain, own = (
        b"".join(client.get("/api/v1/submissions/", {"format": "csv", **more}).streaming_content)
        for more in ({}, {"discount": "aws:25"})
    )

    assert plain == own
