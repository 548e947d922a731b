"""Bundles taken apart and written again, as a site does it or otherwise."""

import io
import zipfile

from submissions.bundles import archive
from submissions.bundles.file import of_bytes

STATEMENT = "statement.intoto.jsonl"


class Stream:
    """Where ZipFile cannot go back, as on the way to a reader."""

    def __init__(self):
        self.content = b""

    def write(self, data):
        self.content += bytes(data)
        return len(data)

    def flush(self):
        """Nothing waits."""


def entries(content):
    with zipfile.ZipFile(io.BytesIO(content)) as opened:
        return {name: opened.read(name) for name in opened.namelist()}


def zipped(files):
    """As the site writes it: a dictionary, or pairs where a name comes twice."""
    pairs = files.items() if isinstance(files, dict) else files
    return b"".join(archive.zipped(of_bytes(name, content) for name, content in pairs))


def zipped_otherwise(files, change=lambda entry: None, between=b"", before_directory=b"", comment=b""):
    """Likewise, but for what is changed in each entry, or lies between them; without changes the same bytes."""
    stream = Stream()
    with zipfile.ZipFile(stream, "w") as opened:
        for name, content in files.items():
            entry = zipfile.ZipInfo(name, archive.EPOCH)
            entry.create_system, entry.external_attr = 3, 0o100644 << 16
            change(entry)
            opened.fp.write(between if opened.filelist else b"")
            opened.writestr(entry, content, entry.compress_type)
        opened.fp.write(before_directory)
        opened.start_dir += len(before_directory)
        opened.comment = comment
    return stream.content
