"""The sentences of a preview."""

from decimal import Decimal

import pytest

from submissions.ingest.logs.read import read_logs
from submissions.ingest.uploads import offered
from submissions.upload.preview import preview_of
from submissions.upload.sentences import about_date, finding, load_curve, no_price, several_submissions
from tests.documents import metadata
from tests.files import stress_log, uploaded

pytestmark = pytest.mark.django_db


def preview(start, given):
    return preview_of(read_logs(offered([uploaded(stress_log(start))])), given)


def facts(usd="0.192", measured_at="2026-11-20T05:32:00Z"):
    given = metadata({"measured_at": measured_at})
    for group in given["nodes"]:
        group["hourly_usd"] = usd
    return given


def test_an_incomplete_upload_says_what_to_do():
    result = preview("cs50-10-3node", {})

    assert finding(result) == "The log was read. Complete the details below, then check again."
    assert several_submissions(result) == ""


def test_a_complete_one_begins_with_its_result():
    result = preview("cs50-10-3node", facts())

    cost = result.prepared[0].priced.cost.hourly_usd
    assert cost == Decimal("0.576")
    assert finding(result) == ("1.07 k ops/s for $0.58/h. Nothing is published yet: check the details, then publish.")
    assert no_price(result.prepared[0]) == ""


def test_without_a_date_the_day_of_receipt_is_said_beside_its_price():
    result = preview("cs50-10-3node", facts(measured_at=None))

    [prepared] = result.prepared
    assert about_date(prepared) == (
        f"Neither you, the log nor the file states a date. It was received on {prepared.measured.at:%Y-%m-%d}:"
        " its prices are used. If it was measured on another date, enter that."
    )
    assert about_date(preview("cs50-10-3node", facts()).prepared[0]) == ""


def test_a_price_that_the_book_does_not_have_says_so():
    result = preview("cs50-10-3node", facts(usd=None))

    assert no_price(result.prepared[0]).startswith("No price: ")
    assert no_price(result.prepared[0]).endswith(". A price per node-hour, entered below, is used instead.")


def test_a_load_curve_is_announced():
    result = preview("cs50-09-auto", facts())

    assert load_curve(result) == "The logs are a load curve of 4 loads: the result shows its peak with 8 threads."
    assert several_submissions(result) == ""
    assert load_curve(preview("cs50-10-3node", facts())) == ""


def test_several_submissions_of_a_graph_are_announced():
    result = preview("cs50-30-graph.html", facts())

    assert several_submissions(result) == (
        "This file contains 2 results with different settings: it becomes 2 submissions, one for each."
    )
    assert load_curve(result) == ""
