"""A site's first run, in a real browser: one button on the first page, watch, land on the submission."""

import time

import pytest

from tests.e2e.steps import NARROW, WIDE, faults, press, sign_up

LIMIT_SECONDS = 600  # about 40 on a quiet machine


@pytest.fixture(autouse=True)
def short_trials(monkeypatch):
    """The form's defaults, but trials of three seconds: nothing on the way depends on their length."""
    from runners.load_tools.pgbench.pgbench import PGBENCH_PRESET

    monkeypatch.setitem(PGBENCH_PRESET["workload"], "duration_seconds", 3)


def nudge_until(page, happens):
    """Be beat: two messages a second until the page shows what is waited for."""
    from runners.tasks import drive_due

    deadline = time.monotonic() + LIMIT_SECONDS
    while not happens():
        assert time.monotonic() < deadline, page.locator("main").inner_text()
        drive_due.delay()
        page.wait_for_timeout(500)


def choose(field, option, **how):
    """Until the fields of the choice are there and listen: htmx has them listen a moment after it has put them in."""
    field.select_option(option, **how)
    busy = ".htmx-request, .htmx-swapping, .htmx-settling, .htmx-added"
    field.page.wait_for_function("busy => !document.querySelector(busy)", arg=busy)


def finding(page):
    return page.locator(".finding").first.inner_text()


@pytest.fixture
def cloud_too(local_runs, settings):
    """This machine and a cloud with two priced types."""
    from tests.runners.fake_runs import record_prices

    settings.RUN_PROVIDERS = ["local", "fake"]
    record_prices()


def test_the_form_has_the_fields_of_what_is_chosen(open_browser, violations, cloud_too):
    with open_browser(width=NARROW) as (page, complaints):
        sign_up(page)
        page.goto("/runs/new/")
        assert page.get_by_label("Scale factor").is_visible()
        assert page.get_by_label("Region").count() == page.get_by_label("Consistency level").count() == 0

        choose(page.get_by_label("Database and load tool"), None, label="Apache Cassandra, by cassandra-stress")
        page.get_by_label("Consistency level").wait_for()
        choose(page.get_by_label("Provider"), "fake")
        page.get_by_label("Region").fill("us-east-1")
        page.get_by_label("Instance type", exact=True).first.click()
        page.locator("#instance-types option[value='m5.large']").wait_for(state="attached")
        assert page.get_by_label("Scale factor").count() == 0
        page.get_by_label("Instance type", exact=True).first.fill("m5.xlarge")
        page.get_by_label("Database nodes").click()
        page.locator("#id_database_type_helptext", has_text="$0.192/h").wait_for()
        found = faults(page, violations)

    assert found == []
    assert complaints == []


@pytest.fixture
def administrator(local_runs, settings):
    """Of a site that has just been started for the first time: runs need a permission, which others do not have."""
    from tests.factories import UserFactory

    settings.RUNS_NEED_PERMISSION = True
    return UserFactory(username="admin", is_staff=True, is_superuser=True)


def test_the_administrator_measures_this_machine_by_one_button(open_browser, violations, celery_worker, administrator):
    from submissions.models import Submission

    with open_browser(width=WIDE) as (page, complaints):
        page.goto("/")
        found = violations(page)
        page.get_by_role("link", name="Sign in to measure this machine").click()
        page.get_by_label("Username").fill("admin")
        page.get_by_label("Password").fill("factory-password")
        press(page, "Sign in")
        button = page.get_by_role("button", name="Measure this machine")
        found += violations(page)
        with page.expect_navigation():
            button.click()
        page.wait_for_url("**/runs/*/")
        nudge_until(page, lambda: "trial 2 of 3" in finding(page) or finding(page).startswith("Completed"))
        found += violations(page)
        nudge_until(page, lambda: finding(page).startswith(("Completed", "Failed", "Cancelled")))

        assert finding(page).startswith("Completed"), page.locator("main").inner_text()
        page.set_viewport_size({"width": NARROW, "height": 900})
        page.reload()
        page.locator("#live-chart svg.narrow").wait_for()
        found += violations(page)
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
        shown = page.locator("main").inner_text()
        assert "p99 latency, ms" in shown
        assert "0 machines left" in shown
        page.locator(".finding a").click()
        page.wait_for_url("**/submissions/*/")
        shown = page.locator("main").inner_text()
        assert "run by us" in shown
        assert "pgbench" in shown
        page.goto("/")
        assert "easure this machine" not in page.locator("main").inner_text()
        assert "PostgreSQL" in page.locator("main").inner_text()

    result = Submission.objects.get()
    assert (result.service, result.provider, result.client_placement) == ("postgresql", "local", "on_database")
    assert found == []
    assert complaints == []


def test_a_plan_needs_nothing_but_its_defaults(open_browser, violations, local_runs):
    with open_browser(width=WIDE) as (page, complaints):
        sign_up(page)
        page.get_by_role("link", name="Run", exact=True).click()
        page.get_by_role("button", name="New run").or_(page.get_by_role("link", name="New run")).first.click()
        page.wait_for_url("**/runs/new/")
        found = violations(page)
        press(page, "Review cost")
        page.wait_for_url("**/confirm/")
        found += violations(page)
        assert "Free. Stops after 15 minutes at the latest." in finding(page)

        press(page, "Start the run")
        found += violations(page)

        assert finding(page) == "Queued."

    assert found == []
    assert complaints == []
