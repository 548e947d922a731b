"""Text is sent compressed: by brotli or gzip, as the client takes it.

What a stranger may mix with a secret must not tell the secret by its length (BREACH). So to who brings a cookie or a
token only answers that are made from the data (`from_data`) are compressed, with a random length: not the pages of
accounts and runs. One that no cache may store is never compressed: it has keys, or links of unlisted results.
"""

import os
from collections.abc import Callable, Iterator, Sequence
from typing import IO, cast

import brotli
from django.http import FileResponse, HttpRequest, HttpResponse, StreamingHttpResponse
from django.utils.cache import patch_vary_headers
from django.utils.text import compress_sequence, compress_string
from zlib_ng import gzip_ng, zlib_ng

from benchsite.http.from_data import from_data_of

LEAST_BYTES = 500
BROTLI_QUALITY = 4  # a sixth smaller than gzip
GZIP_LEVEL = 5  # by zlib-ng: a hundredth larger than by level 6, in up to a quarter less time
GZIP_FORMAT = 16 + 15  # for `wbits`: with the header of a file, and the largest window
RANDOM_BYTES = 100
_SIZE_BYTES = 4  # of what is packed, at the end of gzip
_TEXTS = ("text/", "application/json", "application/problem+json", "application/atom+xml", "application/x-ndjson")
_SAFE_METHODS = ("GET", "HEAD")


class CompressionMiddleware:
    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]):
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        response = self.get_response(request)
        if _is_compressible(request, response):
            patch_vary_headers(response, ("Accept-Encoding",))
            _compress(request, response)
        return response


def gzip_file_response(request: HttpRequest, packed: IO[bytes], *, content_type: str, filename: str) -> FileResponse:
    """A public file that is stored as gzip: sent as it is, or unpacked meanwhile for who does not take gzip."""
    encoding = encoding_of(request, ("gzip",))
    content = packed if encoding else _Unpacked(packed)
    response = FileResponse(content, as_attachment=True, filename=filename, content_type=content_type)
    if encoding:
        response["Content-Encoding"] = encoding
    else:
        response["Content-Length"] = str(_unpacked_bytes(packed))
    patch_vary_headers(response, ("Accept-Encoding",))
    return response


def _unpacked_bytes(packed: IO[bytes]) -> int:
    """Of less than 4 GiB, by the end of the file."""
    packed.seek(-_SIZE_BYTES, os.SEEK_END)
    size_bytes = int.from_bytes(packed.read(_SIZE_BYTES), "little")
    packed.seek(0)
    return size_bytes


class _Unpacked:
    """It can be read, and no more: FileResponse seeks the end of what can be sought, here by unpacking all of it."""

    def __init__(self, packed: IO[bytes]):
        self._packed = packed
        self._unpacking: IO[bytes] = gzip_ng.open(packed)  # type: ignore[no-untyped-call]

    def read(self, size: int) -> bytes:
        return self._unpacking.read(size)

    def close(self) -> None:
        self._unpacking.close()
        self._packed.close()


def encoding_of(request: HttpRequest, offered: Sequence[str] = ("br", "gzip")) -> str:
    """The best one that the client takes, "" for none."""
    accepted = request.META.get("HTTP_ACCEPT_ENCODING", "").lower()
    taken = {part.partition(";")[0].strip() for part in accepted.split(",") if not _is_refused(part)}
    return next((encoding for encoding in offered if encoding in taken), "")


def gzipped(content: bytes) -> bytes:
    return zlib_ng.compress(content, GZIP_LEVEL, GZIP_FORMAT)


def is_from_anybody(request: HttpRequest) -> bool:
    """Neither a cookie nor a token: the answer is the same for all."""
    return not (request.META.get("HTTP_COOKIE") or request.META.get("HTTP_AUTHORIZATION"))


def _is_refused(part: str) -> bool:
    weight = part.replace(" ", "").partition(";q=")[2]
    return bool(weight) and not weight.strip("0.")


def _is_compressible(request: HttpRequest, response: HttpResponse | StreamingHttpResponse) -> bool:
    if request.method not in _SAFE_METHODS or response.has_header("Content-Encoding"):
        return False
    is_long = isinstance(response, StreamingHttpResponse) or len(response.content) >= LEAST_BYTES
    return (
        is_long
        and (is_from_anybody(request) or _is_of_data(request))
        and response.status_code == 200
        and not isinstance(response, FileResponse)
        and "no-store" not in response.get("Cache-Control", "")
        and response.get("Content-Type", "").startswith(_TEXTS)
    )


def _is_of_data(request: HttpRequest) -> bool:
    return from_data_of(request.resolver_match) is not None


def _compress(request: HttpRequest, response: HttpResponse | StreamingHttpResponse) -> None:
    if isinstance(response, StreamingHttpResponse):
        encoding = encoding_of(request, ("gzip",))
        if encoding:
            content = cast("Iterator[bytes]", response.streaming_content)
            response.streaming_content = compress_sequence(content, max_random_bytes=RANDOM_BYTES)
            del response["Content-Length"]
    elif is_from_anybody(request):
        encoding = encoding_of(request)
        _set_content(response, _ENCODERS[encoding](response.content))
    else:
        encoding = encoding_of(request, ("gzip",))
        if encoding:
            _set_content(response, compress_string(response.content, max_random_bytes=RANDOM_BYTES))
    if encoding:
        response["Content-Encoding"] = encoding
        _weaken_etag(response)


_ENCODERS: dict[str, Callable[[bytes], bytes]] = {
    "br": lambda content: bytes(brotli.compress(content, quality=BROTLI_QUALITY)),
    "gzip": gzipped,
    "": lambda content: content,
}


def _set_content(response: HttpResponse, content: bytes) -> None:
    response.content = content
    response["Content-Length"] = str(len(content))


def _weaken_etag(response: HttpResponse | StreamingHttpResponse) -> None:
    """The same page in another encoding has other bytes."""
    etag = response.get("ETag", "")
    if etag.startswith('"'):
        response["ETag"] = f"W/{etag}"
