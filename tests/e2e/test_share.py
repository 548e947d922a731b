"""Sharing in the browser: pictures that explain themselves, a frame on another site, a link without a script."""

import http.server
import re
import threading
from contextlib import contextmanager
from xml.etree import ElementTree

import pytest
from playwright.sync_api import expect

from submissions.dataset import write
from tests.e2e.steps import LOOKS, faults, press

SVG = "{http://www.w3.org/2000/svg}"


def picture(page, key, kind):
    with page.expect_download() as download:
        page.locator(f'[data-of="{key}"][data-export="{kind}"]').click()
    return download.value.path().read_bytes()


def own_lines(content):
    """The lines around the drawing; those inside it belong to the nested picture."""
    return [text.text for text in ElementTree.fromstring(content).findall(f"{SVG}text")]


@pytest.mark.parametrize(("width", "scheme"), LOOKS)
def test_a_picture_holds_its_title_its_caveats_its_address_and_its_day(
    open_browser, live_server, aws_and_gce, width, scheme
):
    address = f"/?workload={aws_and_gce[0].workload.fingerprint}"
    with open_browser(width=width, scheme=scheme) as (page, complaints):
        page.goto(address)
        caveats = [line.strip() for line in page.locator(".caveats li").all_text_contents()]
        made = page.locator("#value").get_attribute("data-made")
        content = picture(page, "value", "svg")

    said = " ".join(own_lines(content))
    whole = ElementTree.fromstring(content)
    assert "measured once" in " ".join(caveats)
    assert said.startswith("What does your database cost to run fast? Cost against throughput: 3 of 4 clusters")
    assert [caveat for caveat in caveats if caveat not in said] == []
    assert f"{made} ·" in said
    assert f"{live_server.url}{address}#value" in said.replace(" ", "")
    assert whole.find(f"{SVG}svg") is not None
    # every line stands inside the picture
    assert all(float(line.attrib["y"]) < float(whole.attrib["height"]) for line in whole.findall(f"{SVG}text"))
    assert complaints == []


def test_the_picture_of_points_is_as_large_as_that_of_lines(open_browser, aws_and_gce):
    with open_browser() as (page, complaints):
        page.goto(f"/?workload={aws_and_gce[0].workload.fingerprint}")
        lines = ElementTree.fromstring(picture(page, "value", "svg"))
        points = picture(page, "value", "png")

    size = [int.from_bytes(points[start : start + 4]) for start in (16, 20)]
    assert size == [2 * int(float(lines.attrib["width"])), 2 * int(float(lines.attrib["height"]))]
    assert complaints == []


@contextmanager
def another_site(html):
    """A page at another origin: another port is one."""

    class Page(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            self.send_response(200)
            self.send_header("Content-Type", "text/html")
            self.end_headers()
            self.wfile.write(html.encode())

        def log_message(self, *_):
            pass

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Page)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}/"
    server.shutdown()
    server.server_close()


def test_the_snippet_of_a_page_shows_its_chart_on_another_site(open_browser, live_server, aws_and_gce):
    with open_browser() as (page, complaints):
        page.goto(f"/?workload={aws_and_gce[0].workload.fingerprint}")
        page.get_by_text("Embed the chart on another site").click()
        snippet = page.locator(".share pre").inner_text()
        with another_site(f"<!doctype html><title>blog</title>{snippet}") as blog:
            page.goto(blog)
            frame = page.frame_locator("iframe")
            frame.locator("svg.drawing").first.wait_for()
            expect(frame.locator("h1")).to_contain_text("Cost against throughput")
            expect(frame.locator(".caveats")).to_contain_text("measured once")
            fits = page.frames[1].evaluate("document.documentElement.scrollHeight <= innerHeight")
            with page.expect_popup() as popup:
                frame.get_by_role("link", name=re.compile("on Benchsite")).click()
            expect(popup.value.locator("h1")).to_have_text("What does your database cost to run fast?")
            cookies = [cookie for cookie in page.context.cookies() if cookie["name"] == "sessionid"]

    assert snippet.startswith(f'<iframe src="{live_server.url}/embed/value/?workload=')
    assert fits
    assert cookies == []
    assert complaints == []


def test_a_mark_of_an_embedded_chart_opens_its_submission_beside_the_other_site(open_browser, live_server, aws_and_gce):
    workload = aws_and_gce[0].workload.fingerprint
    html = f'<iframe src="{live_server.url}/embed/value/?workload={workload}" width="900" height="700"></iframe>'
    with open_browser() as (page, complaints), another_site(html) as blog:
        page.goto(blog)
        frame = page.frame_locator("iframe")
        frame.locator("#value").dispatch_event("click")
        frame.locator("[data-drawn=true]").wait_for()
        mark = frame.locator(".points path").first
        mark.scroll_into_view_if_needed()
        box = mark.bounding_box()
        with page.expect_popup() as popup:
            page.mouse.click(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
        popup.value.wait_for_url(re.compile(r"/submissions/\d+/$"))

    assert page.url == blog
    assert complaints == []


def test_a_whole_page_cannot_be_framed(open_browser, live_server, aws_and_gce):
    with (
        open_browser() as (page, complaints),
        another_site(f'<iframe src="{live_server.url}/about/methodology/"></iframe>') as blog,
    ):
        page.goto(blog)
        page.wait_for_load_state("networkidle")

    assert len(complaints) == 1
    assert "frame-ancestors" in complaints[0]


def test_a_short_link_is_made_and_followed_without_a_script(browser, live_server, aws_and_gce):
    context = browser.new_context(base_url=live_server.url, java_script_enabled=False)
    page = context.new_page()
    page.goto(f"/?workload={aws_and_gce[0].workload.fingerprint}")
    page.get_by_role("button", name="Short link").click()
    short = page.get_by_label("Copy the address").input_value()
    page.goto(short)
    opened = page.url
    context.close()

    assert re.fullmatch(rf"{live_server.url}/s/[a-z2-7]{{8}}/", short)
    assert opened == f"{live_server.url}/?workload={aws_and_gce[0].workload.fingerprint}"


def test_a_short_link_is_made_by_keyboard(open_browser, aws_and_gce):
    with open_browser() as (page, complaints):
        page.goto("/")
        page.get_by_role("button", name="Short link").focus()
        with page.expect_navigation():
            page.keyboard.press("Enter")
        expect(page.get_by_role("heading", level=1)).to_have_text("Short link")

    assert complaints == []


@pytest.mark.parametrize(("width", "scheme"), LOOKS)
def test_the_pages_of_sharing_are_accessible_and_fit(open_browser, violations, aws_and_gce, width, scheme):
    from django.utils import timezone

    workload = aws_and_gce[0].workload.fingerprint
    write.write(timezone.now())
    with open_browser(width=width, scheme=scheme) as (page, complaints):
        page.goto(f"/?workload={workload}")
        press(page, "Short link")
        paths = (None, f"/embed/value/?workload={workload}", "/data/")
        found = [fault for path in paths for fault in faults(page, violations, path)]

    assert found == []
    assert complaints == []
