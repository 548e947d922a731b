"""The look that all pages share: the header, tables of one line a row or two, a result in two columns."""

from playwright.sync_api import expect

from tests.e2e.steps import NARROW, WIDE, tab_to

TWO_LINES = 52  # px: of 13 px text, its padding and the line below it; the place of a cluster may be on the second
A_HEADER = 60


def height(page, selector):
    return page.locator(selector).first.bounding_box()["height"]


def test_on_a_wide_screen_tables_are_dense_and_a_result_has_its_facts_beside_it(open_browser, aws_and_gce):
    _, gce = aws_and_gce
    with open_browser(width=WIDE) as (page, complaints):
        page.goto("/submissions/")
        rows = page.locator(".results tbody tr")
        assert max(row.bounding_box()["height"] for row in rows.all()) <= TWO_LINES
        rows.last.scroll_into_view_if_needed()
        assert page.locator(".results thead th").nth(1).bounding_box()["y"] >= 0  # the head stays in sight

        page.goto(f"/submissions/{gce.pk}/")
        assert page.locator(".key-figure .figure").evaluate("one => getComputedStyle(one).fontSize") == "36px"
        expect(page.locator(".key-figure .figure")).to_have_text("440 M ops/$")
        assert page.locator(".figures div").count() == 4
        expect(page.locator(".figures")).not_to_contain_text("unknown")
        result, facts = (page.locator(f".two-columns > {side}").bounding_box() for side in ("div:first-child", ".side"))
        assert result["x"] + result["width"] <= facts["x"]
        assert result["y"] == facts["y"]
    assert complaints == []


def test_the_list_never_cuts_a_cluster_and_its_region_and_explains_old(open_browser):
    from tests.factories import SubmissionFactory

    row = SubmissionFactory(provider="scylladb-cloud", region="ap-northeast-1", instance_type="i4i.metal-24xl")
    with open_browser(width=WIDE) as (page, complaints):
        page.goto("/submissions/")
        cell = page.locator(".results tbody th.cluster").first
        expect(cell).to_contain_text(f"ScyllaDB Cloud {row.region}")
        assert cell.evaluate("one => one.scrollWidth - one.clientWidth") <= 0
        expect(page.locator(".results .note:not(.credits)").first).to_contain_text(
            "in lists: old): measured over 12 months ago"
        )
    assert complaints == []


def test_on_a_phone_rows_are_cards_and_the_menu_opens_by_keyboard(open_browser, aws_and_gce):
    _, gce = aws_and_gce
    with open_browser(width=NARROW) as (page, complaints):
        page.goto(f"/submissions/?workload={gce.workload.fingerprint}&ordering=-ops_per_usd")
        assert height(page, ".site-header") <= A_HEADER
        card = page.locator(".results tbody tr").first
        box = card.bounding_box()
        for shown in card.locator("th, .num:visible").all():
            inner = shown.bounding_box()
            assert inner["x"] >= 0
            assert inner["x"] + inner["width"] <= NARROW
        assert box["height"] < 5 * 20  # the place may take a line of its own
        assert card.locator("td.key").evaluate("one => getComputedStyle(one, '::after').content") == '" M\xa0ops/$"'
        # the order of rows can still be chosen
        expect(page.get_by_role("link", name="Throughput")).to_be_visible()
        # a card is a row with cells to assistive technology too
        tree = page.context.new_cdp_session(page).send("Accessibility.getFullAXTree")["nodes"]
        roles = [node["role"]["value"] for node in tree]
        assert roles.count("row") >= 5
        assert {"table", "rowheader", "cell", "columnheader"} <= set(roles)

        tab_to(page, ".menu summary")
        page.keyboard.press("Enter")
        expect(page.get_by_role("navigation", name="Menu").get_by_role("link", name="Scaling")).to_be_visible()
        tab_to(page, ".menu a", "Workloads")
        page.keyboard.press("Enter")
        page.wait_for_url("**/workloads/")
    assert complaints == []


def test_a_long_name_of_a_setting_makes_no_page_wider_than_a_phone(open_browser):
    from tests.factories import SubmissionFactory

    name = "osConfiguration.transparentHugePagesDefragmentation"
    row = SubmissionFactory()
    row.document["settings"] = {name: "NEVER"}
    row.save()
    with open_browser(width=NARROW) as (page, complaints):
        page.goto(f"/submissions/{row.pk}/")
        expect(page.get_by_text(name)).to_be_visible()
        assert page.evaluate("document.documentElement.scrollWidth") == NARROW
    assert complaints == []
