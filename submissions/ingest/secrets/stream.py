"""Masks a file of any size: once through it to look, and again only where there is something to mask."""

import codecs
import gzip
import itertools
import zlib
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import IO

from ahocorasick_rs import BytesAhoCorasick, Implementation

from submissions.ingest.secrets.detectors import LITERALS
from submissions.ingest.secrets.mask import BEFORE, REACH, Secret, replaced, secrets_in

CHUNK_BYTES = 256 * 1024
_LONG_LINE = 2 * REACH
_END_CHARACTERS = _LONG_LINE + BEFORE  # decide what of a text is certain
_GZIP = b"\x1f\x8b"
_UTF_16 = {codecs.BOM_UTF16_LE: "utf-16-le", codecs.BOM_UTF16_BE: "utf-16-be"}
MOST_SPOTS = 1_000

# Most of a long log is numbers, which hold no secret. A literal of a detector that is in the bytes is also in what is
# left of them without some characters, once it is without them itself; little is left of rows of numbers.
_LONGEST_LITERAL = max(map(len, LITERALS))
_DROPPED = b"0123456789 ,."
_SIEVE = BytesAhoCorasick(
    sorted({literal.translate(None, _DROPPED) for literal in LITERALS}), implementation=Implementation.DFA
)
_MOST_LEFT = 0.5  # of words so much is left that the search itself is as fast

Opener = Callable[[], IO[bytes]]


@dataclass(frozen=True, slots=True)
class Spot:
    """Where a secret was, for the uploader; never the secret."""

    line: int  # from 1
    kind: str


def spots_in(open_raw: Opener) -> tuple[Spot, ...]:
    """The secrets of a file, gzipped or not; of a great many the first MOST_SPOTS."""
    spots: list[Spot] = []
    with open_raw() as raw:
        for _ in watched(_unpacked(raw), spots):
            if len(spots) >= MOST_SPOTS:
                break
    return tuple(spots)


def watched(chunks: Iterable[bytes], spots: list[Spot]) -> Iterator[bytes]:
    """The same bytes; the places of the secrets are added to `spots`, of a great many the first MOST_SPOTS.

    They are complete when the last chunk was taken and the iterator has ended.
    """
    stream = iter(chunks)
    start = next(stream, b"")
    codec, text = _codec(start), _Text(spots)
    for chunk in itertools.chain([start], stream):
        if len(spots) < MOST_SPOTS and not (codec.is_of_bytes and text.pass_over(chunk)):
            text.look(codec.text_of(chunk))
        yield chunk
    text.look("", is_end=True)


def masked_chunks(open_raw: Opener) -> Iterator[bytes]:
    """The file with its secrets masked, packed again if it was packed."""
    with open_raw() as raw:
        is_gzip = raw.read(len(_GZIP)) == _GZIP
        raw.seek(0)
        text = _masked(_unpacked(raw), [])
        yield from _packed(text) if is_gzip else text


def _unpacked(raw: IO[bytes]) -> Iterator[bytes]:
    is_gzip = raw.read(len(_GZIP)) == _GZIP
    raw.seek(0)
    stream: IO[bytes] = gzip.GzipFile(fileobj=raw) if is_gzip else raw  # type: ignore[assignment]
    try:
        while chunk := stream.read(CHUNK_BYTES):
            yield chunk
    except (gzip.BadGzipFile, EOFError, zlib.error):
        return  # what comes after the damage cannot be read by anyone


def _packed(chunks: Iterable[bytes]) -> Iterator[bytes]:
    packer = zlib.compressobj(wbits=31)  # gzip without a date: the same bytes give the same sum
    for chunk in chunks:
        yield packer.compress(chunk)
    yield packer.flush()


def _masked(chunks: Iterable[bytes], spots: list[Spot]) -> Iterator[bytes]:
    """The bytes with masks; the places of the secrets are added to `spots`."""
    stream = iter(chunks)
    start = next(stream, b"")
    codec, text = _codec(start), _Text(spots)
    yield codec.bytes_of(text.add(codec.text_of(start)))
    for chunk in stream:
        yield codec.bytes_of(text.add(codec.text_of(chunk)))
    yield codec.bytes_of(text.rest()) + codec.rest


def _codec(start: bytes) -> "_Characters":
    return _Characters(_UTF_16.get(start[:2], "latin-1"))


class _Characters:
    """Bytes as characters and back without a loss, however broken they are.

    Secrets are ASCII or what is between ASCII characters: of UTF-8, each byte is taken for a character.
    """

    def __init__(self, encoding: str):
        self._encoding = encoding
        self.is_of_bytes = encoding == "latin-1"  # a character each
        self.rest = b""  # of UTF-16: half a character

    def text_of(self, chunk: bytes) -> str:
        if self.is_of_bytes:
            return chunk.decode("latin-1")
        chunk = self.rest + chunk
        whole = len(chunk) - len(chunk) % 2
        self.rest = chunk[whole:]
        return chunk[:whole].decode(self._encoding, "surrogatepass")

    def bytes_of(self, text: str) -> bytes:
        return text.encode(self._encoding, "strict" if self.is_of_bytes else "surrogatepass")


class _Text:
    """A text that comes in pieces: no secret is missed because it lies across two of them."""

    def __init__(self, spots: list[Spot]):
        self._spots = spots
        self._seen = ""  # the last characters that were given out, as they were: a secret's name may be there
        self._waiting = ""
        self._line = 1

    def add(self, piece: str) -> str:
        """What is certain by now, masked."""
        return replaced(*self.look(piece))

    def rest(self) -> str:
        return replaced(*self.look("", is_end=True))

    def pass_over(self, piece: bytes) -> bool:
        """Take the next bytes as `look` would, in less time; False, and nothing is taken, where it must look."""
        if len(piece) < _END_CHARACTERS:
            return False
        border = (self._seen + self._waiting).encode("latin-1") + piece[: _LONGEST_LITERAL - 1]
        if line_ends_without_secrets(border) is None or (lines := line_ends_without_secrets(piece)) is None:
            return False
        end = piece[-_END_CHARACTERS:].decode("latin-1")
        cut = _certain(end, [])
        self._line += self._waiting.count("\n") + lines - end.count("\n", cut)
        self._seen, self._waiting = end[max(0, cut - BEFORE) : cut], end[cut:]
        return True

    def look(self, piece: str, *, is_end: bool = False) -> tuple[str, list[Secret]]:
        """What is certain with this piece, and the secrets in it, which are noted."""
        text, done = self._seen + self._waiting + piece, len(self._seen)
        secrets = [secret for secret in secrets_in(text) if secret.end > done]
        cut = len(text) if is_end else max(done, _certain(text, secrets))
        secrets = [_from(done, secret) for secret in secrets if secret.start < cut]
        self._note(text, done, secrets)
        self._line += text.count("\n", done, cut)
        self._seen, self._waiting = text[max(0, cut - BEFORE) : cut], text[cut:]
        return text[done:cut], [Secret(secret.start - done, secret.end - done, secret.kind) for secret in secrets]

    def _note(self, text: str, done: int, secrets: list[Secret]) -> None:
        for secret in secrets[: MOST_SPOTS - len(self._spots)]:
            self._spots.append(Spot(self._line + text.count("\n", done, secret.start), secret.kind))


def _certain(text: str, secrets: list[Secret]) -> int:
    """Up to where nothing that follows changes what is a secret: the start of the last line, or near its end."""
    cut = text.rfind("\n") + 1
    if len(text) - cut > _LONG_LINE:
        cut = len(text) - REACH
    begun = text.rfind("-----BEGIN ", max(0, len(text) - REACH))
    if begun >= 0 and text.find("-----END", begun) < 0:
        cut = min(cut, begun)  # a private key is many lines
    return min([cut, *(secret.start for secret in secrets if secret.start < cut < secret.end)])


def _from(done: int, secret: Secret) -> Secret:
    return Secret(max(done, secret.start), secret.end, secret.kind)


def line_ends_without_secrets(data: bytes) -> int | None:
    """How many lines end in the bytes, where they hold no literal of a secret for certain; None where they may."""
    left = data.translate(None, _DROPPED)
    if len(left) > len(data) * _MOST_LEFT or _SIEVE.find_matches_as_indexes(left.lower()):
        return None
    return left.count(b"\n")
