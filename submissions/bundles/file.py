"""One file of a bundle: made for it, or bytes of the storage that are read when they are sent."""

import hashlib
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from rest_framework.utils.encoders import JSONEncoder

from benchsite.storage.by_hash import CHUNK_BYTES
from submissions.ingest.files.storage import open_stored


class Changed(Exception):
    """The storage no longer has the bytes that were promised: the answer breaks off."""


@dataclass(frozen=True, slots=True)
class BundleFile:
    """`content` is None for bytes of the storage; `facts` say in the statement what the file is."""

    path: str
    sha256: str  # hexadecimal
    size_bytes: int
    content: bytes | None = field(default=None, repr=False)
    facts: Mapping[str, Any] = field(default_factory=dict)

    def chunks(self) -> Iterator[bytes]:
        """At most CHUNK_BYTES each. Raises Changed at the end where the sum is another one."""
        if self.content is not None:
            for start in range(0, len(self.content), CHUNK_BYTES):
                yield self.content[start : start + CHUNK_BYTES]
            return
        digest = hashlib.sha256()
        with open_stored(self.sha256) as stored:
            while chunk := stored.read(CHUNK_BYTES):
                digest.update(chunk)
                yield chunk
        if digest.hexdigest() != self.sha256:
            raise Changed(f"{self.sha256} is damaged in the storage")


def of_bytes(path: str, content: bytes) -> BundleFile:
    return BundleFile(path, hashlib.sha256(content).hexdigest(), len(content), content)


def of_text(path: str, text: str) -> BundleFile:
    return of_bytes(path, text.encode())


def of_json(path: str, content: Any) -> BundleFile:
    return of_text(path, json.dumps(content, cls=JSONEncoder, indent=2, ensure_ascii=False) + "\n")
