from django.core.management import call_command

from submissions.choices import Trust
from submissions.models import Submission
from submissions.pricing import book
from submissions.pricing.sources import snapshot
from tests.e2e.test_every_page import faults
from tests.factories import SubmissionFactory

OUT = "/tmp/rank-shots"


def test_shots(open_browser, violations, live_server, clear_cache):
    book.record(price for price in snapshot.read_prices() if "libcloud" not in price.source)
    call_command("load_published", verbosity=0)
    scaled = Submission.objects.get(node_count=288)
    for index in range(3):
        SubmissionFactory(trust=Trust.UPLOADED, throughput_ops_s=90_000.0 + index)
    row = SubmissionFactory(trust=Trust.LOG_VERIFIED, instance_type="i2.xlarge")
    SubmissionFactory(trust=Trust.HISTORICAL)
    found = []
    paths = {
        "home": "/",
        "value": f"/value/?workload={row.workload.fingerprint}",
        "board": f"/workloads/{row.workload.fingerprint}/",
        "scaling": f"/scaling/?workload={scaled.workload.fingerprint}",
        "grid": "/compare/grid/",
        "uploaded": f"/value/?workload={row.workload.fingerprint}&trust=uploaded",
        "service": "/services/cassandra/",
    }
    with open_browser() as (page, complaints):
        for name, path in paths.items():
            page.goto(path)
            for width, scheme in ((1280, "light"), (390, "dark")):
                page.set_viewport_size({"width": width, "height": 900})
                page.emulate_media(color_scheme=scheme)
                page.screenshot(path=f"{OUT}/{name}-{width}-{scheme}.png")
                found += [f"{name} {width} {scheme} {f}" for f in faults(page, None, violations)]
    print("\n".join(found) or "no faults")
