"""The running site with the published results on it, in a real browser."""

from contextlib import contextmanager
from datetime import date

import pytest
from django.core.management import call_command

from submissions.pricing.sources import snapshot
from tests.e2e.steps import WIDE


def store_published():
    from submissions.pricing.book import book

    # the whole snapshot takes longer to load than most of these tests take
    book.record(snapshot.read_historical())
    book.record(price for price in snapshot.read_prices(until=date(2020, 12, 31)) if price.sku == "m5.xlarge")
    call_command("load_published", verbosity=0)


@pytest.fixture
def published(live_server):
    """The shipped results with the shipped prices of their days, and that of one machine of today."""
    from tests.stored_rows import stored

    stored("published with prices", store_published)


@pytest.fixture
def aws_and_gce(published):
    """The best of AWS and of GCE in the article that compares them."""
    from submissions.models import Submission  # not before the tests have set Django up

    return tuple(Submission.objects.get(throughput_ops_s=rate) for rate in (90748.0, 111394.0))


@pytest.fixture
def open_browser(browser, live_server):
    """A context manager: a page of a width and colour scheme, and what its console complained of."""

    @contextmanager
    def opened(*, width=WIDE, scheme="light", cookies=(), javascript=True):
        context = browser.new_context(
            base_url=live_server.url,
            viewport={"width": width, "height": 900},
            color_scheme=scheme,
            locale="en-GB",
            java_script_enabled=javascript,
        )
        context.set_default_timeout(30_000)
        context.add_cookies(list(cookies))
        page = context.new_page()
        complaints = []
        page.on("pageerror", lambda error: complaints.append(f"{page.url}: {error}"))
        page.on(
            "console",
            lambda line: complaints.append(f"{page.url}: {line.text}") if line.type == "error" else None,
        )
        yield page, complaints
        context.close()

    return opened


@pytest.fixture
def local_runs(settings):
    """Runs on this machine, in a folder that PostgreSQL's own account may enter."""
    import shutil
    import tempfile
    from pathlib import Path

    folder = Path(tempfile.mkdtemp(prefix="benchsite-runs-"))
    folder.chmod(0o755)
    settings.DATA_DIR = folder
    settings.RUN_PROVIDERS = ["local"]
    yield folder
    shutil.rmtree(folder, ignore_errors=True)
