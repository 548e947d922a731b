"""Opens what a stranger sent, and nothing else does: spool -> unpack -> check -> mask secrets -> member.

Nothing is held in memory but a chunk: raw bytes wait in temporary files, a gzip is unpacked
again each time it is read. A file is anything with `name` and `read`; its sender may state its `modified_at`.
"""

from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from benchsite.http.refusals import Refusal, UploadTooLarge
from submissions.ingest.files.check import check_name, check_text
from submissions.ingest.files.limits import Meter, Refused, RefusedTooLarge, UploadLimits
from submissions.ingest.files.member import Member
from submissions.ingest.files.spool import chunks, spool
from submissions.ingest.files.unpack import UnpackedLog, unpack
from submissions.ingest.secrets.mask import mask_text
from submissions.ingest.secrets.sentences import masked_in_file
from submissions.ingest.secrets.stream import MOST_SPOTS, Spot, masked_chunks, watched


class UploadedFile(Protocol):
    @property
    def name(self) -> str | None: ...

    def read(self, size: int, /) -> bytes: ...


def open_upload(files: Sequence[UploadedFile], limits: UploadLimits | None = None) -> list[Member]:
    """Check every file and return the logs in them, in order.

    Raises UploadTooLarge over a limit and Refusal for whatever else is refused; the pointer is
    the file's place, `#/files/0`, the detail names the log inside it.
    """
    limits = limits or UploadLimits()
    if not files:
        raise Refusal.at("#/files", "no file was sent")
    if len(files) > limits.files:
        raise UploadTooLarge.at("#/files", f"more than {limits.files} files in one upload")
    meter = Meter(limits)
    members: list[Member] = []
    for index, file in enumerate(files):
        pointer = f"#/files/{index}"
        try:
            _open_file(file, pointer, meter, members)
        except RefusedTooLarge as refused:
            raise UploadTooLarge.at(pointer, str(refused)) from refused
        except Refused as refused:
            raise Refusal.at(pointer, str(refused)) from refused
    return members


@dataclass(frozen=True, slots=True)
class Unopened:
    """A file that was refused, and why."""

    name: str
    reason: str
    is_too_large: bool = False


def open_each(
    files: Sequence[UploadedFile], most_logs: int, limits: UploadLimits | None = None
) -> list[Member | Unopened]:
    """The logs in all files; one that is refused stops no other. Raises UploadTooLarge for more than `most_logs`."""
    limits = limits or UploadLimits()
    if len(files) > most_logs:
        raise UploadTooLarge.at("#/files", f"more than {most_logs} files in one upload")
    meter = Meter(limits)
    opened: list[Member | Unopened] = []
    for index, file in enumerate(files):
        try:
            for log in _open_each(file, f"#/files/{index}", meter):
                opened.append(log)
                if len(opened) > most_logs:
                    raise UploadTooLarge.at(f"#/files/{index}", f"more than {most_logs} logs in one upload")
        except Refused as refused:
            opened.append(_unopened(file.name or "upload", refused))
    return opened


def _open_each(file: UploadedFile, pointer: str, meter: Meter) -> Iterator[Member | Unopened]:
    """Raises Refused for what cannot be unpacked (further)."""
    for log, modified_at in _logs_in(file, meter):
        try:
            yield _member(log, pointer, meter.limits, modified_at)
        except Refused as refused:
            yield _unopened(log.name, refused)


def _unopened(name: str, refused: Refused) -> Unopened:
    """A name that is refused itself is shown without what was refused in it."""
    shown = "".join(character for character in name if character.isprintable())[:255]
    return Unopened(mask_text(shown), str(refused), isinstance(refused, RefusedTooLarge))


def _open_file(file: UploadedFile, pointer: str, meter: Meter, members: list[Member]) -> None:
    """Add the logs in one file to `members`."""
    for log, modified_at in _logs_in(file, meter):
        if len(members) >= meter.limits.members:
            raise RefusedTooLarge(f"more than {meter.limits.members} logs in one upload")
        members.append(_member(log, pointer, meter.limits, modified_at))


def _logs_in(file: UploadedFile, meter: Meter) -> Iterator[tuple[UnpackedLog, datetime | None]]:
    """Each with its date, where one is known."""
    name = file.name or "upload"
    check_name(name, max_characters=meter.limits.name_characters)
    meter.start_file()
    sent = spool(meter.sent(chunks(file)))
    with closing(unpack(name, sent, meter)) as logs:
        for log in logs:
            yield log, log.modified_at or getattr(file, "modified_at", None)


def _member(log: UnpackedLog, pointer: str, limits: UploadLimits, modified_at: datetime | None) -> Member:
    spots: list[Spot] = []
    encoding, is_broken = check_text(log.name, watched(log.content, spots))
    name = mask_text(log.name)
    warnings = []
    if is_broken:
        warnings.append(f"{name}: bytes that are not {encoding[:6].upper()} were replaced by U+FFFD")
    if len(spots) >= MOST_SPOTS:  # no log: only made to keep us busy
        raise Refused(f"{name} has {MOST_SPOTS:,} passwords or keys, or more: remove them first")
    if spots:
        warnings.append(masked_in_file(name, spots))
    raw = spool(masked_chunks(log.raw.open)) if spots else log.raw  # what was sent is gone with its temporary file
    return Member(
        name=name,
        pointer=pointer,
        sha256=raw.sha256,
        size_bytes=raw.size_bytes,
        warnings=tuple(warnings),
        line_characters=limits.line_characters,
        encoding=encoding,
        is_gzip=log.is_gzip,
        open_raw=raw.open,  # the bound method keeps the temporary file alive
        original_sha256=log.raw.sha256 if spots else None,
        modified_at=modified_at,
    )
