"""The list of results in a browser: a click shows what its address shows, without another page."""

import re
from contextlib import contextmanager

import pytest
from playwright.sync_api import expect

from tests.e2e.conftest import store_published
from tests.e2e.steps import NARROW

expect.set_options(timeout=30_000)  # as long as a click may take, on a busy machine

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
        notes: all(".results > .note, .results .empty", words),
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


def box(name, value):
    return f"input[name={name}][value='{value}']"


@pytest.fixture
def open_list(open_browser, many):
    """The list in a browser, which must stay on its page."""

    @contextmanager
    def opened(query="", **kwargs):
        with open_browser(**kwargs) as (page, complaints):
            page.goto(f"/submissions/{query}")
            page.evaluate("window.isSamePage = true")
            yield page
            assert page.evaluate("window.isSamePage")
        assert complaints == []

    return opened


STEPS = (
    ("provider=azure", lambda page: page.locator(box("provider", "azure")).check()),
    ("max_p99_ms=20", lambda page: page.get_by_label("Maximum p99 (ms)").fill("20")),
    ("ordering=-throughput_ops_s", lambda page: page.get_by_role("link", name="Throughput").click()),
    ("flag=short", lambda page: page.locator(box("flag", "short")).check()),
    ("latency_kind=", lambda page: page.locator("#sort-p99").click()),
    ("flag=short&ordering", lambda page: page.get_by_role("link", name="Remove the filter Provider: Azure").click()),
    (r"latency_kind=\w+_time", lambda page: page.get_by_role("link", name=re.compile("^Show .+ time")).last.click()),
    ("q=RESULT", lambda page: page.get_by_label("Search this list").fill("RESULT m1")),
    ("q=nothing", lambda page: page.get_by_label("Search this list").fill("nothing at all")),
    (r"/submissions/$", lambda page: page.get_by_role("link", name="Clear all").click()),
    (r"workload=\w+$", lambda page: page.locator("input[name=workload]").first.check()),
)


def test_after_each_step_the_page_shows_what_its_address_shows(open_browser, open_list):
    with open_list() as page, open_browser() as (other, _):
        for address, step in STEPS:
            step(page)
            expect(page).to_have_url(re.compile(address))
            expect(page.locator(".htmx-request, .htmx-swapping, .htmx-settling")).to_have_count(0)
            other.goto(page.url)
            assert page.evaluate(WHAT_IS_SHOWN) == other.evaluate(WHAT_IS_SHOWN), address


def test_a_box_acts_at_once_keeps_the_focus_and_can_be_undone(open_list):
    with open_list() as page:
        expect(page.get_by_role("button", name="Apply")).to_have_count(0)
        azure = page.locator(box("provider", "azure"))
        azure.focus()
        page.keyboard.press("Space")
        expect(page).to_have_url(re.compile(r"\?provider=azure$"))
        expect(page.locator(".finding")).to_contain_text("23 results of 1 workload match these filters.")
        assert page.locator("[aria-live] .finding").count() == 1
        expect(azure).to_be_focused()
        page.get_by_role("link", name="Throughput").press("Enter")
        expect(page).to_have_url(re.compile(r"&ordering=-throughput_ops_s$"))
        expect(page.get_by_role("link", name="Throughput")).to_be_focused()
    with open_list() as page:
        page.locator(box("provider", "azure")).check()
        expect(page).to_have_url(re.compile(r"\?provider=azure$"))
        page.go_back()
        expect(page).to_have_url(re.compile(r"/submissions/$"))
        expect(page.locator(".finding")).not_to_contain_text("match these filters")
        expect(page.locator(box("provider", "azure"))).not_to_be_checked()
        page.evaluate("window.isSamePage = true")  # what was before is read again


def test_what_is_typed_and_what_is_ticked_stays(open_list):
    with open_list() as page:
        search = page.get_by_label("Search this list")
        search.fill("result")
        expect(page.locator(".finding")).to_contain_text("70 results")
        page.get_by_role("link", name="Throughput").click()
        expect(page).to_have_url(re.compile("-throughput_ops_s$"))
        page.locator("input[name=s][aria-label*='6']").first.check()
        ticked = page.locator("input[name=s]:checked").get_attribute("value")

        search.fill("result 6")

        expect(page).to_have_url(re.compile(r"q=result%206"))
        expect(search).to_have_value("result 6")
        expect(search).to_be_focused()
        expect(page.locator("input[name=s]:checked")).to_have_value(ticked)
        page.get_by_role("link", name="Remove the filter Search this list: result 6").click()
        expect(search).to_have_value("")


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


def test_on_a_phone_the_filters_stay_open(open_list):
    with open_list(width=NARROW) as page:
        page.get_by_label("Show the filters").check()
        page.locator(box("provider", "azure")).check()
        expect(page.locator(".finding")).to_contain_text("23 results")
        expect(page.get_by_label("Show the filters")).to_be_checked()
        page.get_by_role("link", name="Remove the filter Provider: Azure").click()
        expect(page).to_have_url(re.compile(r"/submissions/$"))
        expect(page.get_by_label("Show the filters")).to_be_checked()


def test_without_javascript_the_form_is_sent(open_browser, many):
    with open_browser(javascript=False) as (page, _):
        page.goto("/submissions/")
        expect(page.get_by_text("Columns", exact=True)).to_be_hidden()
        page.locator("input[name=provider][value=azure]").check()
        page.get_by_role("button", name="Apply").click()
        expect(page.locator(".finding")).to_contain_text("23 results")


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
