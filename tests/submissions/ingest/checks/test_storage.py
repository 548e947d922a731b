"""What a submission says of its disks, against the machine types of the catalogue."""

import pytest

from benchsite.http.refusals import Refusal
from submissions.choices import Flag, Trust
from submissions.ingest.checks.storage import check_local_disks, is_without_storage
from submissions.ingest.document.submission import SubmissionDocument
from submissions.ingest.pipeline import prepare_document
from submissions.pricing.book.quotes import PriceBook
from tests.documents import document


def made(instance_type, disks=(), **changes):
    facts = {"nodes/0/instance_type": instance_type, "nodes/0/disks": list(disks), "nodes/0/vcpus": None}
    return document({**facts, "nodes/0/memory_gib": None, "nodes/0/hourly_usd": None, **changes})


def is_marked(instance_type, disks=(), **changes):
    return is_without_storage(SubmissionDocument.model_validate(made(instance_type, disks, **changes)))


def test_storage_that_nobody_stated_is_marked_where_the_machine_has_none():
    assert is_marked("m5.2xlarge")
    assert is_marked("n2-standard-8", provider="gce", region="us-central1")
    assert not is_marked("m5.2xlarge", [{"kind": "gp3", "size_gib": 100}])


@pytest.mark.parametrize(
    ("provider", "instance_type"),
    [("aws", "m5d.2xlarge"), ("gce", "z3-highmem-8-highlssd"), ("aws", "m99.large"), ("azure", "Standard_D2ds_v5")],
)
def test_a_machine_with_a_local_disk_or_an_unknown_one_is_not(provider, instance_type):
    assert not is_marked(instance_type, provider=provider, region=None)


@pytest.mark.parametrize(
    "changes",
    [
        {"service/name": "redis"},  # its data is in memory
        {"nodes/0/hourly_usd": "0.5"},  # the price of the node with its storage
        {"provider": "on-premises", "region": None},
    ],
)
def test_a_price_that_needs_no_disk_is_whole(changes):
    assert not is_marked("m5.2xlarge", **changes)


def test_the_flag_is_on_the_submission_and_gone_with_a_stated_disk():
    book = PriceBook()

    assert Flag.WITHOUT_STORAGE in prepare_document(made("m5.2xlarge"), book=book).flags
    with_disk = made("m5.2xlarge", [{"kind": "gp3", "size_gib": 100}])
    assert Flag.WITHOUT_STORAGE not in prepare_document(with_disk, book=book).flags


@pytest.mark.parametrize("kind", ["local-ssd", "nvme", "local-hdd"])
def test_a_local_disk_that_the_machine_does_not_have_is_refused_at_its_field(kind):
    disks = [{"kind": "gp3", "size_gib": 100}, {"kind": kind, "count": 2, "size_gib": 1800}]

    with pytest.raises(Refusal) as refused:
        prepare_document(made("m5.2xlarge", disks), book=PriceBook())

    [fault] = refused.value.faults
    assert (fault.pointer, fault.detail) == ("#/nodes/0/disks/1/kind", "m5.2xlarge has no local disk")


def test_an_article_is_taken_as_it_is_and_its_disk_has_no_price():
    disks = [{"kind": "nvme", "size_gib": 1800}]
    content = {**made("m5.2xlarge", disks), "source_url": "https://example.org/article"}

    prepared = prepare_document(content, trust=Trust.HISTORICAL, book=PriceBook())

    assert prepared.priced.cost.hourly_usd is None
    assert "has no local disk" in prepared.priced.cost.missing or "no price" in prepared.priced.cost.missing.lower()


def test_what_a_log_gave_is_not_the_uploaders_fault():
    found = SubmissionDocument.model_validate(made("m5.2xlarge", [{"kind": "nvme", "size_gib": 1800}]))

    check_local_disks(found, except_at={"#/nodes/0/disks/0/kind"})
    with pytest.raises(Refusal):
        check_local_disks(found)


def test_local_ssd_that_google_cloud_attaches_is_billed_and_not_refused():
    disks = [{"kind": "local-ssd", "size_gib": 375}]
    check_local_disks(
        SubmissionDocument.model_validate(made("n2-standard-8", disks, provider="gce", region="us-central1"))
    )
