"""A bill: its sums are made from its lines, to the cent."""

from decimal import Decimal

from submissions.pricing.bill import NO_BILL, bill_of

LINE = {"label": "48 machines", "quantity": 48, "unit": "hour", "unit_usd": "0.68"}
TRAFFIC = {"label": "traffic between zones", "quantity": 833, "unit": "gb", "unit_usd": "0.01"}


def test_the_sums_follow_from_the_lines():
    bill = bill_of({"items": [LINE, TRAFFIC], "basis": "on_demand", "price_date": "2011-11-02"})

    assert [item.usd for item in bill.items] == [Decimal("32.64"), Decimal("8.33")]
    assert (bill.total_usd, bill.total_text) == (Decimal("40.97"), "40.97")


def test_a_total_has_two_digits_and_rounds_half_up():
    assert bill_of({"items": [{**LINE, "quantity": 0.5, "unit_usd": "0.01"}]}).total_text == "0.01"
    assert bill_of({"items": [{**LINE, "quantity": 10, "unit_usd": "2"}]}).total_text == "20.00"


def test_fractions_of_an_hour_are_the_decimals_that_they_print_as():
    assert bill_of({"items": [{**LINE, "quantity": 0.1, "unit_usd": "0.3"}]}).total_usd == Decimal("0.03")


def test_an_unknown_price_makes_the_total_unknown_and_is_named():
    bill = bill_of({"items": [LINE, {**TRAFFIC, "unit_usd": None}]})

    assert (bill.total_usd, bill.total_text) == (None, None)
    assert bill.missing == "The price of traffic between zones is unknown."


def test_the_stored_form_is_read_as_the_document_is():
    bill = bill_of({"items": [LINE, TRAFFIC], "basis": "spot", "price_date": "2011-11-02"})

    assert bill_of(bill.as_json()) == bill
    assert bill.as_json()["items"][0]["usd"] == "32.64"


def test_without_a_bill_nothing_is_zero():
    assert bill_of(None) is NO_BILL
    assert (NO_BILL.total_text, bool(NO_BILL.missing)) == (None, True)
