"""From the first page to a cluster with its price: by keyboard, on a phone, without JavaScript."""

from datetime import UTC, datetime

from tests.e2e.steps import NARROW
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
    for name, value in (("target_ops_s", "100000"), ("max_p99_ms", "10")):
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
