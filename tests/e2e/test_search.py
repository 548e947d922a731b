"""The search in a browser: by its key, by keyboard alone, on a phone, without a script."""

import pytest

from tests.e2e.steps import LOOKS, NARROW, faults


@pytest.mark.parametrize(("width", "scheme"), LOOKS)
def test_the_search_is_accessible_and_fits(open_browser, violations, published, width, scheme):
    paths = ("/search/", "/search/?q=cassandra", "/search/?q=netflix+nowhere")
    with open_browser(width=width, scheme=scheme) as (page, complaints):
        found = [fault for path in paths for fault in faults(page, violations, path)]

    assert found == []
    assert complaints == []


def test_the_key_leads_to_the_box_and_is_a_letter_where_something_is_typed(open_browser, published):
    with open_browser() as (page, complaints):
        page.goto("/about/methodology/")
        page.keyboard.press("/")
        assert page.locator("#header-search").evaluate("one => one === document.activeElement")
        page.keyboard.type("net/flix")
        assert page.locator("#header-search").input_value() == "net/flix"
        page.keyboard.press("Control+A")
        page.keyboard.type("netflix writes")
        with page.expect_navigation():
            page.keyboard.press("Enter")
        assert page.url.endswith("/search/?q=netflix+writes")
        assert page.locator(".hits mark").first.inner_text().lower() == "netflix"

    assert complaints == []


def test_on_a_phone_the_key_opens_the_menu_and_its_box(open_browser, published):
    with open_browser(width=NARROW) as (page, complaints):
        page.goto("/value/")
        page.keyboard.press("/")
        assert page.locator("#menu-search").is_visible()
        assert page.locator("#menu-search").evaluate("one => one === document.activeElement")

    assert complaints == []


def test_without_a_script_a_page_that_is_not_there_leads_to_what_was_meant(open_browser, published):
    with open_browser(javascript=False) as (page, _):
        page.goto("/netflix/")
        with page.expect_navigation():
            page.get_by_role("button", name="Search", exact=True).click()
        page.locator(".hits a").first.click()
        assert "Netflix" in page.locator("h1").inner_text()
