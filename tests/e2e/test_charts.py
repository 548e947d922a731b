"""Charts in the browser: drawn under the strict policy, in the reader's colours, and exported."""

import re

import pytest
from playwright.sync_api import expect

from tests.e2e.steps import wait_for_charts


@pytest.fixture
def value_page(page, aws_and_gce):
    page.goto(f"/value/?workload={aws_and_gce[0].workload.fingerprint}")
    wait_for_charts(page)
    return page


def test_both_charts_have_their_marks_and_axes(value_page):
    assert value_page.locator("#groups .bars .points .point > path").count() == 2
    assert value_page.locator("#pareto .points path").count() == 4
    expect(value_page.locator("#pareto .xtitle")).to_have_text("Cluster cost (USD/h)")
    expect(value_page.locator("#pareto .ytitle")).to_have_text("Throughput (ops/s)")


def test_the_policy_allows_neither_inline_script_nor_inline_style(value_page):
    answer = value_page.request.get(value_page.url)

    policy = answer.headers["content-security-policy"]
    assert "unsafe-inline" not in policy
    assert "unsafe-eval" not in policy
    assert not re.search(r"<script(?![^>]*(src=|application/json))", answer.text())
    assert not re.search(r"\sstyle=|<style", answer.text())


def test_the_chart_gives_its_finding_to_readers_who_cannot_see_it(value_page):
    chart = value_page.get_by_role("img", name=re.compile("offers the best value|statistically tied"))

    expect(chart).to_be_visible()


def test_a_chart_follows_light_and_dark(value_page):
    paper = value_page.locator("#pareto svg.main-svg").first

    value_page.emulate_media(color_scheme="light")
    expect(paper).to_have_css("background-color", "rgb(255, 255, 255)")
    value_page.emulate_media(color_scheme="dark")

    expect(paper).to_have_css("background-color", "rgb(20, 24, 29)")


@pytest.mark.parametrize(("kind", "start"), [("PNG", b"\x89PNG\r\n"), ("SVG", b"<svg ")])
def test_a_chart_can_be_taken_away(value_page, kind, start):
    with value_page.expect_download() as download:
        value_page.get_by_role("button", name=f"Chart as {kind}").first.click()

    content = download.value.path().read_bytes()
    assert download.value.suggested_filename == f"groups.{kind.lower()}"
    assert content.startswith(start)
    assert len(content) > 5000


@pytest.mark.parametrize("mark", ["#groups .bars .points .point > path", "#pareto .points path"])
def test_the_mark_under_the_pointer_is_described(value_page, mark):
    place = value_page.locator(mark).first
    place.scroll_into_view_if_needed()
    box = place.bounding_box()

    value_page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)

    expect(value_page.locator(".hoverlayer .hovertext").first).to_contain_text("M ops/$")


def test_a_rate_is_told_without_an_exponent(value_page):
    place = value_page.locator("#pareto .points path").first
    place.scroll_into_view_if_needed()
    box = place.bounding_box()

    value_page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)

    expect(value_page.locator(".hoverlayer .hovertext").first).to_contain_text("90,750 ops/s at 1.596 USD/h")


def test_a_mark_leads_to_its_submission(value_page, aws_and_gce):
    aws, _ = aws_and_gce
    mark = value_page.locator("#pareto .points path").first
    mark.scroll_into_view_if_needed()
    box = mark.bounding_box()

    value_page.mouse.click(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)

    value_page.wait_for_url(re.compile(rf"/submissions/{aws.pk}/$"))


def test_a_page_without_a_chart_loads_no_plotly(page, published):
    asked = []
    page.on("request", lambda request: asked.append(request.url))

    page.goto("/prices/")

    assert not [address for address in asked if "plotly" in address]
