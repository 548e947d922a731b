"""Home, filter, detail, compare, value: once with the mouse, once with nothing but the keyboard."""

import re

from playwright.sync_api import expect

from tests.e2e.steps import tab_to

VERDICT = re.compile(r"22\.8\s% faster than .* delivers 2\.15\stimes as much per dollar")


def test_a_walk_with_the_mouse(page, aws_and_gce):
    aws, gce = aws_and_gce
    page.goto("/")

    page.get_by_role("link", name="Results", exact=True).click()
    page.get_by_role("checkbox", name=re.compile(r"^AWS \d+$")).check()
    expect(page).to_have_url(re.compile(r"provider=aws"))
    expect(page.get_by_role("link", name=re.compile("^Remove the filter Provider: AWS"))).to_be_visible()

    page.locator(f'a[href="/submissions/{aws.pk}/"]').first.click()
    expect(page).to_have_url(re.compile(rf"/submissions/{aws.pk}/$"))

    page.get_by_role("link", name="Compare with…").click()
    page.get_by_role("checkbox", name=f"Compare #{gce.pk}").check()
    page.get_by_role("button", name="Compare").last.click()
    expect(page.get_by_text(VERDICT).first).to_be_visible()

    page.get_by_role("link", name="Find", exact=True).click()
    page.get_by_role("link", name="Value", exact=True).click()
    page.get_by_label("Workload").select_option(aws.workload.fingerprint)
    page.get_by_label("Group by").select_option("instance type")
    page.get_by_label("Maximum p99 (ms)").fill("3.5")
    page.get_by_role("button", name="Show").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Operations per dollar by instance type")
    expect(page.get_by_text("with a p99 above 3.5 ms").first).to_be_visible()


def test_the_same_walk_with_the_keyboard_only(page, aws_and_gce):
    aws, gce = aws_and_gce
    page.goto("/")

    tab_to(page, "a", "Results")
    page.keyboard.press("Enter")
    page.wait_for_url("**/submissions/")
    tab_to(page, 'input[name=provider][value="aws"]')
    page.keyboard.press("Space")
    page.wait_for_url("**provider=aws**")
    tab_to(page, f'a[href="/submissions/{aws.pk}/"]')
    page.keyboard.press("Enter")
    page.wait_for_url(f"**/submissions/{aws.pk}/")

    tab_to(page, "a", "Compare with…")
    page.keyboard.press("Enter")
    page.wait_for_url("**/compare/**")
    tab_to(page, f'input[name=s][value="{gce.pk}"]')
    page.keyboard.press("Space")
    page.keyboard.press("Enter")
    page.wait_for_url(f"**/compare/?s={aws.pk}&s={gce.pk}")
    expect(page.get_by_text(VERDICT).first).to_be_visible()

    tab_to(page, "a", "Find")
    page.keyboard.press("Enter")
    page.wait_for_url(lambda url: "/compare/" not in url)
    tab_to(page, "a", "Value")
    page.keyboard.press("Enter")
    page.wait_for_url("**/value/")
    tab_to(page, "select[name=by]")
    page.keyboard.press("ArrowDown")  # from cloud to instance type
    tab_to(page, "input[name=max_p99_ms]")
    page.keyboard.type("100")
    page.keyboard.press("Enter")
    page.wait_for_url("**by=instance_type&max_p99_ms=100**")
    expect(page.get_by_role("heading", level=1)).to_have_text("Operations per dollar by instance type")


def test_the_first_tab_skips_to_the_content(page, published):
    page.goto("/value/")

    page.keyboard.press("Tab")
    expect(page.get_by_role("link", name="Skip to the content")).to_be_focused()
    page.keyboard.press("Enter")
    page.keyboard.press("Tab")

    expect(page.get_by_label("Workload")).to_be_focused()
