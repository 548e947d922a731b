"""Whether a file has a harmless name and holds text."""

import codecs
import itertools
import unicodedata
from collections.abc import Iterable

from submissions.ingest.files.limits import Refused

# Control, format (among them the right-to-left override) and surrogate characters, line separators.
_HIDDEN_CATEGORIES = frozenset({"Cc", "Cf", "Cs", "Zl", "Zp"})

# PowerShell's `>` writes UTF-16; without a mark a log is UTF-8.
_BOMS = {
    codecs.BOM_UTF8: "utf-8-sig",
    codecs.BOM_UTF16_LE: "utf-16",
    codecs.BOM_UTF16_BE: "utf-16",
}


def check_name(name: str, *, max_characters: int) -> None:
    """Raise Refused for a name that could leave a folder, hide its end or spoof a page."""
    if not name or len(name) > max_characters:
        raise Refused(f"a file name must have 1 to {max_characters} characters")
    if any(unicodedata.category(character) in _HIDDEN_CATEGORIES for character in name):
        raise Refused(f"file name {name!a} has control or invisible characters")
    if "\\" in name:
        raise Refused(f"file name {name!a} has a backslash")
    if name.startswith("/") or name[1:2] == ":":
        raise Refused(f"file name {name!a} is an absolute path")
    if ".." in name.split("/"):
        raise Refused(f"file name {name!a} leads out of its folder")


def check_text(name: str, chunks: Iterable[bytes]) -> tuple[str, bool]:
    """The log's encoding, and whether some bytes are not of it; Refused if it is not text at all."""
    stream = iter(chunks)
    start = next(stream, b"")
    encoding = next((name for bom, name in _BOMS.items() if start.startswith(bom)), "utf-8")
    decoder = codecs.getincrementaldecoder(encoding)("strict")
    is_broken, is_empty = False, True
    for chunk in itertools.chain([start], stream, [b""]):
        try:
            text = decoder.decode(chunk, final=not chunk)
        except UnicodeDecodeError:
            is_broken = True
            decoder = codecs.getincrementaldecoder(encoding)("replace")
            text = decoder.decode(chunk)
        if "\0" in text:
            raise Refused(f"{name} is a binary file, not a log")
        is_empty = is_empty and not text.strip()
    if is_empty:
        raise Refused(f"{name} is empty")
    return encoding, is_broken
