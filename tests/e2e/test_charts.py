"""Charts in the browser: drawn under the strict policy, in the reader's colours, and exported."""

import re

import pytest
from playwright.sync_api import expect

from tests.e2e.steps import explore_charts


@pytest.fixture
def value_page(page, aws_and_gce):
    page.goto(f"/value/?workload={aws_and_gce[0].workload.fingerprint}")
    return page


@pytest.fixture
def explored(value_page):
    explore_charts(value_page)
    return value_page


def test_a_chart_is_there_before_any_script_and_its_library_comes_when_it_is_touched(value_page, open_browser):
    asked = []
    value_page.on("request", lambda request: asked.append(request.url))
    value_page.reload()
    drawn = value_page.locator("#pareto svg.wide")
    expect(drawn).to_be_visible()
    assert drawn.locator("[data-trace] > *").count() >= 2
    size = "box => [box.offsetLeft, box.offsetTop, box.offsetWidth, box.offsetHeight]"
    place = value_page.locator("#pareto").evaluate(size)
    assert not [address for address in asked if "plotly" in address]
    assert value_page.locator("#pareto svg.narrow").is_hidden()

    button = value_page.locator("[data-explore=pareto]")
    button.focus()
    value_page.keyboard.press("Enter")
    value_page.locator("#pareto[data-drawn=true]").wait_for()

    assert [address for address in asked if "plotly" in address]
    assert value_page.locator("#pareto").evaluate(size) == place
    expect(value_page.locator("#pareto .xtitle")).to_have_text("Cluster cost (USD/h)")
    expect(value_page.locator("#pareto .interactive")).to_contain_text("Throughput (ops/s)")
    assert value_page.locator("#groups[data-drawn]").count() == 0

    value_page.locator("#groups").hover()
    value_page.locator("#groups[data-drawn=true]").wait_for()


def test_a_chart_of_many_marks_is_fetched_when_it_is_touched(page, aws_and_gce, monkeypatch):
    monkeypatch.setattr("submissions.templatetags.charts.MOST_ON_PAGE", 1_000)
    asked = []
    page.on("request", lambda request: asked.append(request.url))
    page.goto(f"/value/?workload={aws_and_gce[0].workload.fingerprint}")
    assert not [address for address in asked if "/api/v1/chart/" in address]

    explore_charts(page)

    assert len([address for address in asked if "/api/v1/chart/" in address]) == 2
    expect(page.locator("#pareto .xtitle")).to_have_text("Cluster cost (USD/h)")
    with page.expect_download() as download:
        page.get_by_role("button", name="Chart as SVG").first.click()
    assert "dot is a group's best result" in download.value.path().read_text()
    assert len([address for address in asked if "/api/v1/chart/" in address]) == 2


def test_without_javascript_a_chart_is_a_picture(open_browser, aws_and_gce):
    with open_browser(width=390, javascript=False) as (page, complaints):
        page.goto(f"/value/?workload={aws_and_gce[0].workload.fingerprint}")
        expect(page.locator("#groups svg.narrow")).to_be_visible()
        expect(page.locator("#groups svg.wide")).to_be_hidden()
        expect(page.get_by_role("button", name="Interactive").first).to_be_hidden()
        assert page.locator("#groups svg.narrow").get_by_text("440 M ops/$", exact=True).count() == 1

    assert complaints == []


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


def test_a_chart_follows_light_and_dark(explored):
    value_page = explored
    mark = value_page.locator("#pareto .points path").first

    value_page.emulate_media(color_scheme="light")
    expect(mark).to_have_css("fill", "rgb(213, 94, 0)")
    expect(value_page.locator("#pareto .legend text").first).to_have_css("fill", "rgb(27, 33, 40)")
    value_page.emulate_media(color_scheme="dark")

    expect(mark).to_have_css("fill", "rgb(240, 138, 75)")
    expect(value_page.locator("#pareto .legend text").first).to_have_css("fill", "rgb(223, 228, 234)")


@pytest.mark.parametrize(("kind", "start"), [("PNG", b"\x89PNG\r\n"), ("SVG", b"<svg ")])
def test_a_chart_can_be_taken_away(value_page, kind, start):
    with value_page.expect_download() as download:
        value_page.get_by_role("button", name=f"Chart as {kind}").first.click()

    content = download.value.path().read_bytes()
    assert re.fullmatch(
        rf"benchsite-value-by-cloud-\d{{4}}-\d\d-\d\d\.{kind.lower()}", download.value.suggested_filename
    )
    assert content.startswith(start)
    assert len(content) > 2500


@pytest.mark.parametrize("mark", ["#groups .points path", "#pareto .points path"])
def test_the_mark_under_the_pointer_is_described(explored, mark):
    place = explored.locator(mark).first
    place.scroll_into_view_if_needed()
    box = place.bounding_box()

    explored.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)

    expect(explored.locator(".hoverlayer .hovertext").first).to_contain_text("M ops/$")


def test_a_rate_is_told_without_an_exponent(explored):
    place = explored.locator("#pareto .points path").first
    place.scroll_into_view_if_needed()
    box = place.bounding_box()

    explored.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)

    expect(explored.locator(".hoverlayer .hovertext").first).to_contain_text("90,750 ops/s at 1.596 USD/h")


def test_a_mark_leads_to_its_submission(explored, aws_and_gce):
    aws, _ = aws_and_gce
    mark = explored.locator("#pareto .points path").first
    mark.scroll_into_view_if_needed()
    box = mark.bounding_box()

    explored.mouse.click(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)

    explored.wait_for_url(re.compile(rf"/submissions/{aws.pk}/$"))


def test_a_page_without_a_chart_loads_no_plotly(page, published):
    asked = []
    page.on("request", lambda request: asked.append(request.url))

    page.goto("/prices/")

    assert not [address for address in asked if "plotly" in address]
