"""The window of a run in the browser: dragged, typed with the keyboard only, and without script."""

import gzip
import json
import re

import pytest
from playwright.sync_api import expect

from submissions.choices import ArtifactKind
from tests.e2e.steps import LOOKS, explore_charts, faults, press, tab_to

COLUMNS = ("operation", "elapsed_seconds", "operations", "errors", "throughput_ops_s", "p99_ms", "gc_count", "gc_ms")


def series(rate):
    """Ten seconds of warm-up, a hundred steady ones, a collection every twenty, an error."""
    rows = []
    for second in range(1, 111):
        is_warm, collections = second > 10, int(second % 20 == 0)
        now, p99 = (rate, 2.0 + second % 3) if is_warm else (rate // 3, 9.0)
        rows.append(["total", float(second), now, int(second == 70), now, p99, collections, 35.0 * collections])
    return rows


@pytest.fixture
def two_runs(live_server):
    """Two submissions of one workload with histograms and intervals."""
    from tests.factories import ArtifactFactory, SubmissionFactory  # not before the tests have set Django up
    from tests.submissions.records.curves.test_percentile_curves import TRIAL

    made = []
    for rate in (900, 1200):
        submission = SubmissionFactory(throughput_ops_s=rate * 0.95, trials__histograms=TRIAL)
        content = {"columns": COLUMNS, "trials": [{"index": 0, "clients": [series(rate)]}]}
        data = gzip.compress(json.dumps(content).encode())
        ArtifactFactory(submission=submission, content=data, kind=ArtifactKind.INTERVALS, name="intervals.json.gz")
        made.append(submission)
    return made


def drag(page, chart, start, end):
    """Over shares of the width of the chart's topmost panel."""
    panel = page.locator(f"#{chart} .nsewdrag").first
    panel.scroll_into_view_if_needed()
    box = panel.bounding_box()
    height = box["y"] + box["height"] / 2
    page.mouse.move(box["x"] + start * box["width"], height)
    page.mouse.down()
    page.mouse.move(box["x"] + (start + end) / 2 * box["width"], height, steps=4)
    page.mouse.move(box["x"] + end * box["width"], height, steps=4)
    page.mouse.up()


def test_dragging_across_the_chart_sets_the_window(page, two_runs):
    one, _ = two_runs
    page.goto(f"/submissions/{one.pk}/")
    explore_charts(page)

    with page.expect_navigation():
        drag(page, "intervals-chart", 0.2, 0.8)

    expect(page).to_have_url(re.compile(r"\?from=2\d\.?\d*&to=8\d\.?\d*#intervals$"))
    expect(page.locator("main")).to_contain_text("the throughput was 900 ops/s")
    explore_charts(page)
    assert page.locator("#intervals-chart .shapelayer path").count() == 3  # two of the window, one of the warm-up
    page.get_by_role("link", name="Whole run").click()
    expect(page).to_have_url(re.compile(rf"/submissions/{one.pk}/\?#intervals$"))


def test_dragging_on_the_comparison_sets_one_window_for_all(page, two_runs):
    one, other = two_runs
    page.goto(f"/compare/?s={one.pk}&s={other.pk}&scale=log")
    explore_charts(page)

    with page.expect_navigation():
        drag(page, "overlay", 0.3, 0.9)

    expect(page).to_have_url(re.compile(rf"/compare/\?s={one.pk}&s={other.pk}&scale=log&from=\d+\.?\d*&to=\d+"))
    window = page.get_by_role("region", name="In the window")
    expect(window.get_by_role("row").nth(1)).to_contain_text("900")
    expect(window.get_by_role("row").nth(2)).to_contain_text("1.2 k")


def test_the_proposed_window_and_a_typed_one_are_reached_by_keyboard(page, two_runs):
    one, _ = two_runs
    page.goto(f"/submissions/{one.pk}/")

    tab_to(page, "a", "Use this window")
    page.keyboard.press("Enter")
    page.wait_for_url(f"**/submissions/{one.pk}/?from=10#intervals")
    tab_to(page, "#window-to")
    page.keyboard.type("60")
    page.keyboard.press("Enter")

    page.wait_for_url(f"**/submissions/{one.pk}/?from=10&to=60#intervals")
    expect(page.locator("main")).to_contain_text("45,000 operations / 50 s")


def test_the_window_works_without_script(browser, live_server, two_runs):
    one, _ = two_runs
    context = browser.new_context(base_url=live_server.url, java_script_enabled=False)
    page = context.new_page()
    page.goto(f"/submissions/{one.pk}/")

    page.get_by_label("From (s)").fill("20")
    page.get_by_label("To (s)").fill("30")
    press(page, "Show this window")

    expect(page.locator("main")).to_contain_text("From 20 s to 30 s the throughput was 900 ops/s")
    expect(page.get_by_text("Drag across the chart")).to_be_hidden()
    context.close()


@pytest.mark.parametrize(("width", "scheme"), LOOKS)
def test_curves_and_windows_are_accessible_and_fit(open_browser, violations, two_runs, width, scheme):
    one, other = two_runs
    found = []
    with open_browser(width=width, scheme=scheme) as (page, complaints):
        for path in (
            f"/submissions/{one.pk}/?from=10&to=60&scale=log",
            f"/compare/?s={one.pk}&s={other.pk}&from=10",
        ):
            page.goto(path)
            for summary in page.locator("main summary").all():
                summary.click()
            found += faults(page, violations)

    assert found == []
    assert complaints == []
