"""Every chart of every page can be embedded, and its numbers taken away."""

import csv
import json
import re
from datetime import UTC, datetime
from io import StringIO

import pytest
from django.core.management import call_command

from submissions.models import Submission
from submissions.pricing.book import book
from submissions.pricing.sources import snapshot
from tests.factories import SubmissionFactory
from tests.pages import faults, links, text
from tests.submissions.records.curves.test_on_pages import measured
from tests.submissions.records.curves.test_percentile_curves import TRIAL

pytestmark = pytest.mark.django_db


@pytest.fixture
def addresses():
    """The pages that have a chart, on the published results."""
    book.record(snapshot.read_historical())
    call_command("load_published", verbosity=0)
    aws, gce = (Submission.objects.get(throughput_ops_s=rate) for rate in (90748.0, 111394.0))
    scaled = Submission.objects.get(node_count=288)
    return [
        f"/?workload={aws.workload.fingerprint}",
        f"/value/?workload={aws.workload.fingerprint}",
        f"/workloads/{aws.workload.fingerprint}/",
        f"/compare/?s={aws.pk}&s={gce.pk}",
        f"/scaling/?workload={scaled.workload.fingerprint}",
        f"/recommend/sizes/?workload={scaled.workload.fingerprint}&target_ops_s=500000",
        "/compare/grid/",
        history(),
        measured().get_absolute_url(),
        SubmissionFactory(trials__histograms=TRIAL).get_absolute_url(),
    ]


def history():
    for day in range(1, 4):
        row = SubmissionFactory(measured_at=datetime(2015, 1, day, tzinfo=UTC), hourly_usd=None)
    return f"/history/?workload={row.workload.fingerprint}"


def test_every_chart_has_a_frame_numbers_and_a_short_link(client, addresses):
    for address in addresses:
        page = client.get(address)
        html = page.content.decode()
        keys = re.findall(r'<div class="chart" id="([\w-]+)"', html)
        assert keys, address
        assert html.count('<svg class="drawing ') == 2 * len(keys)  # for a desk and for a phone, without JavaScript
        assert html.count('name="path"') == 1, address
        assert faults(page) == []
        for key in keys:
            frame = re.search(rf"http://testserver(/embed/{key}/[^&]*(?:&amp;amp;[^&]*)*)&quot;", html)[1]
            embedded = client.get(frame.replace("&amp;amp;", "&"))
            assert embedded.status_code == 200, frame
            assert faults(embedded) == []
            assert "the table below" not in text(embedded)
            check_numbers(client, key, links(page))


def check_numbers(client, key, addresses):
    """The chart's own numbers, where its page has none made for it."""
    for address in addresses:
        if f"key={key}&format=csv" in address:
            header, *rows = csv.reader(StringIO(client.get(address).getvalue().decode()))
            assert (len(header), header[-1]) == (9, "attribution")
            assert rows
        if f"key={key}&format=json" in address:
            assert json.loads(client.get(address).content)["rows"]
