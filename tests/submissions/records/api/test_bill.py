"""The bill of a test: stated with a submission, answered with its sums, on the page, in lists and in the dataset."""

import json
from decimal import Decimal

import pytest

from submissions.ingest.pipeline import prepare_document
from submissions.models import Submission
from tests.documents import document
from tests.factories import SubmissionFactory
from tests.pages import text
from tests.submissions.caller import BASE

BILL = {
    "items": [
        {"label": "48× m1.xlarge (database), set-up and run", "quantity": 48, "unit": "hour", "unit_usd": "0.68"},
        {"label": "10× m2.4xlarge (client), set-up and run", "quantity": 10, "unit": "hour", "unit_usd": "2.00"},
        {"label": "traffic between zones", "quantity": 833, "unit": "gb", "unit_usd": "0.01"},
    ],
    "basis": "on_demand",
    "price_date": "2011-11-02",
}


def stored(caller, bill=BILL):
    return caller.submit(document({"bill": bill})).json()


def test_a_stated_bill_is_answered_with_its_sums(caller, client):
    number = stored(caller)["id"]

    bill = client.get(f"{BASE}{number}/bill/").json()

    assert {name: bill[name] for name in ("total_usd", "basis", "price_date")} == {
        "total_usd": "60.97",
        "basis": "on_demand",
        "price_date": "2011-11-02",
    }
    assert bill["items"][0] == {
        "label": "48× m1.xlarge (database), set-up and run",
        "quantity": "48",
        "unit": "hour",
        "unit_usd": "0.68",
        "usd": "32.64",
    }
    assert [item["usd"] for item in bill["items"]] == ["32.64", "20", "8.33"]


def test_a_result_without_a_bill_has_no_total_and_says_why(client, db):
    row = SubmissionFactory()

    bill = client.get(f"{BASE}{row.pk}/bill/").json()

    assert (bill["items"], bill["total_usd"], bill["basis"], bill["price_date"]) == ([], None, None, None)
    assert bill["missing"].startswith("No bill")


def test_the_bill_of_a_private_result_is_its_owners(caller, client):
    number = caller.submit(document({"bill": BILL, "visibility": "private"})).json()["id"]

    assert client.get(f"{BASE}{number}/bill/").status_code == 404
    assert client.get(f"{BASE}{number}/bill/", **caller.headers).status_code == 200


def test_the_page_and_the_list_have_it(caller, client):
    number = stored(caller)["id"]

    page = text(client.get(f"/submissions/{number}/"))
    [row] = client.get(BASE).json()["results"]
    csv = b"".join(client.get(f"{BASE}?format=csv").streaming_content).decode()

    assert "Bill of the test" in page
    assert "Stated by the source: on demand, AWS list price of 2011-11-02." in page
    assert "60.97" in page
    assert row["bill_usd"] == "60.97"
    assert "bill_usd" in csv
    assert "60.97" in csv


@pytest.mark.parametrize(
    ("change", "place"),
    [
        ({"items": []}, "#/bill/items"),
        ({"items": [{**BILL["items"][0], "usd": "32.64"}]}, "#/bill/items/0/usd"),
        ({"items": [{**BILL["items"][0], "quantity": 0}]}, "#/bill/items/0/quantity"),
        ({"items": [{**BILL["items"][0], "quantity": "48"}]}, "#/bill/items/0/quantity"),
        ({"items": [{**BILL["items"][0], "unit_usd": 0.68}]}, "#/bill/items/0/unit_usd"),
        ({"items": [{**BILL["items"][0], "unit_usd": "-1"}]}, "#/bill/items/0/unit_usd"),
        ({"items": [{**BILL["items"][0], "quantity": 1e12, "unit_usd": "1000"}]}, "#/bill/items/0"),
        ({"items": [{"label": "machines", "quantity": 1, "unit": "hour"}]}, "#/bill/items/0/unit_usd"),
        ({"basis": "cheap"}, "#/bill/basis"),
        ({"price_date": "November 2011"}, "#/bill/price_date"),
        ({"price_date": 20111102}, "#/bill/price_date"),
        ({"total_usd": "60.97"}, "#/bill/total_usd"),
    ],
)
def test_a_bill_with_a_fault_is_refused_at_its_place(caller, faults, nothing_is_stored, change, place):
    answer = caller.submit(document({"bill": {**BILL, **change}}))

    assert list(faults(answer)) == [place]


def test_the_bill_can_be_added_later(caller):
    number = caller.submit(document()).json()["id"]

    answer = caller.client.patch(
        f"{BASE}{number}/", json.dumps({"bill": BILL}), content_type="application/json", **caller.headers
    )

    assert answer.json()["bill"]["total_usd"] == "60.97"
    assert Submission.objects.get().bill_usd == Decimal("60.97")


def test_a_document_without_a_bill_keeps_the_sum_that_it_had_before_there_were_bills(db):
    assert "bill" not in prepare_document(document()).document.content()
