"""All published runs of the pack, loaded as a site loads them, with the shipped prices of their machines."""

import json
from functools import cache
from unittest.mock import patch

from submissions.models import InstanceType, PackEntry
from submissions.packs.load import load_waiting
from submissions.packs.progress import Progress
from submissions.packs.public_runs import histogram_text
from submissions.packs.public_runs.archives import FOLDER, index
from submissions.packs.public_runs.pack import PUBLIC_RUNS
from submissions.pricing.book import book
from submissions.pricing.sources import snapshot
from tests.stored_rows import stored

SKUS = frozenset(
    {"c5.4xlarge", "c6i.8xlarge", "i3.xlarge", "i3.2xlarge", "i3.4xlarge", "i4g.4xlarge", "gp2", "gp3", "io1", "io2"}
)
MANAGED = frozenset({"i4i.2xlarge", "i4i.4xlarge", "i4i.8xlarge"})  # types that ScyllaDB Cloud names
REGIONS = frozenset({"eu-central-1", "eu-west-1", "us-west-1", "us-west-2"})


def only(*keys: str) -> None:
    """Every other result of the pack counts as loaded."""
    name, version = PUBLIC_RUNS.name, PUBLIC_RUNS.version
    others = [entry.key for entry in PUBLIC_RUNS.entries() if entry.key not in keys]
    PackEntry.objects.bulk_create([PackEntry(pack=name, key=key, version=version) for key in others])


def load(*sources: str) -> Progress:
    """All or those of some sources; the whole snapshot of prices would take longer than the pack."""
    only(*(result.key for result in index().results if not sources or result.source.name in sources))
    book.record(
        price
        for price in snapshot.read_prices()
        if price.provider == "aws" and price.region in REGIONS and price.sku in SKUS
    )
    InstanceType.objects.bulk_create(
        InstanceType(
            provider=machine.provider,
            name=machine.name,
            memory_gib=machine.memory_gib,
            local_disk_gib=machine.local_disk_gib,
            source=machine.source,
        )
        for machine in snapshot.read_hardware()
        if machine.provider == "aws" and machine.name in SKUS | MANAGED
    )
    # To compress its histograms as they were takes three times as long as all else; no figure depends on it.
    with patch.object(histogram_text, "LEVEL", 1):
        return load_waiting(PUBLIC_RUNS)


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
