"""The pages of the API: the reference, which needs no script, and the console that sends requests."""

import pytest

from tests.e2e.steps import LOOKS, NARROW, faults

KINDS = ("get", "post", "patch", "delete")


@pytest.mark.parametrize(("width", "scheme"), LOOKS)
def test_the_reference_is_accessible_and_fits(open_browser, violations, width, scheme):
    with open_browser(width=width, scheme=scheme) as (page, complaints):
        found = faults(page, violations, "/api/docs/")

    assert found == []
    assert complaints == []


def test_the_console_of_a_phone_is_accessible(open_browser, violations):
    with open_browser(width=NARROW, scheme="dark") as (page, complaints):
        page.goto("/api/docs/console/")
        page.locator(".opblock").first.wait_for()
        found = violations(page)

    assert found == []
    assert complaints == []


def test_the_console_sends_a_request_and_is_accessible_with_all_that_it_can_show(open_browser, violations):
    with open_browser() as (page, complaints):
        page.goto("/api/docs/console/")
        for kind in KINDS:
            block = page.locator(f".opblock-{kind}").first
            block.locator("button.opblock-summary-control").click()
            block.locator(".opblock-body").wait_for()
        first = page.locator(".opblock-get").first
        first.locator(".try-out__btn").click()
        first.get_by_role("button", name="Execute").click()
        first.locator(".live-responses-table").wait_for()
        answer = first.locator(".live-responses-table").inner_text()
        found = violations(page)
        page.locator(".auth-wrapper .authorize").first.click()
        page.get_by_role("heading", name="Available authorizations").wait_for()
        found += violations(page)

    assert "200" in answer
    assert "/api/v1/submissions/" in answer
    assert found == []
    assert complaints == []
