"""The list of results in a browser: it filters, orders and searches at once, and says what the server says."""

import re

import pytest

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


@pytest.fixture
def many(published):
    """The published results, and some beside them with what is unknown, tied, flagged or written strangely."""
    from datetime import UTC, datetime
    from decimal import Decimal

    from submissions.models import Workload
    from tests.factories import SubmissionFactory

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
            flags=[[], ["short"], ["short", "errors"]][number % 3],
            throughput_ops_s=(90750.0, 1234.5, 100 / 3, 22.25, 12_250.0, 0.5, 1e6)[known] * (1 + number // 7),
            throughput_cv=None if known == 5 else 0.012345 * (1 + known),
            trials_count=1 + known,
            latency_kind=("service_time", "response_time", "unknown")[number % 3],
            latency_p99_ms=None if known == 6 else (3.0, 12.25, 0.5234, 9.995, 150.5, 2.25)[known],
            hourly_usd=None if known == 5 else Decimal("0.125") * (1 + number % 13),
            ops_per_usd=None if known == 5 else Decimal("439713157.8947") / (1 + number % 9),
            measured_at=None if known == 0 else datetime(2015 + known, 1 + known, 3, number % 24, tzinfo=UTC),
        )
    return workload


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


@pytest.mark.parametrize(
    "query",
    [
        "provider=aws",
        "provider=aws&provider=gce&trust=uploaded",
        "region=unknown&disk_kind=unknown",
        "cpu_model=unknown&ordering=-throughput_ops_s",
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
    ],
)
def test_the_browser_shows_what_the_server_shows(open_browser, many, query):
    address = f"/submissions/?{query.format(workload=many.fingerprint)}"
    with open_browser() as (page, complaints):
        shown = settled(page, address)
        at = page.url
        page.goto(address)
        by_server = page.evaluate(WHAT_IS_SHOWN)
        assert page.url == at
    if "workload=" in query:  # rows of other workloads are not there to be counted
        for one in (shown, by_server):
            one["facets"] = [text for text in one["facets"] if not text.startswith("Workload")]
            # titles are told apart from those of the other workloads that are listed
            one["chips"] = [(re.sub(r" \([0-9a-f]{6}\)", "", words), address) for words, address in one["chips"]]
    assert shown == by_server
    assert complaints == []
