"""The README's upload, run as it is printed against a running site, answers a priced result."""

import json
import re
import shutil
import subprocess
from decimal import Decimal
from pathlib import Path

import pytest

from submissions.models import Submission
from submissions.pricing.book import book
from submissions.pricing.sources import snapshot
from tests.factories import UserFactory, bearer
from tests.files import DATA

README = (Path(__file__).resolve().parents[2] / "README.md").read_text(encoding="utf-8")
UPLOAD = re.search(r"^    (curl .*?/submissions/import/.*?\}\}')$", README, re.DOTALL | re.MULTILINE)[1]
LOG = DATA / "cassandra-stress" / "cs50-10-3node-write-rf3-quorum.log"


@pytest.mark.skipif(shutil.which("curl") is None, reason="curl is not installed")
@pytest.mark.django_db(transaction=True)
def test_the_upload_of_the_readme_prints_operations_per_dollar(live_server, tmp_path):
    book.record(price for price in snapshot.read_prices() if (price.sku, price.region) == ("m5.xlarge", "us-east-1"))
    shutil.copy(LOG, tmp_path / "stress.log")
    token = bearer(UserFactory(), ("submit",))["HTTP_AUTHORIZATION"].split()[1]

    done = subprocess.run(
        ["bash", "-euo", "pipefail", "-c", UPLOAD.replace("http://127.0.0.1:8000", live_server.url)],
        cwd=tmp_path,
        env={"PATH": "/usr/bin:/bin", "TOKEN": token},
        capture_output=True,
        text=True,
        timeout=60,
    )

    assert done.returncode == 0, done.stderr
    [stored] = json.loads(done.stdout)["submissions"]
    assert Decimal(stored["ops_per_usd"]) == Submission.objects.get().ops_per_usd > 0
    assert stored["measured_at_source"] == "received"
    assert "measured_at" not in UPLOAD  # the README shows that no price is lost without it
