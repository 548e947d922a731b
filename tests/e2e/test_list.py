"""The list of results in a browser: it filters, orders and searches at once, and says what the server says."""

import re
import sys
from copy import copy

import pytest
from playwright.sync_api import expect

from tests.e2e.conftest import store_published
from tests.e2e.steps import NARROW

WHAT_IS_SHOWN = """() => {
    const all = (selector, look) => [...document.querySelectorAll(selector)].map(look);
    const words = (one) => one.textContent.replace(/\\s+/g, " ").trim();
    const values = (one) => [one.type, one.name, one.value];
    return {
        rows: all(".results tbody tr", (row) => row.outerHTML),
        heads: all(".results thead th", (head) => [words(head), head.ariaSort, head.querySelector("a")?.search ?? ""]),
        finding: all(".finding", words),
        chips: all(".chips:not([hidden]) a", (a) => [words(a), a.search]),
        facets: all(".facets fieldset", words),
        boxes: all(".facets input[type=checkbox]:checked", values),
        fields: all(".facets input:not([type=checkbox])", values).sort(),
        notes: all("[data-kinds]:not([hidden]), .results .empty:not([hidden])", words),
        exports: all(".results .note a", (a) => a.href),
        shared: all(".share input[name=path]", (one) => one.value),
    };
}"""


def store_many():
    """The published results, and some beside them with what is unknown, tied, flagged or written strangely."""
    from datetime import UTC, datetime
    from decimal import Decimal

    from submissions.models import Workload
    from tests.factories import SubmissionFactory

    store_published()
    workload = Workload.objects.order_by("pk").first()
    for number in range(70):
        known = number % 7
        SubmissionFactory(
            workload=workload,
            title=("<b>result</b> & {id} " if known == 1 else "Result ")
            + str(number)
            + " of a name" * 12 * (known == 2),
            provider=("aws", "gce", "azure")[number % 3],
            region=None if known == 3 else f"region-{number % 4}",
            instance_type=f"m{number % 12}.large",
            node_count=1 + number % 11,
            cpu_model=None if known else "Intel Xeon",
            disk_kind=("local-ssd", None, "gp3")[number % 3],
            jdk_vendor=None if known == 4 else "temurin",
            jdk_version=("8u51", "17.0.4", None)[number % 3],
            trust=("uploaded", "log_verified", "run_by_us")[number % 3],
            flags=[[], ["short"], ["short", "errors"]][number % 3] + ["stated_price_off"] * (known == 2),
            throughput_ops_s=(90750.0, 1234.5, 100 / 3, 22.25, 12_250.0, 0.5, 1e6)[known] * (1 + number // 7),
            throughput_cv=None if known == 5 else 0.012345 * (1 + known),
            trials_count=1 + known,
            latency_kind=("service_time", "response_time", "unknown")[number % 3],
            latency_p99_ms=None if known == 6 else (3.0, 12.25, 0.5234, 9.995, 150.5, 2.25)[known],
            hourly_usd=None if known == 5 else Decimal("0.125") * (1 + number % 13),
            ops_per_usd=None if known == 5 else Decimal("439713157.8947") / (1 + number % 9),
            measured_at=None if known == 0 else datetime(2015 + known, 1 + known, 3, number % 24, tzinfo=UTC),
        )


@pytest.fixture
def many(live_server):
    """The workload of those results that are not published ones."""
    from submissions.models import Workload
    from tests.stored_rows import stored

    stored("published and many", store_many)
    return Workload.objects.order_by("pk").first()


def settled(page, address):
    """What the browser shows once it has filtered by itself, from the bare list, without another page."""
    page.goto(base(address))
    page.evaluate("window.isSamePage = true; columnsOfList()")
    page.wait_for_function("columnsOfList() && !(columnsOfList() instanceof Promise)")
    assert page.evaluate("query => show(columnsOfList(), query, 0)", address.partition("?")[2])
    return page.evaluate(WHAT_IS_SHOWN)


def base(address):
    workload = re.search(r"workload=\w+", address)
    return f"/submissions/?{workload[0]}" if workload else "/submissions/"


QUERIES = (
    "provider=aws",
    "provider=aws&provider=gce&trust=uploaded",
    "region=unknown&disk_kind=unknown",
    "ordering=-throughput_ops_s",
    "cpu_model=unknown&ordering=-throughput_ops_s",
    "flag=stated_price_off&flag=errors&ordering=-ops_per_usd",
    "flag=short&flag=errors&jdk_version=unknown",
    "max_p99_ms=12.25&ordering=-ops_per_usd",
    "ordering=hourly_usd&min_throughput=1000",
    "ordering=-hourly_usd",
    "ordering=-measured_at",
    "ordering=measured_at&max_hourly_usd=1",
    "ordering=node_count",
    "ordering=latency_p99_ms",
    "ordering=-latency_p99_ms&latency_kind=service_time&latency_kind=response_time",
    "q=RESULT+m1",
    "q=%3Cb%3E",
    "q=nothing+at+all",
    "workload={workload}&ordering=-ops_per_usd",
    "workload={workload}&ordering=ops_per_usd&provider=azure&max_p99_ms=20",
    "latency_kind=unknown&node_count=3&node_count=11",
)


def test_the_browser_shows_what_the_server_shows(open_browser, many):
    with open_browser() as (page, complaints):
        for query in QUERIES:
            address = f"/submissions/?{query.format(workload=many.fingerprint)}"
            shown = settled(page, address)
            at = page.url
            page.goto(address)
            by_server = page.evaluate(WHAT_IS_SHOWN)
            assert page.url == at
            if "workload=" in query:  # rows of other workloads are not there to be counted
                for one in (shown, by_server):
                    one["facets"] = [text for text in one["facets"] if not text.startswith("Workload")]
                    # titles are told apart from those of the other workloads that are listed
                    one["chips"] = [
                        (re.sub(r" \([0-9a-f]{6}\)", "", words), address) for words, address in one["chips"]
                    ]
            assert shown == by_server, query
    assert complaints == []


def rows_of(page):
    return page.locator(".results tbody tr").count()


def test_a_box_acts_at_once_and_the_address_says_what_is_shown(open_browser, many):
    with open_browser() as (page, complaints):
        page.goto("/submissions/")
        page.evaluate("window.isSamePage = true")
        expect(page.get_by_role("button", name="Apply")).to_have_count(0)

        page.locator("input[name=provider][value=azure]").check()
        expect(page).to_have_url(re.compile(r"\?provider=azure$"))
        expect(page.locator(".finding")).to_contain_text("23 results of 1 workload match these filters.")
        expect(page.locator("input[name=provider][value=azure]")).to_be_focused()
        page.get_by_label("Maximum p99 (ms)").fill("3")
        expect(page).to_have_url(re.compile(r"\?provider=azure&max_p99_ms=3$"))
        expect(page.locator(".results tbody tr")).to_have_count(11)
        page.get_by_role("link", name="Throughput").click()
        expect(page).to_have_url(re.compile(r"&ordering=-throughput_ops_s$"))
        page.get_by_role("link", name="Remove the filter Maximum p99 (ms), load curves at their peak: 3").click()
        expect(page).to_have_url(re.compile(r"\?provider=azure&ordering=-throughput_ops_s$"))
        expect(page.get_by_label("Maximum p99 (ms)")).to_have_value("")
        assert page.evaluate("window.isSamePage")

        shown = page.locator(".results tbody").inner_html()
        page.locator(".results tbody th a").first.click()
        page.wait_for_url(re.compile(r"/submissions/\d+/$"))
        page.go_back()
        expect(page).to_have_url(re.compile(r"\?provider=azure&ordering=-throughput_ops_s$"))
        expect(page.locator("input[name=provider][value=azure]")).to_be_checked()
        assert page.locator(".results tbody").inner_html().split() == shown.split()
    assert complaints == []


def test_more_rows_are_shown_without_another_page_and_ticked_ones_stay_ticked(open_browser, many):
    with open_browser() as (page, complaints):
        page.goto("/submissions/")
        page.get_by_label("Search this list").fill("m1 REGION")
        expect(page).to_have_url(re.compile(r"\?q=m1\+REGION$"))
        page.get_by_label("Search this list").fill("result")
        expect(page.get_by_role("button", name=re.compile(r"^Show \d+ more of \d+$"))).to_be_visible()
        page.locator("input[name=s]").first.check()
        page.get_by_role("button", name=re.compile("^Show")).click()
        assert rows_of(page) > 50
        expect(page.locator("input[name=s]").first).to_be_checked()
    assert complaints == []


def test_hidden_columns_stay_hidden_on_the_next_visit(open_browser, many):
    with open_browser() as (page, complaints):
        page.goto("/submissions/")
        page.get_by_text("Columns", exact=True).click()
        page.get_by_label("Database", exact=True).uncheck()
        expect(page.get_by_role("columnheader", name="Database")).to_be_hidden()
        page.locator("input[name=provider][value=aws]").check()
        expect(page).to_have_url(re.compile("provider=aws"))
        expect(page.get_by_role("columnheader", name="Database")).to_be_hidden()
        page.goto("/submissions/?provider=gce")
        expect(page.get_by_role("columnheader", name="Database")).to_be_hidden()
        expect(page.get_by_role("columnheader", name="Workload")).to_be_visible()
    assert complaints == []


def test_a_longer_list_is_filtered_by_the_server_without_another_page(open_browser, many, monkeypatch):
    monkeypatch.setattr("submissions.records.list.columns.MOST_ROWS", 20)
    with open_browser(width=NARROW) as (page, complaints):
        page.goto("/submissions/")
        page.evaluate("window.isSamePage = true")
        page.get_by_label("Show the filters").check()
        page.locator("input[name=provider][value=azure]").check()
        expect(page).to_have_url(re.compile(r"\?provider=azure$"))
        expect(page.locator(".finding")).to_contain_text("23 results")
        expect(page.get_by_label("Show the filters")).to_be_checked()
        assert page.evaluate("window.isSamePage")
    assert complaints == []


def test_without_javascript_the_form_is_sent(open_browser, many):
    with open_browser(javascript=False) as (page, _):
        page.goto("/submissions/")
        expect(page.get_by_text("Columns", exact=True)).to_be_hidden()
        page.locator("input[name=provider][value=azure]").check()
        page.get_by_role("button", name="Apply").click()
        expect(page.locator(".finding")).to_contain_text("23 results")


def test_two_thousand_rows_are_filtered_within_a_blink(open_browser, many):
    from django.db.models.base import ModelState

    from submissions.models import Submission

    whole = list(Submission.objects.filter(workload=many))
    copies = [copy(whole[number % len(whole)]) for number in range(1900)]
    for number, row in enumerate(copies):
        row.pk, row._state, row.content_hash = None, ModelState(), f"{number:064x}"
        row.throughput_ops_s, row.latency_p99_ms = 1000.5 + number, 1.0 + number % 300 / 10
    Submission.objects.bulk_create(copies)
    with open_browser() as (page, complaints):
        page.goto(f"/submissions/?workload={many.fingerprint}")
        page.evaluate("columnsOfList()")
        page.wait_for_function("columnsOfList() && !(columnsOfList() instanceof Promise)")
        milliseconds = page.evaluate(
            """() => ["provider=aws", "max_p99_ms=20", "ordering=-ops_per_usd", "q=result+m5"].map((query) => {
                const begin = performance.now();
                show(columnsOfList(), `${new URLSearchParams(baseOf())}&${query}`, 0);
                document.body.getBoundingClientRect(); // the layout too
                return Math.round(performance.now() - begin);
            })"""
        )
        sys.stdout.write(f"{page.evaluate('columnsOfList().count')} rows: {milliseconds} ms\n")
        expect(page.locator(".finding")).to_contain_text("match these filters")
    assert complaints == []


def test_value_and_the_page_of_a_workload_answer_without_another_page(open_browser, aws_and_gce):
    aws, _ = aws_and_gce
    for address, by in (
        (f"/value/?workload={aws.workload.fingerprint}", "instance_type"),
        (f"/workloads/{aws.workload.fingerprint}/", "provider"),
    ):
        with open_browser() as (page, complaints):
            page.goto(address)
            at = page.url
            page.evaluate("window.isSamePage = true")
            before = page.locator("#answer h2").first.inner_text()
            page.get_by_label("Group by").select_option(by)
            expect(page).to_have_url(re.compile(f"by={by}"))
            expect(page.locator("#answer h2").first).to_contain_text(by.replace("_", " "))
            assert page.evaluate("window.isSamePage")
            assert page.locator("#finding .finding").count() == 1
            page.go_back()
            expect(page).to_have_url(at)
            expect(page.locator("#answer h2").first).to_have_text(before)
        assert complaints == []
