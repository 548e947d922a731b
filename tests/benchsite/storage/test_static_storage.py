"""Static files are compressed as much as their readers' network is worth."""

import gzip

import brotli
import pytest

from benchsite.management.commands import prepare
from benchsite.storage.static_storage import LARGE_BYTES, StaticStorage

TEXT = b"".join(b"function f%d(a, b) { return a * %d + b.length }\n" % (number, number**2) for number in range(2_000))


@pytest.mark.parametrize(("is_local", "quality"), [(True, 9), (False, 11)])
def test_a_local_site_compresses_in_little_time_and_others_as_much_as_can_be(is_local, quality, settings, tmp_path):
    settings.LOCAL_SITE = is_local
    path = tmp_path / "a.js"
    path.write_bytes(TEXT)

    StaticStorage(tmp_path).create_compressor(quiet=True).compress(str(path))

    assert (tmp_path / "a.js.br").read_bytes() == brotli.compress(TEXT, quality=quality)
    assert brotli.decompress((tmp_path / "a.js.br").read_bytes()) == TEXT
    assert gzip.decompress((tmp_path / "a.js.gz").read_bytes()) == TEXT


def test_a_local_site_compresses_what_is_large_as_much_as_can_be(settings, tmp_path):
    settings.LOCAL_SITE = True
    path = tmp_path / "library.js"
    path.write_bytes(TEXT * (LARGE_BYTES // len(TEXT) + 1))

    StaticStorage(tmp_path).create_compressor(quiet=True).compress(str(path))

    assert (tmp_path / "library.js.br").read_bytes() == brotli.compress(path.read_bytes(), quality=11)


def test_files_are_compressed_again_once_a_site_is_no_longer_local(settings):
    settings.LOCAL_SITE = True
    before = prepare.static_sources()
    settings.LOCAL_SITE = False

    assert before != prepare.static_sources()
