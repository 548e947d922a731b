"""A new user's first run, in a real browser: keep the defaults, confirm, watch, land on the submission."""

import time

import pytest

from tests.e2e.steps import NARROW, WIDE, press, sign_up, wait_for_charts

LIMIT_SECONDS = 600  # about 40 on a quiet machine


@pytest.fixture(autouse=True)
def short_trials(monkeypatch):
    """The form's defaults, but trials of five seconds: nothing on the way depends on their length."""
    from runners.load_tools.pgbench import PGBENCH_PRESET

    monkeypatch.setitem(PGBENCH_PRESET["workload"], "duration_seconds", 5)


def nudge_until(page, happens):
    """Be beat: two messages a second until the page shows what is waited for."""
    from runners.tasks import drive_due

    deadline = time.monotonic() + LIMIT_SECONDS
    while not happens():
        assert time.monotonic() < deadline, page.locator("main").inner_text()
        drive_due.delay()
        page.wait_for_timeout(500)


def finding(page):
    return page.locator(".finding").first.inner_text()


def test_the_first_run_needs_nothing_but_its_defaults(open_browser, violations, celery_worker, local_runs):
    with open_browser(width=WIDE) as (page, complaints):
        sign_up(page)
        page.get_by_role("link", name="Runs", exact=True).click()
        page.get_by_role("button", name="New run").or_(page.get_by_role("link", name="New run")).first.click()
        page.wait_for_url("**/runs/new/")
        found = violations(page)
        press(page, "Review and confirm")
        page.wait_for_url("**/confirm/")
        found += violations(page)
        assert "The run costs at most $0.00" in finding(page)

        press(page, "Start the run")
        nudge_until(page, lambda: "trial 2 of 3" in finding(page) or finding(page).startswith("Completed"))
        wait_for_charts(page)
        found += violations(page)
        nudge_until(page, lambda: finding(page).startswith(("Completed", "Failed", "Cancelled")))

        assert finding(page).startswith("Completed"), page.locator("main").inner_text()
        page.set_viewport_size({"width": NARROW, "height": 900})
        page.reload()
        page.locator("#live-chart[data-drawn=true]").wait_for()
        found += violations(page)
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
        page.locator(".finding a").click()
        page.wait_for_url("**/submissions/*/")
        shown = page.locator("main").inner_text()

    assert "run by us" in shown
    assert "pgbench" in shown
    assert found == []
    assert complaints == []
