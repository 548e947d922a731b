"""A badge: the figure of the page, never 0 for unknown, and what a flag makes unreliable says so."""

from decimal import Decimal
from xml.etree import ElementTree

import pytest

from submissions.formatting.numbers import hourly, latency, ops_per_usd, ops_s
from tests.factories import SubmissionFactory

pytestmark = pytest.mark.django_db


def words(response):
    root = ElementTree.fromstring(response.content.decode())
    return [element.text for element in root.iter() if element.tag.endswith("text")], root


def badge(client, row, metric=""):
    response = client.get(f"/submissions/{row.pk}/badge.svg{f'?metric={metric}' if metric else ''}")
    assert response.status_code == 200
    assert response["Content-Type"] == "image/svg+xml"
    return words(response)[0]


def test_each_metric_is_that_of_the_result(client):
    row = SubmissionFactory(latency_p99_ms=3.04, latency_kind="service_time", hourly_usd=Decimal("0.912"))

    assert badge(client, row) == ["Benchsite value", ops_per_usd(row.ops_per_usd)]
    assert badge(client, row, "throughput") == ["Benchsite throughput", ops_s(row.throughput_ops_s)]
    assert badge(client, row, "p99") == ["Benchsite p99 service time", latency(row.latency_p99_ms)]
    assert badge(client, row, "cost") == ["Benchsite cost", hourly(row.hourly_usd)]


def test_unknown_is_unknown_and_not_0(client):
    row = SubmissionFactory(hourly_usd=None, ops_per_usd=None, latency_p99_ms=None)

    for metric in ("value", "p99", "cost"):
        assert badge(client, row, metric)[1] == "unknown"


def test_what_a_flag_makes_unreliable_says_so(client):
    assert badge(client, SubmissionFactory(flags=["failed"]), "throughput")[1].endswith(", flagged")
    assert badge(client, SubmissionFactory(flags=["stated_price_off"]), "value")[1].endswith(", flagged")
    assert badge(client, SubmissionFactory(flags=["throttled"]), "throughput")[1].endswith("(held)")


def test_a_retracted_result_has_no_figure_any_more(client):
    row = SubmissionFactory()
    type(row).objects.filter(pk=row.pk).update(retracted_at=row.created_at, retraction_reason="wrong disk")

    assert badge(client, row)[1] == "retracted"


def test_a_badge_has_a_title_that_can_be_read_alone(client):
    row = SubmissionFactory()
    root = words(client.get(f"/submissions/{row.pk}/badge.svg"))[1]

    said = f"Benchsite result {row.pk}: value {ops_per_usd(row.ops_per_usd)}"
    assert root.attrib["aria-label"] == said
    assert root.find("{http://www.w3.org/2000/svg}title").text == said


def test_an_unknown_metric_is_refused_by_name(client):
    response = client.get(f"/submissions/{SubmissionFactory().pk}/badge.svg?metric=speed")

    assert response.status_code == 400
    assert response.json()["errors"][0]["pointer"] == "#/metric"


def test_a_badge_is_cached_and_a_private_result_has_none(client):
    public, private = SubmissionFactory(), SubmissionFactory(visibility="private", published_at=None)

    assert client.get(f"/submissions/{public.pk}/badge.svg")["Cache-Control"] == "public, max-age=3600"
    assert client.get(f"/submissions/{private.pk}/badge.svg").status_code == 404
    client.force_login(private.submitted_by) if private.submitted_by else None
    assert client.get(f"/submissions/{private.pk}/badge.svg").status_code == 404
