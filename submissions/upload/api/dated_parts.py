"""A multipart body whose files keep the modification time in their part's header, which Django leaves out."""

import re
from collections.abc import Iterator, Mapping
from contextlib import suppress
from datetime import UTC, datetime
from email.message import Message
from email.parser import HeaderParser
from email.utils import parsedate_to_datetime
from typing import IO, Any

from django.core.files.uploadedfile import UploadedFile
from rest_framework.parsers import DataAndFiles, MultiPartParser

MAX_HEADER_BYTES = 1024  # Django refuses longer ones


class DatedMultiPartParser(MultiPartParser):
    """Each file with a stated time gets it as `modified_at`."""

    def parse(
        self, stream: IO[Any], media_type: str | None = None, parser_context: Mapping[str, Any] | None = None
    ) -> "DataAndFiles[Any, Any]":
        tapped = _HeaderTap(stream, _boundary(media_type or ""))
        parsed = super().parse(tapped, media_type, parser_context)  # type: ignore[arg-type] # it only reads
        for field, name, date in tapped.file_dates:
            for file in parsed.files.getlist(field):
                if isinstance(file, UploadedFile) and file.name == name and not hasattr(file, "modified_at"):
                    file.modified_at = date  # type: ignore[attr-defined]
                    break
        return parsed


class _HeaderTap:
    """Passes a body on, and notes (field, file name, time) of each part that states a time."""

    def __init__(self, stream: IO[bytes], boundary: bytes):
        self._stream = stream
        self._headers = re.compile(
            rb"--" + re.escape(boundary) + rb"\r\n(.{1,%d}?)\r\n\r\n" % MAX_HEADER_BYTES, re.DOTALL
        )
        self._longest = len(boundary) + MAX_HEADER_BYTES + 8
        self._rest = b""
        self.file_dates: list[tuple[str, str, datetime]] = []

    def read(self, size: int = -1) -> bytes:
        chunk = self._stream.read(size)
        seen = self._rest + chunk
        end = 0
        for match in self._headers.finditer(seen):
            end = match.end()
            self.file_dates += _dates(match[1])
        self._rest = seen[max(end, len(seen) - self._longest) :]
        return chunk


def _dates(raw: bytes) -> Iterator[tuple[str, str, datetime]]:
    headers = HeaderParser().parsestr(raw.decode("utf-8", "replace"))
    try:
        field, name = headers.get_param("name", header="content-disposition"), headers.get_filename()
    except ValueError:  # in a character set that cannot be read: Django takes no file of this name
        return
    date = _date(headers)
    if isinstance(field, str) and name and date is not None:
        yield field, re.split(r"[/\\]", name)[-1], date  # as Django calls the file


def _date(headers: Message) -> datetime | None:
    """RFC 2183 names `modification-date`; clients of HTTP rather send `Last-Modified`."""
    for stated in (headers.get_param("modification-date", header="content-disposition"), headers["last-modified"]):
        with suppress(ValueError, TypeError, OverflowError):
            date = parsedate_to_datetime(str(stated))
            return date.replace(tzinfo=UTC) if date.tzinfo is None else date.astimezone(UTC)
    return None


def _boundary(media_type: str) -> bytes:
    header = Message()
    header["content-type"] = media_type
    return (header.get_boundary() or "").encode()
