"""A real log by the form in a real browser: choose, review, complete, publish, land on its page."""

import re
from datetime import datetime

import pytest
from playwright.sync_api import expect

from submissions.models import Submission, Upload
from tests.e2e.steps import press, sign_up
from tests.files import stress_log


def test_a_stranger_signs_up_and_uploads_a_log(page, published):
    page.goto("/submissions/new/")
    page.get_by_role("link", name="or create an account").click()
    sign_up(page, "stranger", path=None)
    expect(page).to_have_url(re.compile("/submissions/new/$"))
    log = stress_log("cs50-10-3node")

    page.get_by_label("Log files").set_input_files(log)
    press(page, "Upload")

    measured = page.get_by_role("region", name="Results")
    expect(measured.get_by_role("row").nth(1)).to_contain_text("30,000")
    expect(measured).to_contain_text("195")
    facts = page.get_by_role("region", name="Details and their sources")
    expect(facts.get_by_role("row", name="Consistency level QUORUM log")).to_be_visible()
    expect(facts.get_by_role("row", name="Replication factor 3 log")).to_be_visible()

    page.get_by_label("Database", exact=True).fill("cassandra")
    page.get_by_label("Database version").fill("5.0.9")
    page.get_by_label("Provider").fill("aws")
    page.get_by_label("Region").fill("us-east-1")
    page.get_by_label("Measured at (UTC)").fill("2026-11-20T05:32")
    page.get_by_label("Instance type").first.fill("m5.xlarge")
    press(page, "Check again")

    expect(page.get_by_text("$0.58/h")).to_be_visible()
    expect(page.get_by_role("region", name="Cost")).to_contain_text("apache-libcloud")
    assert not Submission.objects.filter(tool="cassandra-stress", threads=24).exists()

    modified = datetime.fromisoformat(Upload.objects.get().files[0]["modified_at"])
    assert modified.timestamp() == pytest.approx(log.stat().st_mtime, abs=0.01)

    press(page, "Publish")
    page.wait_for_url("**/published/")
    page.get_by_role("region", name="Results").get_by_role("link", name=re.compile("^#")).click()
    page.wait_for_url(re.compile(r"/submissions/\d+/$"))

    submission = Submission.objects.get(threads=24)
    assert page.url.endswith(f"/submissions/{submission.pk}/")
    assert (submission.trust, submission.latency_p99_ms) == ("log_verified", 194.6)
    assert round(submission.throughput_ops_s) == 1068
    title = "Apache Cassandra 5.0.9 on 3× m5.xlarge · AWS us-east-1"
    expect(page.get_by_role("heading", level=1)).to_contain_text(title)


def test_the_form_works_without_script(browser, live_server, published):
    context = browser.new_context(base_url=live_server.url, java_script_enabled=False)
    page = context.new_page()
    sign_up(page, "plain")

    page.goto("/submissions/new/")
    page.get_by_label("Log files").set_input_files(stress_log("cs50-10-3node"))
    press(page, "Upload")
    page.get_by_label("Database", exact=True).fill("cassandra")
    page.get_by_label("Provider").fill("on-premises")
    page.get_by_label("Instance type").first.fill("own server")
    page.get_by_label("Price per node (USD/h)").first.fill("0.10")
    press(page, "Publish")

    page.wait_for_url("**/published/")
    context.close()
    assert str(Submission.objects.get(threads=24).hourly_usd) == "0.30000000"


def test_what_is_missing_is_said_where_it_is_missing(browser, live_server, published):
    context = browser.new_context(base_url=live_server.url)
    page = context.new_page()
    sign_up(page, "hasty")
    page.goto("/submissions/new/")
    page.get_by_label("Log files").set_input_files(stress_log("cs50-10-3node"))
    press(page, "Upload")

    press(page, "Publish")

    database = page.get_by_label("Database", exact=True)
    expect(database).to_have_attribute("aria-invalid", "true")
    expect(database).to_have_accessible_description(re.compile("is required"))
    context.close()
