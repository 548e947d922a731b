"""Files as an uploader packs them."""

import gzip
import io
import tarfile
import zipfile


def sent(content: bytes, name: str = "run.log") -> io.BytesIO:
    file = io.BytesIO(content)
    file.name = name
    return file


def gzipped(content: bytes) -> bytes:
    return gzip.compress(content, mtime=0)  # the parallel workers must collect the same parameters


def zipped(*entries: tuple[str, bytes]) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in entries:
            archive.writestr(zipfile.ZipInfo(name), content, zipfile.ZIP_DEFLATED)
    return buffer.getvalue()


def tarred(*entries: tuple[tarfile.TarInfo | str, bytes], mode: str = "w") -> bytes:
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode=mode) as archive:
        for entry, content in entries:
            info = tarfile.TarInfo(entry) if isinstance(entry, str) else entry
            info.size = len(content)
            archive.addfile(info, io.BytesIO(content))
    return buffer.getvalue()


def link(kind: bytes) -> tarfile.TarInfo:
    info = tarfile.TarInfo("run.log")
    info.type, info.linkname = kind, "/etc/passwd"
    return info
