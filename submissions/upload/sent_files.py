"""The files of the upload form, with what the browser's script adds: their dates, and their places in a folder."""

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime

from django.core.files.uploadedfile import UploadedFile
from django.http import HttpRequest


@dataclass(frozen=True, slots=True)
class SentFile:
    """Named by its path where the browser states it; the name alone where its script did not run."""

    name: str | None
    size: int
    modified_at: datetime | None
    sent: "UploadedFile[bytes]"

    def read(self, size: int, /) -> bytes:
        data: bytes = self.sent.read(size)
        return data


def sent_files(request: HttpRequest) -> list[SentFile]:
    """Of both fields: files chosen one by one, and those of a folder."""
    files: Sequence[UploadedFile[bytes]] = request.FILES.getlist("log")
    dates, paths = request.POST.getlist("modified"), request.POST.getlist("path")
    return [
        SentFile(
            name=_at(paths, place) or file.name,
            size=file.size or 0,
            modified_at=_date(_at(dates, place)),
            sent=file,
        )
        for place, file in enumerate(files)
    ]


def _at(texts: Sequence[str], place: int) -> str:
    return texts[place] if place < len(texts) else ""


def _date(stated: str) -> datetime | None:
    """What is no time is as if it were not stated."""
    with suppress(ValueError):
        date = datetime.fromisoformat(stated)
        return date if date.tzinfo else date.replace(tzinfo=UTC)
    return None
