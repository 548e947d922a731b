"""The price book as CSV in files, the whole one and that of each provider."""

import fcntl
import hashlib
import logging
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import timedelta
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import IO, Any

from django.conf import settings
from django.contrib.postgres.aggregates import StringAgg
from django.core.files import File
from django.core.files.storage import default_storage
from django.db.models import QuerySet, TextField
from django.db.models.expressions import RawSQL
from django.utils import timezone
from zlib_ng import gzip_ng

from benchsite.http.streams import streamed
from benchsite.processes.code_version import code_version
from benchsite.storage.backends import site_storage
from benchsite.storage.temporary import temporary_folder
from submissions.formatting.csv import FORMULA_STARTS, csv_line
from submissions.models import Price, data_state, known_state

# A worker makes the files after prices were loaded and when it starts; where a reader comes sooner, the first of a
# version of the prices makes its file, while others wait for it. The name of a file has the version that its reader has
# just read: nobody gets one that is older than the prices.

FOLDER = "prices"  # in the storage
GZIP_LEVEL = 6
GROUPS = 100  # names of what is priced, of which the lines are in memory
# Files of other versions stay for so long: a replica, or a process with the code of before, may have readers for them
OTHERS_STAY = timedelta(hours=1)

log = logging.getLogger(__name__)


def key_of(provider: str) -> str:
    """Of the file, as the prices are for this request; "" is the whole book. Nothing but its content changes it."""
    return f"{_version(known_state().prices)}{f'-{provider}' if provider else ''}"


def opened(key: str, provider: str) -> IO[bytes] | None:
    """The file, as gzip; None where there is none, and the prices must be read: also where it cannot be stored."""
    try:
        with suppress(FileNotFoundError):
            return default_storage.open(_name(key))
        with _making_alone():
            with suppress(FileNotFoundError):  # another reader has made it
                return default_storage.open(_name(key))
            return default_storage.open(_name(key)) if _make(key, provider) else None
    except OSError as error:
        log.warning("the price book is streamed, since its file cannot be stored or read: %s", error)
        return None


def make_current() -> None:
    """The files of the prices as they are now, where they are missing."""
    for provider in ["", *Price.objects.order_by("provider").values_list("provider", flat=True).distinct()]:
        file = opened(key_of(provider), provider)
        if file is not None:
            file.close()


@contextmanager
def _making_alone() -> Iterator[None]:
    """Among the threads and processes of this machine; on two machines both may make it."""
    with (settings.DATA_DIR / "prices.lock").open("a") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def _version(prices: str) -> str:
    return hashlib.sha256(f"{code_version()} {prices}".encode()).hexdigest()[:32]


def _name(key: str) -> str:
    return f"{FOLDER}/{key}.csv.gz"


def _make(key: str, provider: str) -> bool:
    """False where there are no such prices, and where they changed meanwhile."""
    prices = Price.objects.filter(provider=provider) if provider else Price.objects.all()
    if provider and not prices.exists():
        return False
    with TemporaryDirectory(prefix="prices-", dir=temporary_folder()) as place:
        path = Path(place) / "prices.csv.gz"
        packed: IO[bytes]
        with gzip_ng.open(path, "wb", compresslevel=GZIP_LEVEL) as packed:  # type: ignore[no-untyped-call]
            packed.write(csv_line(_CELLS).encode())
            for lines in streamed(_lines(prices), GROUPS):
                packed.write(lines[0].encode())
        version = _version(data_state().prices)
        if not key.startswith(version):
            return False
        with path.open("rb") as content:
            default_storage.save(_name(key), File(content))
    _delete_others(version)
    return True


def _delete_others(version: str) -> None:
    """A file that is being sent is open, and stays until then."""
    before = timezone.now() - OTHERS_STAY
    for name in default_storage.listdir(FOLDER)[1]:
        if not name.startswith(version):
            with suppress(FileNotFoundError):  # another process has deleted it
                if site_storage().get_modified_time(f"{FOLDER}/{name}") < before:
                    default_storage.delete(f"{FOLDER}/{name}")


# As a bracket expression, in which a hyphen stands for itself at the start only
_FORMULA = f"[-{''.join(FORMULA_STARTS).replace('-', '')}]"


def _text(column: str) -> str:
    """As `cell` guards a text, and as csv.writer quotes it."""
    guarded = f"regexp_replace({column}, '^{_FORMULA}', '''\\&')"
    quoted = f"""'"' || replace({guarded}, '"', '""') || '"'"""
    is_odd = f"""{column} ~ '[",\\r\\n]' THEN {quoted} WHEN {column} ~ '^{_FORMULA}' THEN {guarded}"""
    return f"CASE WHEN {is_odd} ELSE {column} END"


def _day(column: str) -> str:
    return f"to_char({column}, 'YYYY-MM-DD')"


# PostgreSQL writes the lines, which takes the web process two seconds. They are those of `submissions.formatting.csv`
# and of the list's serializer: a test compares every byte.
_CELLS = {
    "provider": _text("provider"),
    "region": _text("region"),
    "instance_type": _text("sku"),
    "unit": _text("unit"),
    "pricing_model": _text("pricing_model"),
    "usd": "trim_scale(usd)::text",
    "valid_from": _day("valid_from"),
    "last_seen": _day("last_seen"),
    "source": _text("source"),
}
_LINE = f"""concat_ws(',', {", ".join(_CELLS.values())}) || E'\\r\\n'"""


def _lines(prices: QuerySet[Price]) -> QuerySet[Any, tuple[str]]:
    """All lines with the same name in one text: by name, the newest first, which is the order of the list."""
    line = RawSQL(_LINE, ())  # noqa: S611  nothing in it was given by anybody
    lines = StringAgg(line, delimiter="", order_by="-id", output_field=TextField())
    return prices.order_by("sku").values("sku").annotate(lines=lines).values_list("lines")
