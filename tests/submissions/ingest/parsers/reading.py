"""Reads bytes as an uploaded log is read: with what lies between the tool and the file."""

import io

from benchsite.http.refusals import Refusal
from submissions.ingest.document.readings import LogReading
from submissions.ingest.files.open import open_upload
from submissions.ingest.logs.read import OfferedFile, read_log


def read(data: bytes, name: str = "some.log") -> LogReading:
    file = io.BytesIO(data)
    file.name = name
    [member] = open_upload([file])
    return read_log(OfferedFile(member)).reading


def read_or_reason(data: bytes) -> LogReading | str:
    try:
        return read(data)
    except Refusal as refusal:
        return "; ".join(fault.detail for fault in refusal.faults)
