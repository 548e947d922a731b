"""All published runs of the pack, loaded as a site loads them, with the shipped prices of their machines."""

import json
from functools import cache
from unittest.mock import patch

from submissions.packs.public_runs import histogram_text
from submissions.packs.load import Progress, load_waiting
from submissions.packs.public_runs.pack import FOLDER, index
from submissions.models import PublicRun
from submissions.pricing import book
from submissions.pricing.sources import snapshot
from tests.stored_rows import stored

SKUS = frozenset(
    {"c5.4xlarge", "c6i.8xlarge", "i3.xlarge", "i3.2xlarge", "i3.4xlarge", "i4g.4xlarge", "gp2", "gp3", "io1", "io2"}
)
REGIONS = frozenset({"eu-central-1", "eu-west-1", "us-west-1", "us-west-2"})


def load(*sources: str) -> Progress:
    """All or those of some sources; the whole snapshot of prices would take longer than the pack."""
    pack = index()
    others = [result.key for result in pack.results if sources and result.source.name not in sources]
    PublicRun.objects.bulk_create([PublicRun(key=key, version=pack.version) for key in others])
    book.record(
        price
        for price in snapshot.read_prices()
        if price.provider == "aws" and price.region in REGIONS and price.sku in SKUS
    )
    # To compress its histograms as they were takes three times as long as all else; no figure depends on it.
    with patch.object(histogram_text, "_LEVEL", 1):
        return load_waiting()


def with_all_runs() -> None:
    """Their rows as a load in this process made them, without the raw files."""
    stored("all published runs", load)


def with_cassandra_runs() -> None:
    """Those of the two sources that measured Cassandra, which take less time."""
    stored(
        "published runs of Cassandra",
        lambda: load("mongodb-vs-cassandra-blog", "aerospike-apache-cassandra-benchmark"),
    )


@cache
def folders() -> dict[str, list[str]]:
    """The folders of each result's trials, by its key."""
    content = json.loads((FOLDER / "index.json").read_text(encoding="utf-8"))
    return {each["key"]: [trial["folder"] for trial in each["trials"]] for each in content["results"]}
