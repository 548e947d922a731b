"""What a reader pays, on the pages and in the answers of the questions: a discount, and a currency."""

from datetime import date
from decimal import Decimal

import pytest
from django.core.cache import caches
from django.test import Client
from django.utils import timezone

from submissions.choices import PricingModel
from submissions.models import ShortLink
from tests.benchsite.http.stored_pages import keys
from tests.factories import PriceFactory, SubmissionFactory, WorkloadFactory
from tests.pages import text
from tests.submissions.questions.recommend.results import cluster

pytestmark = pytest.mark.django_db

VALUE, VALUE_API = "/value/", "/api/v1/value/"
RECOMMEND, RECOMMEND_API = "/recommend/", "/api/v1/recommend/"
ASK = {"service": "cassandra", "work": "mixed", "target_ops_s": "100000", "max_p99_ms": "10"}
EUR = Decimal(1) / Decimal("1.1172")  # for one USD, on 2026-10-30


@pytest.fixture
def pair():
    """3x m3.2xlarge at 0.532 USD/h, and 3x n9-standard-8 at 0.304."""
    day = date(2015, 6, 1)
    PriceFactory(usd=Decimal("0.532"), valid_from=day)
    PriceFactory(provider="gce", region="us-central1", sku="n9-standard-8", usd=Decimal("0.304"), valid_from=day)
    aws = SubmissionFactory(throughput_ops_s=90748.0, hourly_usd=Decimal("1.596"))
    gce = SubmissionFactory(
        provider="gce",
        region="us-central1",
        instance_type="n9-standard-8",
        throughput_ops_s=111394.0,
        hourly_usd=Decimal("0.912"),
        node_groups__disks=[],
    )
    return aws, gce


def costs(answer):
    return {each["best_submission"]: each["hourly_usd"] for each in answer["groups"]}


@pytest.mark.parametrize(
    ("given", "why"),
    [
        ("aws", "aws:25,gce:10"),
        ("aws:much", "no number"),
        ("aws:100", "less than 100"),
        ("aws:-1", "at least 0"),
        ("aws:nan", "at least 0"),
        ("aws:10,aws:20", "two discounts"),
        ("amazon:10", "no cloud with list prices: known are aws"),
        ("on-premises:10", "no cloud with list prices"),
        ("aws:0.1234567", "decimal places"),
    ],
)
@pytest.mark.parametrize("url", [VALUE_API, RECOMMEND_API])
def test_a_wrong_discount_is_refused_at_its_field_with_the_reason(client, pair, url, given, why):
    response = client.get(url, {"discount": given})

    assert response.status_code == 400
    [error] = response.json()["errors"]
    assert error["pointer"] == "#/discount"
    assert why in error["detail"]


def test_a_page_shows_the_reason_beside_the_form_of_prices(client, pair):
    response = client.get(VALUE, {"discount": "aws:100"})

    assert response.status_code == 400
    assert "less than 100" in text(response)


def test_an_unknown_currency_is_refused_at_its_field(client, pair):
    response = client.get(VALUE_API, {"currency": "XYZ"})

    assert response.json()["errors"][0]["pointer"] == "#/currency"


def test_a_discount_is_off_the_list_prices_of_its_cloud_alone(client, pair):
    aws, gce = pair

    at_list = costs(client.get(VALUE_API).json())
    discounted = costs(client.get(VALUE_API, {"discount": "aws:25"}).json())

    assert Decimal(at_list[aws.pk]) == Decimal("1.596")
    assert Decimal(discounted[aws.pk]) == Decimal("1.596") * 3 / 4
    assert discounted[gce.pk] == at_list[gce.pk]


def test_prices_of_the_measurement_have_the_discount_too(client, pair):
    aws, _ = pair

    answer = client.get(VALUE_API, {"discount": "aws:50", "prices": "then", "basis": "as_measured"}).json()

    assert Decimal(costs(answer)[aws.pk]) == Decimal("0.798")


@pytest.mark.parametrize("prices", ["then", "today"])
def test_a_spot_price_has_no_discount(client, prices):
    today = timezone.now().date()
    PriceFactory(usd=Decimal("0.2"), pricing_model=PricingModel.SPOT, valid_from=date(2015, 9, 1), last_seen=today)
    spot = SubmissionFactory(
        hourly_usd=Decimal("0.6"),
        node_groups__pricing_model=PricingModel.SPOT,
        node_groups__node_hourly_usd=Decimal("0.2"),
    )

    answer = client.get(VALUE_API, {"discount": "aws:50", "prices": prices, "basis": "as_measured"}).json()

    assert Decimal(costs(answer)[spot.pk]) == Decimal("0.6")


def test_a_stated_price_has_no_discount(client):
    stated = SubmissionFactory(
        hourly_usd=Decimal("0.9"),
        is_price_stated=True,
        node_groups__is_price_stated=True,
        node_groups__node_hourly_usd=Decimal("0.3"),
    )

    answer = client.get(VALUE_API, {"discount": "aws:50", "prices": "then", "basis": "as_measured"}).json()

    assert Decimal(costs(answer)[stated.pk]) == Decimal("0.9")


def test_the_group_that_leads_is_that_at_the_readers_prices(client, pair):
    aws, gce = pair

    at_list = client.get(VALUE_API).json()["groups"]
    discounted = client.get(VALUE_API, {"discount": "aws:90"}).json()["groups"]

    assert [each["best_submission"] for each in at_list] == [gce.pk, aws.pk]
    assert [each["best_submission"] for each in discounted] == [aws.pk, gce.pk]


def test_an_answer_in_a_currency_has_amounts_beside_those_in_usd_and_the_day_of_the_rate(client, pair):
    aws, _ = pair

    answer = client.get(VALUE_API, {"currency": "EUR"}).json()

    assert (answer["currency"], answer["rate"], answer["rate_date"]) == ("EUR", "0.8950948801", "2026-10-30")
    [row] = [each for each in answer["groups"] if each["best_submission"] == aws.pk]
    assert Decimal(row["hourly_usd"]) == Decimal("1.596")
    assert Decimal(row["hourly"]) == round(Decimal("1.596") * EUR, 8)
    assert Decimal(row["best_ops_per_unit"]) == round(Decimal(row["best_ops_per_usd"]) / EUR, 4)
    assert (row["currency"], row["rate_date"]) == ("EUR", "2026-10-30")


def test_an_answer_without_the_parameters_has_none_of_their_fields(client, pair):
    answer = client.get(VALUE_API).json()

    assert not {"currency", "rate", "rate_date", "discount"} & {*answer, *answer["groups"][0]}


def test_a_csv_has_the_converted_amounts_and_the_day_too(client, pair):
    lines = b"".join(client.get(VALUE_API, {"currency": "EUR", "format": "csv"}).streaming_content).decode().split()

    header = lines[0].split(",")
    assert {"hourly", "best_ops_per_unit", "currency", "rate_date"} <= set(header)
    assert dict(zip(header, lines[1].split(","), strict=False))["hourly"] == str(round(Decimal("0.912") * EUR, 8))


def test_a_page_in_a_currency_shows_its_sign_its_unit_and_the_day_of_the_rate(client, pair):
    shown = text(client.get(VALUE, {"currency": "EUR"}))

    assert "€0.82" in shown  # 0.912 USD
    assert "M ops/€" in shown
    assert "EUR at the ECB's reference rate of 2026-10-30" in shown.replace("’", "'")
    assert "M ops/$" not in shown


def test_a_month_is_added_up_in_usd_converted_and_rounded_once(client):
    """3 nodes at 0.5001 USD/h are 1,095.219 USD a month, 980.3249 EUR; the rounded USD would be 980.33."""
    cluster(110_000.0, 112_000.0, usd="0.5001")

    answer = client.get(RECOMMEND_API, {**ASK, "currency": "EUR", "prices": "then"}).json()["answers"][0]

    month = Decimal("0.5001") * 3 * 730
    assert answer["usd_per_month"] == "1095.22"
    assert answer["per_month"] == str(round(month * EUR, 2))
    assert round(round(month, 2) * EUR, 2) != round(month * EUR, 2)


def test_a_recommendation_is_at_the_readers_prices_and_its_budget_stays_in_usd(client):
    """2,190 USD a month at list prices."""
    row = cluster(110_000.0, 112_000.0, usd="1.00")

    at_list = client.get(RECOMMEND_API, {**ASK, "budget_usd_month": "2000", "prices": "then"}).json()
    asked = {**ASK, "budget_usd_month": "2000", "prices": "then", "discount": "aws:25", "currency": "EUR"}
    answer = client.get(RECOMMEND_API, asked).json()
    page = text(client.get(RECOMMEND, asked))

    assert at_list["answers"] == []
    assert (answer["answers"][0]["submission"], answer["answers"][0]["usd_per_month"]) == (row.pk, "1642.50")
    assert answer["discount"] == "aws:25"
    assert answer["answers"][0]["per_month"] == "1470.19"
    assert "€1,470/month" in page
    assert "less 25 % on AWS" in page


def test_a_discounted_answer_is_private_and_nothing_of_it_is_stored(settings, pair):
    settings.PAGE_CACHE_SECONDS = 60
    for url in (VALUE, VALUE_API, RECOMMEND, RECOMMEND_API):
        before = set(keys("*"))
        response = Client().get(url, {"discount": "aws:25"})

        assert response["Cache-Control"] == "private, no-store", url
        assert "ETag" not in response, url
        assert set(keys("*")) == before, url


def test_the_next_reader_without_a_discount_sees_list_prices(settings, pair):
    settings.PAGE_CACHE_SECONDS = 60
    aws, _ = pair

    Client().get(VALUE_API, {"discount": "aws:25"})

    assert Decimal(costs(Client().get(VALUE_API).json())[aws.pk]) == Decimal("1.596")
    caches["default"].clear()


def test_an_answer_in_another_currency_is_kept_apart(settings, pair):
    settings.PAGE_CACHE_SECONDS = 60

    in_eur, in_usd = (text(Client().get(VALUE, query)) for query in ({"currency": "EUR"}, {}))

    assert "€0.82" in in_eur
    assert "€" not in in_usd


def test_a_short_link_drops_the_discount_and_says_so(client, pair):
    path = "/value/?by=instance_type&discount=aws%3A25&currency=EUR"

    response = client.post("/s/", {"path": path}, follow=True)

    assert ShortLink.objects.get().path == "/value/?by=instance_type&currency=EUR"
    assert "Your discount is not in this link" in text(response)


def test_an_embedded_chart_shows_list_prices_and_says_so(client, pair):
    shown = text(client.get("/embed/groups/value/", {"discount": "aws:25"}))

    assert "less 25 %" not in shown
    assert "The discount in the address is left out" in shown


def test_the_head_of_a_discounted_page_links_to_list_prices(client, pair):
    page = client.get(VALUE, {"discount": "aws:25", "currency": "EUR"}).content.decode()

    head = page.partition("</head>")[0]
    assert "discount" not in head
    assert "currency=EUR" in head


def test_a_card_with_a_discount_leads_to_the_one_without(client, pair):
    response = client.get("/value/card.png", {"discount": "aws:25"})

    assert response.status_code == 302
    assert "discount" not in response["Location"]


def test_the_numbers_of_a_chart_are_those_of_its_reader(client, pair):
    page = client.get(VALUE, {"discount": "aws:50"}).content.decode()

    assert "/api/v1/chart/?page=%2Fvalue%2F%3F" in page
    assert "&amp;discount=aws%3A50" in page
    asked = {"page": "/value/", "key": "groups"}
    at_list, own = (client.get("/api/v1/chart/", {**asked, **more}) for more in ({}, {"discount": "aws:50"}))
    assert own["Cache-Control"] == "private, no-store"
    assert own.json()["rows"] != at_list.json()["rows"]


def board(client, fingerprint, **given):
    asked = {"workload": fingerprint, "metric": "ops_per_usd", "by": "provider", **given}
    return client.get("/api/v1/leaderboard/", asked).json()["groups"]


@pytest.mark.parametrize("by", ["provider", "submission"])
@pytest.mark.parametrize("limit", [{}, {"max_p99_ms": "100"}])
def test_a_leaderboard_by_value_ranks_at_the_readers_prices(client, pair, by, limit):
    aws, gce = pair
    fingerprint = aws.workload.fingerprint

    at_list = board(client, fingerprint, by=by, **limit)
    own = board(client, fingerprint, by=by, discount="aws:90", currency="EUR", **limit)

    assert [each["submission"] for each in at_list] == [gce.pk, aws.pk]
    assert [each["submission"] for each in own] == [aws.pk, gce.pk]
    assert Decimal(own[0]["hourly_usd"]) == Decimal("0.1596")
    assert Decimal(own[0]["hourly"]) == round(Decimal("0.1596") * EUR, 8)


def test_the_page_of_a_workload_names_the_readers_prices(client, pair):
    address = f"/workloads/{pair[0].workload.fingerprint}/"

    shown = text(client.get(address, {"metric": "ops_per_usd", "discount": "aws:90", "currency": "EUR"}))

    assert "less 90 % on AWS, in EUR at the rate of 2026-10-30" in shown
    assert "M ops/€" in shown


def test_a_comparison_is_at_the_readers_prices(client, pair):
    aws, gce = pair
    asked = {"a": gce.pk, "b": aws.pk}

    at_list = client.get("/api/v1/compare/", asked).json()["ops_per_usd"]["ratio"]
    own = client.get("/api/v1/compare/", {**asked, "discount": "aws:50"})
    page = client.get("/compare/", {"s": [gce.pk, aws.pk], "discount": "aws:50", "currency": "EUR"})

    assert own.json()["ops_per_usd"]["ratio"] == pytest.approx(2 * at_list)
    assert own["Cache-Control"] == page["Cache-Control"] == "private, no-store"
    assert "€0.71" in text(page)  # 0.798 / 1.1172


def test_a_sizing_is_at_the_readers_prices(client, pair):
    asked = {"workload": pair[0].workload.fingerprint, "target_ops_s": "80000"}

    def months(**prices):
        candidates = client.get("/api/v1/size/", {**asked, **prices}).json()["candidates"]
        return {each["provider"]: (each["usd_per_month"], each.get("per_month")) for each in candidates}

    at_list, own = months(), months(discount="aws:50", currency="EUR")
    usd = Decimal(at_list["aws"][0]) / 2
    assert Decimal(own["aws"][0]) == usd
    assert own["aws"][1] == str(round(usd * EUR, 2))
    assert own["gce"][0] == at_list["gce"][0]


def test_the_list_shows_the_readers_prices_and_says_what_it_is_sorted_by(client, pair):
    response = client.get("/submissions/", {"discount": "aws:50", "currency": "EUR", "ordering": "-ops_per_usd"})
    shown = text(response)

    assert response["Cache-Control"] == "private, no-store"
    assert "€0.71" in shown
    assert "the order, the filters and the exports are at list prices" in shown


def test_databases_side_by_side_are_at_the_readers_prices(client):
    for service in ("cassandra", "mongodb"):
        canonical = {"service": service, "tool": "ycsb", "operations": {"read": 1.0}, "columns": 10}
        of_service = WorkloadFactory(service=service, title=service, canonical=canonical)
        SubmissionFactory(service=service, workload=of_service, hourly_usd=Decimal("1.596"))

    asked = {"discount": "aws:50", "currency": "EUR"}
    answer = client.get("/api/v1/databases/", asked).json()
    page = client.get("/compare/databases/", asked)

    month = Decimal("0.798") * 730
    assert [(row["month_usd"], row["month"]) for row in answer["rows"]] == [("582.54", str(round(month * EUR, 2)))] * 2
    assert page["Cache-Control"] == "private, no-store"
    assert "€521/month" in text(page)


def test_the_price_list_is_less_the_discount_but_for_spot(client, pair):
    today = timezone.now().date()
    PriceFactory(usd=Decimal("0.2"), pricing_model=PricingModel.SPOT, valid_from=date(2015, 9, 1), last_seen=today)

    page = client.get("/prices/", {"provider": "aws", "region": "us-east-1", "discount": "aws:50", "currency": "EUR"})
    shown = text(page)

    assert page["Cache-Control"] == "private, no-store"
    assert "€0.238" in shown  # 0.266 / 1.1172
    assert "€0.179" in shown  # spot: 0.2 / 1.1172


def test_the_first_page_shows_the_readers_prices(client, pair):
    response = client.get("/", {"discount": "aws:50", "currency": "EUR", "workload": pair[0].workload.fingerprint})

    assert response["Cache-Control"] == "private, no-store"
    assert "M ops/€" in text(response)
    assert "M ops/$" not in text(response)


@pytest.mark.parametrize("url", ["/submissions/", "/compare/databases/", "/"])
def test_a_wrong_discount_is_refused_on_the_other_pages_too(client, pair, url):
    assert "less than 100" in client.get(url, {"discount": "aws:100"}).content.decode()
