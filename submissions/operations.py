"""What operators watch of the results: waiting uploads, moderation, prices, the dump."""

from collections.abc import Iterator
from datetime import UTC, date, datetime, time, timedelta

from django.db.models import Max
from django.utils import timezone

from benchsite.ops.figures import Figure, Kind
from submissions.formatting.names import provider_name
from submissions.models import Dataset, Price, PriceLoad, Report, Upload
from submissions.moderation.query import waiting_submissions
from submissions.packs import slices
from submissions.packs.progress import progress
from submissions.pricing.book.refresh import loads

SLOW_UPLOAD = timedelta(minutes=30)
OLD_DUMP = timedelta(days=2)
OLD_PRICES = 2 * timedelta(days=30)  # docs/operations.md: to be loaded every month
_WAITING = (Upload.Status.QUEUED, Upload.Status.RUNNING)


def figures() -> Iterator[Figure]:
    now = timezone.now()
    yield from _uploads(now)
    yield from _packs()
    yield Figure("moderation_waiting", "Submissions that wait for a moderator", waiting_submissions().count())
    yield Figure("reports_open", "Open reports", Report.objects.filter(resolved_at=None).count())
    newest = Price.objects.order_by().values_list("provider").annotate(newest=Max("last_seen"))
    for provider, day in sorted(newest):
        yield price_age(provider, day, now)
    for load in loads():
        yield _price_load(load, now)
    dump = Dataset.objects.first()
    dump_age = None if dump is None else (now - dump.made_at).total_seconds()
    is_old = dump_age is not None and dump_age > OLD_DUMP.total_seconds()
    alarm = "The nightly dump fails: see the worker's log." if is_old else ""
    yield Figure("last_dump_seconds", "Age of the last dump of the dataset", dump_age, Kind.AGE, alarm)


def price_age(provider: str, newest: date, now: datetime) -> Figure:
    age = now - datetime.combine(newest, time(), UTC)
    alarm = "Load newer prices with manage.py load_prices: docs/operations.md." if age > OLD_PRICES else ""
    label = f"Age of the newest price of {provider_name(provider)}"
    return Figure("price_age_seconds", label, age.total_seconds(), Kind.AGE, alarm, {"provider": provider})


def _price_load(load: PriceLoad, now: datetime) -> Figure:
    """Of a cloud that was asked for prices at night: since when it has not answered."""
    age = None if load.succeeded_at is None else (now - load.succeeded_at).total_seconds()
    label = f"Since the prices of {provider_name(load.source)} were last loaded"
    return Figure("price_load_seconds", label, age, Kind.AGE, load.problem, {"provider": load.source})


def _packs() -> Iterator[Figure]:
    packs = slices.configured()
    if not packs:
        return
    done = progress(packs)
    yield Figure("packs_waiting", f"Results of packs still to be loaded, of {done.total}", done.waiting)
    alarm = "The newest version of the site tries them again: see the worker's log." if done.refused else ""
    yield Figure("packs_refused", "Results of packs that were refused", done.refused, alarm=alarm)


def _uploads(now: datetime) -> Iterator[Figure]:
    waiting = Upload.objects.filter(status__in=_WAITING)
    yield Figure("uploads_waiting", "Uploads that wait for a worker", waiting.count())
    oldest = waiting.order_by("created_at").values_list("created_at", flat=True).first()
    age = 0.0 if oldest is None else (now - oldest).total_seconds()
    alarm = "A worker is missing, or one log takes very long." if age > SLOW_UPLOAD.total_seconds() else ""
    yield Figure("uploads_oldest_seconds", "Age of the oldest of them", age, Kind.AGE, alarm)
