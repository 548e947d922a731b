"""A chart by itself: only it may be framed, it knows no visitor, and its numbers are those of its page."""

import csv
import gzip
import json
import re
from datetime import UTC, datetime
from decimal import Decimal
from html import unescape
from io import StringIO

import pytest

from benchsite.redis.cache import evictable_cache
from submissions.sharing import embed
from submissions.templatetags import charts
from tests.factories import SubmissionFactory, UserFactory
from tests.pages import faults, links, text
from tests.price_book import in_price_book

pytestmark = pytest.mark.django_db


@pytest.fixture
def pair():
    aws = SubmissionFactory(throughput_ops_s=90748.0, hourly_usd=Decimal("1.596"), title="AWS")
    gce = SubmissionFactory(
        provider="gce",
        instance_type="n1-standard-8",
        throughput_ops_s=111394.0,
        hourly_usd=Decimal("0.912"),
        title="=GCE",
    )
    in_price_book()
    return aws, gce


def embedded(aws):
    return f"/embed/value/?workload={aws.workload.fingerprint}"


def test_an_embedded_chart_has_its_finding_its_caveats_and_the_way_back(client, pair):
    response = client.get(embedded(pair[0]))

    said = text(response)
    assert "Cost against throughput: 1 of 2 clusters is outperformed by one that costs no more." in said
    assert "AWS and Google Cloud list prices of 2015-06-01." in said
    assert "Both results were measured once: how much the rate varies is unknown." in said
    assert links(response) == [f"http://testserver/?workload={pair[0].workload.fingerprint}"]
    assert 'data-figure="embedded-figure"' in response.content.decode()
    assert faults(response) == []


def test_only_an_embedded_chart_may_be_framed(client, pair):
    framed, page = client.get(embedded(pair[0])), client.get("/")

    assert "X-Frame-Options" not in framed
    assert "frame-ancestors *" in framed["Content-Security-Policy"]
    assert "form-action 'none'" in framed["Content-Security-Policy"]
    assert "default-src 'self'" in framed["Content-Security-Policy"]
    assert page["X-Frame-Options"] == "DENY"
    assert "frame-ancestors 'none'" in page["Content-Security-Policy"]


@pytest.mark.parametrize("path", ["/account/login/", "/s/aaaaaaaa/", "/charts/value.json/", "/data/", "/value/"])
def test_every_other_page_refuses_a_frame(client, pair, path):
    response = client.get(path)

    assert response["X-Frame-Options"] == "DENY"
    assert "frame-ancestors 'none'" in response["Content-Security-Policy"]


def test_an_embedded_chart_is_alike_for_everybody(client, pair):
    visitor = client.get(embedded(pair[0]))
    client.force_login(UserFactory(username="ada"))
    signed_in = client.get(embedded(pair[0]))

    assert visitor.content == signed_in.content
    assert not visitor.cookies
    assert not signed_in.cookies
    assert "Cookie" not in visitor.get("Vary", "")
    assert "Cookie" not in signed_in.get("Vary", "")
    assert visitor["Cache-Control"] == "public, max-age=300"


@pytest.mark.parametrize(
    "path",
    [
        "/embed/nothing/",
        "/embed/value/account/",
        "/embed/value/account/login/",
        "/embed/value/admin/",
        "/embed/value/runs/",
        "/embed/value/submissions/999999/",
        "/embed/value/embed/value/",
        "/embed/groups/value/?by=colour",
        "/embed/groups/value/?format=csv",
    ],
)
def test_what_is_no_chart_of_a_public_page_is_said_in_the_frame(client, pair, path):
    response = client.get(path)

    assert response.status_code == 404
    assert "There is no chart at this address." in text(response)
    assert "X-Frame-Options" not in response
    assert not response.cookies
    assert faults(response) == []


def test_an_embedded_chart_stays_small(client, pair, monkeypatch):
    content = client.get(embedded(pair[0])).content
    size = len(content)
    monkeypatch.setattr(embed, "MAX_FRAME_BYTES", size // 2)
    too_large = client.get(embedded(pair[0]))

    assert len(gzip.compress(content)) < 6_000
    assert too_large.status_code == 404
    assert "This chart is too large for a frame." in text(too_large)


def test_the_numbers_of_a_chart_are_those_of_its_page(client, pair):
    aws, _ = pair

    response = client.get(f"/charts/value.json/?workload={aws.workload.fingerprint}", follow=True)

    content = json.loads(response.content)
    axes = ("Cluster cost (USD/h)", "Throughput (ops/s)")
    assert content["rows"] == [
        ["AWS", axes[0], 1.596, axes[1], 90748.0, None, None, "3× m3.2xlarge: AWS"],
        ["Google Cloud", axes[0], 0.912, axes[1], 111394.0, None, None, "3× n1-standard-8: =GCE"],
    ]
    assert content["columns"] == ["series", "x_axis", "x", "y_axis", "y", "low", "high", "note"]
    assert content["caveats"][0] == (
        f"Value at today's prices, {datetime.now(UTC):%Y-%m-%d}, on demand: "
        "AWS and Google Cloud list prices of 2015-06-01."
    )
    assert content["address"] == f"http://testserver/?workload={aws.workload.fingerprint}"


def test_the_numbers_of_a_chart_as_csv(client, pair):
    response = client.get(f"/charts/value.csv/?workload={pair[0].workload.fingerprint}", follow=True)

    assert list(csv.reader(StringIO(response.getvalue().decode()))) == [
        ["series", "x_axis", "x", "y_axis", "y", "low", "high", "note", "attribution"],
        ["AWS", "Cluster cost (USD/h)", "1.596", "Throughput (ops/s)", "90748.0", "", "", "3× m3.2xlarge: AWS", ""],
        [
            "Google Cloud",
            "Cluster cost (USD/h)",
            "0.912",
            "Throughput (ops/s)",
            "111394.0",
            "",
            "",
            "3× n1-standard-8: =GCE",
            "",
        ],
    ]
    assert response["Content-Disposition"] == f'attachment; filename="benchsite-home-{datetime.now(UTC):%Y-%m-%d}.csv"'


@pytest.mark.parametrize("path", ["/charts/value.xlsx/", "/charts/value.csv/account/"])
def test_other_numbers_are_not_found(client, pair, path):
    assert client.get(path).status_code == 404


@pytest.mark.parametrize(
    ("query", "pointer"),
    [
        ({"key": "value"}, "#/page"),
        ({"page": "/"}, "#/key"),
        ({"page": "/account/", "key": "value"}, "#/page"),
        ({"page": "https://evil.example/", "key": "value"}, "#/page"),
        ({"page": "http://[::1", "key": "value"}, "#/page"),
        ({"page": "/value/", "key": "nothing"}, "#/key"),
        ({"page": "/submissions/999999/", "key": "intervals"}, "#/key"),
        ({"page": "/value/?by=colour", "key": "groups"}, "#/key"),
    ],
)
def test_a_chart_that_does_not_exist_is_a_problem_of_the_api(client, pair, query, pointer):
    response = client.get("/api/v1/chart/", query)

    assert response.status_code == 400
    assert [error["pointer"] for error in response.json()["errors"]] == [pointer]


def test_the_numbers_of_a_chart_are_alike_for_everybody(client, pair):
    client.force_login(UserFactory())

    response = client.get("/api/v1/chart/", {"page": "/", "key": "value"})

    assert response["Cache-Control"] == "public, max-age=300"
    assert "Cookie" not in response.get("Vary", "")
    assert not response.cookies


def test_a_chart_is_drawn_again_from_what_its_page_and_its_frame_draw(client, pair):
    query = {"page": f"/?workload={pair[0].workload.fingerprint}", "key": "value"}

    answer = client.get("/api/v1/chart/", {**query, "figure": "true"}).json()

    [framed] = re.findall(
        r'<script id="embedded-figure"[^>]*>(.*?)</script>', client.get(embedded(pair[0])).content.decode()
    )
    assert answer["figure"] == json.loads(framed)
    assert "figure" not in client.get("/api/v1/chart/", query).json()


def test_a_long_figure_is_not_on_its_page(client, pair, monkeypatch):
    assert "data-from" not in client.get("/").content.decode()
    monkeypatch.setattr(charts, "MOST_ON_PAGE", 1_000)
    evictable_cache.clear()

    html = client.get("/").content.decode()

    [address] = re.findall(r'data-from="([^"]+)"', html)
    assert 'id="value-figure"' not in html
    assert client.get(unescape(address)).json()["figure"]["data"][0]["type"] == "scatter"


def test_every_chart_of_a_page_offers_its_numbers_and_its_frame(client, pair):
    response = client.get("/")

    # the workload that the page chose stands in them: another one may be chosen tomorrow
    chosen = f"?workload={pair[0].workload.fingerprint}"
    html = response.content.decode()
    numbers = f"/api/v1/chart/?page=%2F%3Fworkload%3D{pair[0].workload.fingerprint}&key=value&format="
    assert links(response, "^/api/v1/chart/") == [f"{numbers}csv", f"{numbers}json"]
    assert f"&lt;iframe src=&quot;http://testserver/embed/value/{chosen}&quot;" in html
    assert f'<input type="hidden" name="path" value="/{chosen}">' in html
