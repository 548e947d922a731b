"""A folder of logs in a real browser: one table, one button, what is bad skipped with its reason."""

import re
import shutil

from playwright.sync_api import expect

from submissions.models import Submission
from tests.e2e.steps import NARROW, WIDE, faults, press, sign_up
from tests.files import stress_log


def test_a_folder_is_reviewed_and_published_on_a_phone(open_browser, violations, published, tmp_path):
    for start in ("cs50-10", "cs50-02", "cs50-24", "cs50-12-all"):
        shutil.copy(stress_log(start), tmp_path / f"{start}.log")
    (tmp_path / "cluster.png").write_bytes(b"\x89PNG\r\n\x1a\n" + bytes(200))
    before = Submission.objects.count()
    with open_browser(width=NARROW, scheme="light") as (page, complaints):
        sign_up(page, "many")
        page.goto("/submissions/new/")
        page.get_by_text("Upload a folder instead").click()
        page.get_by_label("Folder with logs").set_input_files(tmp_path)
        press(page, "Upload")

        files = page.get_by_role("region", name="Files")
        expect(files.get_by_role("row")).to_have_count(4)  # and two files that are refused, below
        expect(files).to_contain_text(f"{tmp_path.name}/cs50-10.log")
        expect(page.get_by_role("listitem").filter(has_text="200 of 200 operations failed")).to_be_visible()
        address = page.url
        assert faults(page, violations) == []

        page.get_by_label("Database", exact=True).fill("cassandra")
        page.get_by_label("Provider").fill("on-premises")
        page.locator("[name=nodes-0-count]").fill("3")
        page.locator("[name=nodes-0-instance_type]").fill("own server")
        page.locator("[name=nodes-0-hourly_usd]").fill("0.10")
        page.locator("button[value=check]").last.click()
        button = page.locator("[data-publish]")
        expect(button).to_have_text("Publish 3, skip 2")
        page.get_by_label(re.compile("^Publish .*cs50-24.log$")).uncheck()
        expect(button).to_have_text("Publish 2, skip 3")
        page.set_viewport_size({"width": WIDE, "height": 900})
        press(page, "Publish 2, skip 3")

        expect(page.get_by_role("status")).to_contain_text("Published 2 results from 2 files. 3 files were skipped")
        expect(page.get_by_role("region", name="Results").get_by_role("link", name=re.compile("^#"))).to_have_count(2)
        assert faults(page, violations) == []
        page.get_by_role("link", name="Correct and publish the skipped files").click()
        assert page.url == address
        assert not complaints
    assert Submission.objects.count() == before + 2
