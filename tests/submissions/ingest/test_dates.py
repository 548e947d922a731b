"""Without a stated date a result is dated by its log, else by its file, else by its receipt; its prices follow."""

import gzip
import io
import struct
import tarfile
import zipfile
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal

import pytest
from django.utils import timezone

from submissions.choices import DateSource
from submissions.ingest.changes.change import change
from submissions.ingest.changes.undated import date_undated
from submissions.ingest.dates import plausible
from submissions.ingest.pipeline import prepare_document, prepare_import
from submissions.ingest.store.store import store
from submissions.ingest.uploads import cached_readings, finish, offered, read_again, stage
from submissions.models import Submission
from tests.documents import document, metadata
from tests.factories import PriceFactory, UserFactory
from tests.files import DATA
from tests.submissions.ingest.files.packing import sent, tarred
from tests.submissions.logs import QUORUM

pytestmark = pytest.mark.django_db

LOG = QUORUM.read_bytes()  # has no date of its own
MAY_4 = datetime(2024, 5, 4, 12, 0, tzinfo=UTC)
NODES = [{"role": "database", "count": 3, "instance_type": "m5.xlarge"}]


def tar(*times, start=0):
    entries = []
    for index, time in enumerate(times, start=start):
        entry = tarfile.TarInfo(f"client-{index}.log")
        entry.mtime = time.timestamp()
        entries.append((entry, LOG.replace(b"END", b"END" + b" " * index)))
    return tarred(*entries)


def zip_of(date_time, extra=b""):
    buffer = io.BytesIO()
    entry = zipfile.ZipInfo("run.log", date_time)
    entry.extra = extra
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(entry, LOG)
    return buffer.getvalue()


def utc_field(time):
    return struct.pack("<HHBi", 0x5455, 5, 1, int(time.timestamp()))


def dated(content, name="run.log", **facts):
    """(time, source) of the upload of a file without a stated date, unless `facts` have one."""
    [prepared] = prepare_import(
        metadata({"measured_at": None, "nodes": NODES, **facts}), offered([sent(content, name)])
    )
    return prepared.measured.at, prepared.measured.source


@pytest.mark.parametrize(
    "packed",
    [
        tar(MAY_4),
        gzip.compress(tar(MAY_4), mtime=0),
        zip_of((2024, 5, 4, 12, 0, 0)),
        zip_of((2024, 5, 4, 14, 0, 0), utc_field(MAY_4)),  # the clock of the zone says another hour
        gzip.compress(LOG, mtime=int(MAY_4.timestamp())),
    ],
    ids=["tar", "tar.gz", "zip", "zip with UTC", "gzip"],
)
def test_an_archive_dates_its_log(packed):
    assert dated(packed) == (MAY_4, DateSource.FILE)


@pytest.mark.parametrize(
    "packed",
    [
        LOG,
        gzip.compress(LOG, mtime=0),
        tar(datetime(1970, 1, 1, tzinfo=UTC)),
        tar(datetime(2090, 1, 1, tzinfo=UTC)),
        zip_of((1980, 1, 1, 0, 0, 0)),
    ],
    ids=["no archive", "gzip without a time", "1970", "2090", "a zip without a time"],
)
def test_a_file_without_a_time_that_can_be_is_dated_by_its_receipt(packed):
    before = timezone.now()

    at, source = dated(packed)

    assert source == DateSource.RECEIVED
    assert before <= at <= timezone.now()


def test_a_broken_field_of_a_zip_leaves_its_other_time():
    assert dated(zip_of((2024, 5, 4, 12, 0, 0), struct.pack("<HHB", 0x5455, 1, 0))) == (MAY_4, DateSource.FILE)


def test_of_several_files_the_oldest_dates_the_result():
    assert dated(tar(MAY_4 + timedelta(hours=1), MAY_4)) == (MAY_4, DateSource.FILE)


def test_a_stated_date_comes_before_the_files():
    assert dated(tar(MAY_4), measured_at="2023-01-02T03:04:00Z") == (
        datetime(2023, 1, 2, 3, 4, tzinfo=UTC),
        DateSource.STATED,
    )


def test_a_logs_own_date_comes_before_the_files():
    ycsb = (DATA / "ycsb" / "ycsb17-01-load-status.log").read_bytes()
    entry = tarfile.TarInfo("run.log")
    entry.mtime = int(MAY_4.timestamp())

    assert dated(tarred((entry, ycsb))) == (datetime(2026, 11, 20, 6, 49, 8, tzinfo=UTC), DateSource.LOG)
    # a form shows the log's minute and sends it back
    assert dated(ycsb, measured_at="2026-11-20T06:49:00+00:00")[1] == DateSource.LOG
    assert dated(ycsb, measured_at="2026-11-20T12:00:00+00:00")[1] == DateSource.STATED


def test_a_log_whose_clock_was_wrong_is_not_refused():
    ycsb = (DATA / "ycsb" / "ycsb17-01-load-status.log").read_bytes()

    assert dated(ycsb.replace(b"2026-11-20", b"2091-11-20"))[1] == DateSource.RECEIVED


def test_a_document_without_a_date_takes_the_start_of_its_first_trial():
    started = "2015-09-01T11:30:00Z"
    prepared = prepare_document(document({"measured_at": ..., "trials/0/started_at": started}))

    assert prepared.measured.at.isoformat() == "2015-09-01T11:30:00+00:00"
    assert prepared.measured.source == DateSource.STATED


def test_a_time_after_the_receipt_within_a_day_is_the_receipt():
    received_at = datetime(2026, 5, 4, tzinfo=UTC)

    assert plausible(received_at + timedelta(hours=14), received_at=received_at) == received_at
    assert plausible(received_at + timedelta(hours=25), received_at=received_at) is None


def test_the_price_is_the_one_of_the_files_day_and_of_the_receipt_without_one():
    PriceFactory(sku="m5.xlarge", usd=Decimal("0.2"), valid_from=date(2024, 1, 1))
    PriceFactory(sku="m5.xlarge", usd=Decimal("0.1"), valid_from=date(2025, 1, 1))
    rows = []
    for content, title in ((tar(MAY_4), "packed"), (LOG, "plain")):
        facts = metadata({"measured_at": None, "nodes": NODES, "settings": {"sent": title}})
        [prepared] = prepare_import(facts, offered([sent(content)]))
        rows.append(store(prepared, submitted_by=UserFactory()).submission)

    assert [(row.hourly_usd, row.measured_at_source) for row in rows] == [
        (Decimal("0.6"), "file"),
        (Decimal("0.3"), "received"),
    ]
    assert all(row.ops_per_usd for row in rows)


def test_the_same_upload_on_another_day_finds_the_first():
    facts = metadata({"measured_at": None})
    [first], [second] = (prepare_import(facts, offered([sent(LOG)])) for _ in range(2))

    assert first.measured.at != second.measured.at
    assert first.content_hash == second.content_hash


def test_a_waiting_upload_is_dated_by_its_file_or_the_day_on_which_it_came():
    yesterday = timezone.now() - timedelta(days=1)
    dates = []
    for content, title in ((tar(MAY_4), "packed"), (LOG, "plain")):
        facts = metadata({"measured_at": None, "nodes": NODES, "settings": {"sent": title}})
        upload = stage([sent(content)], facts, owner=UserFactory())
        upload.created_at = yesterday
        upload.save()
        read_again(upload)
        assert cached_readings(upload)[0].member.modified_at == (MAY_4 if content != LOG else None)
        dates.append(finish(upload)[0].submission.measured_at)

    assert dates == [MAY_4, yesterday]


def test_a_date_added_later_takes_the_place_of_the_receipts_with_its_price():
    PriceFactory(sku="m5.xlarge", usd=Decimal("0.2"), valid_from=date(2024, 1, 1))
    PriceFactory(sku="m5.xlarge", usd=Decimal("0.1"), valid_from=date(2025, 1, 1))
    owner = UserFactory()
    [prepared] = prepare_import(metadata({"measured_at": None, "nodes": NODES}), offered([sent(LOG)]))
    row = store(prepared, submitted_by=owner).submission

    change(row, {"measured_at": "2024-05-04T12:00:00Z"}, by=owner)

    row = Submission.objects.get(pk=row.pk)
    assert (row.measured_at, row.measured_at_source, row.hourly_usd) == (MAY_4, "stated", Decimal("0.6"))


def test_another_fact_added_later_leaves_the_date_of_the_file():
    owner = UserFactory()
    [prepared] = prepare_import(metadata({"measured_at": None, "nodes": NODES}), offered([sent(tar(MAY_4))]))
    row = store(prepared, submitted_by=owner).submission

    change(row, {"jdk": {"version": "17"}}, by=owner)

    row = Submission.objects.get(pk=row.pk)
    assert (row.jdk_version, row.measured_at, row.measured_at_source) == ("17", MAY_4, "file")


def test_results_that_were_stored_without_a_date_take_the_day_of_their_receipt_and_its_price():
    PriceFactory(sku="m3.2xlarge", usd=Decimal("0.2"), valid_from=date(2024, 1, 1))
    content = document({"measured_at": ..., "nodes/0/hourly_usd": ...})
    row = store(prepare_document(content), submitted_by=UserFactory()).submission
    unknown = dict.fromkeys(("measured_at", "measured_at_source", "hourly_usd", "ops_per_usd", "price_date"))
    Submission.objects.update(**unknown, created_at=MAY_4)

    assert (date_undated(), date_undated()) == (1, 0)

    again = Submission.objects.get()
    assert (again.measured_at, again.measured_at_source, again.hourly_usd) == (MAY_4, "received", Decimal("0.6"))
    assert again.ops_per_usd == pytest.approx(row.ops_per_usd)
