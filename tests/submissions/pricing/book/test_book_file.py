"""The CSV of the price book, whole and of a provider: a file, made by the first reader of a version of the prices."""

import gzip
import os
from concurrent.futures import ThreadPoolExecutor
from datetime import date, timedelta
from decimal import Decimal

import pytest
from django.db import connections
from django.test import Client
from django.utils import timezone
from rest_framework.throttling import SimpleRateThrottle

from submissions.models import Price
from submissions.pricing.book import book_file
from submissions.tasks import write_price_files
from tests.factories import PriceFactory, UserFactory
from tests.queries import queries_of

pytestmark = pytest.mark.django_db

PRICES = "/api/v1/prices/"
WHOLE = f"{PRICES}?format=csv"
OF_AWS = f"{PRICES}?provider=aws&format=csv"
STREAMED = "&ordering=instance_type"  # the same rows in the same order, by another parameter

ODD_TEXTS = (
    "=1+1",
    "+1",
    "-1",
    "@sum",
    "\ttab",
    "\rreturn",
    "\nline",
    '="quoted", with a comma',
    'a "word"',
    "one, two",
    "a line\nand another",
    "the end\r",
    "back\\slash \\. \\n",
    " spaces ",
    "＝1+1",
    "＠a",
    "100 %",
    "'",
    "prix à l’heure, 価格",
    "",
)


@pytest.fixture
def odd_prices():
    """Whatever a cell can be, among prices that tie in the order of the list."""
    for number, text in enumerate(ODD_TEXTS):
        PriceFactory(sku=f"type-{number % 4}", region=f"region-{number}", source=text)
        PriceFactory(sku=text or "none", region="odd names", valid_from=date(2020, 2, 29))
    for number, usd in enumerate(("0.00000001", "100", "12345678.12345678", "0.50000000", "10.1")):
        PriceFactory(
            provider="gce",
            sku="n2",
            region="A",
            unit="gib_month",
            usd=Decimal(usd),
            valid_from=date(2021, 1, number + 1),
        )
    PriceFactory(provider="=cmd", pricing_model="-1", unit='"', region=",")
    Price.objects.filter(sku="n2").update(last_seen=date(2026, 11, 26))


def made(folder):
    return sorted(path.name for path in (folder / "prices").glob("*"))


def is_file(response):
    return (response.status_code, response.has_header("ETag")) == (200, True)


@pytest.mark.usefixtures("odd_prices")
@pytest.mark.parametrize("address", [WHOLE, OF_AWS, f"{PRICES}?provider=gce&format=csv"])
def test_the_file_has_every_byte_of_the_streamed_answer(client, address):
    streamed = client.get(f"{address}{STREAMED}")
    file = client.get(address)

    assert not is_file(streamed)
    assert is_file(file)
    assert file.getvalue() == streamed.getvalue()
    assert {name: file[name] for name in ("Content-Type", "Content-Disposition")} == {
        name: streamed[name] for name in ("Content-Type", "Content-Disposition")
    }


def test_the_book_of_a_new_site_has_its_header(client):
    streamed = client.get(f"{WHOLE}{STREAMED}").getvalue()

    assert client.get(WHOLE).getvalue() == streamed
    assert streamed.startswith(b"provider,region,")


@pytest.mark.parametrize(
    ("query", "headers"),
    [
        ("format=csv", {}),
        ("", {"Accept": "text/csv"}),
        ("provider=&format=csv", {}),
        ("provider=aws", {"Accept": "text/csv"}),
        ("provider=Amazon&format=csv", {}),
    ],
)
def test_the_whole_book_and_that_of_a_provider_are_files(client, query, headers):
    PriceFactory()

    assert is_file(client.get(f"{PRICES}?{query}", headers=headers))


@pytest.mark.parametrize(
    "query",
    [
        "provider=aws&provider=gce",
        "region=us-east-1",
        "provider=aws&region=us-east-1",
        "at=2020-01-01",
        "region=",
        "provider=nobody",
    ],
)
def test_every_other_search_is_streamed(client, query, artifacts_folder):
    PriceFactory()

    response = client.get(f"{PRICES}?{query}&format=csv")

    assert (response.status_code, response.has_header("ETag")) == (200, False)
    assert response.getvalue().startswith(b"provider,region,")
    assert made(artifacts_folder) == []


@pytest.mark.parametrize(
    "query", ["provider=a%00", "provider=%20", "anything=", "page_size=1", "provider=aws&cursor=x"]
)
def test_what_the_list_refuses_is_refused(client, faults, query):
    PriceFactory()

    assert faults(client.get(f"{PRICES}?{query}&format=csv"))


def test_after_a_change_the_next_answer_has_the_new_price(client, artifacts_folder):
    price = PriceFactory(usd=Decimal("0.532"))
    before = {address: client.get(address) for address in (WHOLE, OF_AWS)}
    assert all(b",0.532," in response.getvalue() for response in before.values())

    PriceFactory(valid_from=date(2016, 1, 1), usd=Decimal("0.479"))
    Price.objects.filter(pk=price.pk).update(last_seen=date(2015, 12, 31))

    for address, old in before.items():
        new = client.get(address, headers={"If-None-Match": old["ETag"]})
        assert new["ETag"] != old["ETag"]
        lines = new.getvalue().decode().splitlines()
        assert [line.split(",")[5:8] for line in lines[1:]] == [
            ["0.479", "2016-01-01", "2016-01-01"],
            ["0.532", "2015-06-01", "2015-12-31"],
        ]


def test_a_deleted_price_is_in_no_answer(client):
    price = PriceFactory()
    client.get(WHOLE)

    price.delete()

    assert client.get(WHOLE).getvalue().count(b"\r\n") == 1
    assert client.get(OF_AWS).getvalue().count(b"\r\n") == 1


@pytest.mark.parametrize("address", [WHOLE, OF_AWS])
@pytest.mark.parametrize("encoding", ["gzip, br", "identity"])
def test_who_has_the_file_gets_304_without_its_bytes(client, address, encoding, artifacts_folder):
    PriceFactory()
    first = client.get(address, headers={"Accept-Encoding": encoding})
    for path in (artifacts_folder / "prices").iterdir():
        path.unlink()  # nothing reads it

    again = client.get(address, headers={"Accept-Encoding": "gzip", "If-None-Match": first["ETag"]})

    assert (again.status_code, again.content, again["ETag"]) == (304, b"", first["ETag"])
    assert made(artifacts_folder) == []
    assert first["Cache-Control"] == again["Cache-Control"] == "public, no-cache"
    assert {"Accept", "Accept-Encoding"} <= set(first["Vary"].split(", ")) & set(again["Vary"].split(", "))


def test_the_etags_of_the_book_and_of_its_providers_differ(client):
    PriceFactory()
    PriceFactory(provider="gce")

    etags = {client.get(address)["ETag"] for address in (WHOLE, OF_AWS, f"{PRICES}?provider=gce&format=csv")}

    assert len(etags) == 3


def test_both_encodings_announce_their_length(client):
    PriceFactory()
    takes_gzip, takes_none = {"Accept-Encoding": "br, gzip"}, {"Accept-Encoding": "br, gzip;q=0"}
    packed, plain = client.get(WHOLE, headers=takes_gzip), client.get(WHOLE, headers=takes_none)
    packed_bytes, plain_bytes = packed.getvalue(), plain.getvalue()

    assert (packed.get("Content-Encoding"), plain.get("Content-Encoding")) == ("gzip", None)
    assert gzip.decompress(packed_bytes) == plain_bytes
    assert int(packed["Content-Length"]) == len(packed_bytes)
    assert int(plain["Content-Length"]) == len(plain_bytes)
    for headers, answer in ((takes_gzip, packed), (takes_none, plain)):
        head = client.head(WHOLE, headers=headers)
        assert [head.get(name) for name in ("Content-Length", "Content-Encoding", "ETag")] == [
            answer.get(name) for name in ("Content-Length", "Content-Encoding", "ETag")
        ]


def test_who_is_signed_in_gets_the_same_file(client):
    PriceFactory()
    anybodys = client.get(WHOLE, headers={"Accept-Encoding": "gzip"})
    client.force_login(UserFactory())

    own = client.get(WHOLE, headers={"Accept-Encoding": "gzip"})

    assert (own.getvalue(), own["ETag"]) == (anybodys.getvalue(), anybodys["ETag"])


@pytest.mark.parametrize("address", [WHOLE, OF_AWS])
def test_a_file_of_more_prices_takes_no_more_queries_and_fewer_once_it_is_made(client, address):
    def queries(lines):
        return queries_of(lambda: lines.append(client.get(address).getvalue().count(b"\r\n")))

    def queries_to_make(prices):
        for number in range(prices):
            PriceFactory(sku=f"type-{prices}-{number}")
        return queries(lines)

    lines = []
    of_one, of_all = queries_to_make(1), queries_to_make(299)
    assert of_all == of_one > queries(lines)
    assert lines == [2, 301, 301]


def test_with_etags_of_pages_nothing_is_sent_twice(client, settings, clear_cache):
    settings.PAGE_CACHE_SECONDS = 2
    PriceFactory()
    etag = client.get(WHOLE)["ETag"]

    again = client.get(WHOLE, headers={"If-None-Match": etag})

    assert (again.status_code, again.getvalue()) == (304, b"")


def test_each_answer_counts_for_the_limits_of_the_api(client, clear_cache, monkeypatch):
    monkeypatch.setitem(SimpleRateThrottle.THROTTLE_RATES, "anon", "3/min")
    PriceFactory()
    etag = client.get(WHOLE)["ETag"]

    answers = [client.get(WHOLE, headers={"If-None-Match": etag}).status_code for _ in range(3)]

    assert answers == [304, 304, 429]


def test_files_of_older_versions_are_deleted_after_an_hour(client, artifacts_folder):
    def age(name, **age):
        moment = (timezone.now() - timedelta(**age)).timestamp()
        os.utime(artifacts_folder / "prices" / name, (moment, moment))

    PriceFactory()
    client.get(WHOLE).getvalue()
    client.get(OF_AWS).getvalue()
    of_aws, whole = sorted(made(artifacts_folder), key=len, reverse=True)
    age(of_aws, minutes=50)
    age(whole, minutes=70)

    PriceFactory(sku="new")
    client.get(WHOLE).getvalue()
    current = set(made(artifacts_folder)) - {of_aws, whole}
    assert set(made(artifacts_folder)) == current | {of_aws}

    age(*current, days=30)
    client.get(OF_AWS).getvalue()
    assert current <= set(made(artifacts_folder))


def test_a_file_that_is_being_sent_is_sent_to_its_end_after_it_was_deleted(client, artifacts_folder):
    PriceFactory()
    response = client.get(WHOLE)
    for path in (artifacts_folder / "prices").iterdir():
        path.unlink()

    assert response.getvalue().count(b"\r\n") == 2


def test_where_no_file_can_be_stored_the_answer_is_streamed(client, artifacts_folder):
    PriceFactory()
    artifacts_folder.mkdir(parents=True, exist_ok=True)
    (artifacts_folder / "prices").write_bytes(b"not a folder")

    response = client.get(WHOLE)

    assert (response.status_code, response.getvalue().count(b"\r\n")) == (200, 2)


def test_prices_that_change_while_a_file_is_made_leave_no_file(artifacts_folder):
    PriceFactory()
    key = book_file.key_of("")
    PriceFactory(sku="new")  # after the reader has read the version

    assert book_file.opened(key, "") is None
    assert made(artifacts_folder) == []


@pytest.mark.django_db(transaction=True)
def test_of_many_first_readers_one_makes_the_file(artifacts_folder):
    for number in range(50):
        PriceFactory(sku=f"type-{number}")

    def read(_):
        try:
            return Client().get(WHOLE).getvalue()
        finally:
            connections.close_all()

    with ThreadPoolExecutor(8) as readers:
        answers = set(readers.map(read, range(8)))

    assert len(answers) == 1
    assert len(made(artifacts_folder)) == 1


def test_a_worker_makes_the_files_before_anybody_asks(client, artifacts_folder):
    PriceFactory(provider="aws")
    PriceFactory(provider="gce", sku="n2-standard-8")

    write_price_files()

    assert len(made(artifacts_folder)) == 3  # the whole book, and one for each provider
    before = made(artifacts_folder)
    assert is_file(client.get(WHOLE))
    assert is_file(client.get(OF_AWS))
    assert made(artifacts_folder) == before
