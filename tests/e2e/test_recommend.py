"""From the first page to a cluster with its price: by keyboard, on a phone, without JavaScript."""

from datetime import UTC, datetime

import pytest

from tests.e2e.steps import NARROW, WIDE, faults, press, tab_to
from tests.submissions.questions.recommend.results import cluster


def test_a_phone_without_a_script_and_without_a_mouse_gets_an_answer_in_one_step(browser, live_server):
    cluster(136_000.0, 138_000.0, nodes=6, instance_type="i4g.4xlarge", measured_at=datetime(2025, 3, 4, tzinfo=UTC))
    context = browser.new_context(
        base_url=live_server.url, viewport={"width": NARROW, "height": 844}, java_script_enabled=False
    )
    page = context.new_page()
    page.goto("/")
    page.locator("select[name=work]").focus()
    page.keyboard.type("mixed")
    for name, value in (("target_ops_s", "100000"), ("data_gib", ""), ("max_p99_ms", "10")):
        page.keyboard.press("Tab")
        assert page.locator(f"input[name={name}]").evaluate("one => one === document.activeElement")
        page.keyboard.type(value)
    with page.expect_navigation():
        page.keyboard.press("Enter")

    answer = page.locator(".answer").first.inner_text()
    for words in (
        "$4,380/month",
        "6× i4g.4xlarge · AWS us-east-1",
        "137 k ops/s · p99 4.0 ms",
        "2 trials",
        "over 98 %",
    ):
        assert words in answer.replace("\u00a0", " ")
    assert page.evaluate("document.documentElement.scrollWidth") <= NARROW
    assert "work=mixed" in page.url
    context.close()


QUESTION = {"work": "mixed", "target_ops_s": "100000", "max_p99_ms": "10"}


def answer_of_the_pack(page):
    """The first answer, in one line; the page must fit."""
    assert page.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0
    return page.locator(".answer").first.inner_text().replace("\u00a0", " ")


WORDS = ("$6,017/month", "6× i4g.4xlarge · AWS eu-west-1", "132 k ops/s", "p99 ≤ 5.7 ms", "With the usual noise")


@pytest.fixture
def runs_of_cassandra(live_server):
    from tests.public_pack import with_cassandra_runs

    with_cassandra_runs()


@pytest.mark.parametrize(("width", "javascript"), [(WIDE, True), (NARROW, True), (NARROW, False)])
def test_the_published_runs_answer_with_two_clicks(open_browser, runs_of_cassandra, width, javascript):
    with open_browser(width=width, javascript=javascript) as (page, complaints):
        page.goto("/")
        page.locator("select[name=service]").select_option("cassandra")
        page.locator("select[name=work]").select_option(QUESTION["work"])
        page.locator("input[name=target_ops_s]").fill(QUESTION["target_ops_s"])
        page.locator("input[name=max_p99_ms]").fill(QUESTION["max_p99_ms"])
        press(page, "Find")  # the first click
        answer = answer_of_the_pack(page)
        page.locator(".answer-cluster a").first.click()  # the second one: what it rests on
        page.wait_for_url("**/submissions/*/")
        assert "i4g.4xlarge" in page.locator("main").inner_text()

    for words in WORDS:
        assert words in answer
    assert complaints == []


def test_the_published_runs_answer_by_keyboard_alone_and_mostly_reads_shows_the_nearest(
    open_browser, violations, runs_of_cassandra
):
    with open_browser(width=NARROW, scheme="dark") as (page, complaints):
        page.goto("/")
        tab_to(page, "select[name=service]")
        page.keyboard.type("Apache")
        tab_to(page, "select[name=work]")
        page.keyboard.type("mixed")
        tab_to(page, "input[name=target_ops_s]")
        page.keyboard.type(QUESTION["target_ops_s"])
        tab_to(page, "input[name=max_p99_ms]")
        page.keyboard.type(QUESTION["max_p99_ms"])
        page.keyboard.press("Enter")
        page.wait_for_url("**work=mixed**")
        for words in WORDS:
            assert words in answer_of_the_pack(page)
        found = faults(page, violations)

        tab_to(page, "select[name=work]")
        page.keyboard.type("mostly reads")
        tab_to(page, "input[name=max_p99_ms]")
        page.keyboard.press("Enter")
        page.wait_for_url("**work=reads**")
        answers = page.locator("main").inner_text().replace("\u00a0", " ")
        found += faults(page, violations)

    assert "No measured cluster of Apache Cassandra, mostly reads meets both. Closest: " in answers
    assert "The nearest that was measured" in answers
    assert found == []
    assert complaints == []
