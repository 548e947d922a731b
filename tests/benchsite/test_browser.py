"""The browser of the tests sees what a visitor sees, under the real content security policy."""

import pytest
from django.http import HttpResponse
from django.urls import path

INLINE = """<!doctype html><html lang="en"><title>t</title><main><h1>h</h1><img src="data:,">
<p id="p">before</p><script>document.getElementById("p").textContent = "after"</script></main>"""

urlpatterns = [path("inline/", lambda request: HttpResponse(INLINE))]


@pytest.fixture
def visit(browser, live_server, settings):
    settings.ROOT_URLCONF = __name__
    context = browser.new_context(base_url=live_server.url)
    visited = context.new_page()
    visited.goto("/inline/")
    yield visited
    context.close()


def test_an_inline_script_does_not_run(visit):
    assert visit.inner_text("#p") == "before"


def test_a_broken_accessibility_rule_is_found(visit, violations):
    assert [line.partition(" ")[0] for line in violations(visit)] == ["image-alt"]
