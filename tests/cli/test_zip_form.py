"""benchsite verify reads exactly the zip that a site writes; any other is refused, with the file and the reason."""

import io
import struct
import zipfile

import pytest

from submissions.bundles import archive
from submissions.bundles.file import BundleFile, of_bytes
from tests.cli.zips import entries, zipped, zipped_otherwise

LOG = "logs/trial-1/cs50-01-write-n20000-t4.log"


BLOCK = bytes(4 * 1024 * 1024)


class Zeros(BundleFile):
    def chunks(self):
        for start in range(0, self.size_bytes, len(BLOCK)):
            yield BLOCK[: self.size_bytes - start]


@pytest.fixture
def refused(verify):
    """A function: the reason why this zip is refused, on one line; keys and statement are not even read."""

    def attempt(content):
        code, printed = verify(content)
        assert code == 2, printed
        return " ".join(printed.split())

    return attempt


def shifted(content, bytes_before):
    """The zip behind other bytes, with the offsets in its directory made right again."""
    changed = bytearray(content)
    [start] = struct.unpack_from("<L", content, len(content) - 6)
    place = start
    while content[place : place + 4] == b"PK\1\2":
        name, extra, comment = struct.unpack_from("<HHH", content, place + 28)
        [offset] = struct.unpack_from("<L", content, place + 42)
        struct.pack_into("<L", changed, place + 42, offset + len(bytes_before))
        place += 46 + name + extra + comment
    struct.pack_into("<L", changed, len(content) - 6, start + len(bytes_before))
    return bytes_before + bytes(changed)


def test_the_writer_of_these_tests_and_the_site_make_the_same_bytes(site_bundle, verify):
    assert zipped_otherwise(entries(site_bundle)) == zipped(entries(site_bundle)) == site_bundle
    assert verify(site_bundle)[0] == 0
    assert LOG in entries(site_bundle)


def test_files_before_the_first_one_are_refused(site_bundle, refused):
    evil = zipped({"evil/run.sh": b"rm -rf /\n", "results.json": b"{}"})
    headers = evil[: evil.index(b"PK\1\2")]

    for before in (headers, evil):  # files without a directory, and a whole zip
        for content in (before + site_bundle, shifted(site_bundle, before)):
            place = f"statement.intoto.jsonl begins at byte {len(before):,}, and what comes before it ends at 0"
            assert place in refused(content)


@pytest.mark.parametrize("mode", [0o120777, 0o104755, 0o100755, 0o040755, 0o010644, 0o060644, 0])
def test_links_programs_folders_and_devices_are_refused(site_bundle, refused, mode):
    def change(entry):
        entry.external_attr = mode << 16 | 1 if entry.filename == LOG else entry.external_attr

    reason = f"the directory, at {LOG}: mode is {mode:06o}, where a site writes 100644"

    assert reason in refused(zipped_otherwise(entries(site_bundle), change))


def test_bytes_between_files_before_the_directory_and_after_the_end_are_refused(site_bundle, refused):
    files = entries(site_bundle)
    [first, second, *_] = files
    end_of_first = site_bundle.index(b"PK\3\4", 1)

    reason = f"{second} begins at byte {end_of_first + 3:,}, and what comes before it ends at {end_of_first:,}"
    assert reason in refused(zipped_otherwise(files, between=b"gap"))
    reason = f"the directory, at {first}: signature is b'gapP'"
    assert reason in refused(zipped_otherwise(files, before_directory=b"gap"))
    assert "bytes follow its end" in refused(site_bundle + b"x")
    directory_then_gap = site_bundle[:-22] + b"gap" + site_bundle[-22:]
    assert "is no whole zip file" in refused(directory_then_gap)


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"compress_type": zipfile.ZIP_DEFLATED}, f"the header of {LOG}: method is 8, where a site writes 0"),
        ({"compress_type": zipfile.ZIP_BZIP2}, f"the header of {LOG}: version is 46, where a site writes 20"),
        ({"comment": b"hello"}, f"the directory, at {LOG}: length of the comment is 5, where a site writes 0"),
        ({"extra": b"\xfe\xca\0\0"}, f"the header of {LOG}: length of extra fields is 4, where a site writes 0"),
        ({"date_time": (2026, 5, 4, 0, 0, 0)}, f"the header of {LOG}: date is 23,716, where a site writes 33"),
        ({"create_system": 0}, f"the directory, at {LOG}: system is 0, where a site writes 3"),
        ({"internal_attr": 1}, f"the directory, at {LOG}: internal attributes is 1, where a site writes 0"),
        ({"create_version": 63}, f"the directory, at {LOG}: version of the writer is 63, where a site writes 20"),
    ],
)
def test_an_entry_of_another_kind_is_refused(site_bundle, refused, change, reason):
    def changed(entry):
        for name, value in change.items() if entry.filename == LOG else ():
            setattr(entry, name, value)

    assert reason in refused(zipped_otherwise(entries(site_bundle), changed))


def test_a_comment_of_the_whole_and_files_with_their_sums_in_front_are_refused(site_bundle, refused):
    files = entries(site_bundle)
    buffer = io.BytesIO()  # where the writer can go back
    with zipfile.ZipFile(buffer, "w") as opened:
        for name, content in files.items():
            opened.writestr(zipfile.ZipInfo(name, archive.EPOCH), content)

    commented = zipped_otherwise(files, comment=b"hello")
    assert "its end: length of the comment is 5, where a site writes 0" in refused(commented)
    reason = "the header of statement.intoto.jsonl: flags is 0, where a site writes 8"
    assert reason in refused(buffer.getvalue())


def test_a_header_that_says_something_else_than_the_directory_is_refused(site_bundle, refused):
    place = site_bundle.index(LOG.encode())  # in the header, before the bytes of the file
    name = b"evil" + LOG.encode()[4:]
    renamed = site_bundle[:place] + name + site_bundle[place + len(name) :]
    encrypted = bytearray(site_bundle)
    encrypted[place - 24] |= 1
    directory = site_bundle.index(b"PK\1\2") + 16
    other_sum = bytearray(site_bundle)
    other_sum[directory] ^= 1

    assert f"the header of {LOG}: name is b'{name.decode()}', where a site writes b'{LOG}'" in refused(renamed)
    assert f"the header of {LOG}: flags is 9, where a site writes 8" in refused(bytes(encrypted))
    assert "the end of statement.intoto.jsonl: sum is" in refused(bytes(other_sum))


def test_files_in_another_order_than_that_of_the_statement_are_not_verified(site_bundle, verify):
    [first, second, third, *others] = entries(site_bundle).items()

    code, printed = verify(zipped(dict([first, third, second, *others])))

    assert code == 1
    assert f"{second[0]}: is not at its place: the order is that of the statement" in printed


def test_files_beyond_2_gib_and_those_after_them_are_read(tmp_path):
    """Zeros, which take no space on the disk; sizes and offsets have eight bytes."""
    from benchsite_cli.bundles.bundle import opened

    bundle = tmp_path / "large.zip"
    with bundle.open("wb") as file:
        for chunk in archive.zipped([Zeros("logs/large.log", "", 2**31 + 1), of_bytes("logs/é.log", b"small")]):
            if chunk == BLOCK:
                file.seek(len(chunk), 1)
            else:
                file.write(chunk)

    with opened(bundle) as read:
        assert b"".join(read.chunks("logs/é.log", 10)) == b"small"
    with bundle.open("rb+") as file:  # what the writer of Python before 3.11.4 puts before a large file
        file.seek(4)
        file.write(b"\x14")
        file.seek(18)
        file.write(bytes(8))
    with opened(bundle) as read:
        assert b"".join(read.chunks("logs/é.log", 10)) == b"small"


def test_more_files_than_two_bytes_can_count_are_read(tmp_path):
    from benchsite_cli.bundles.bundle import opened

    bundle = tmp_path / "many.zip"
    bundle.write_bytes(zipped({f"logs/{number}": b"" for number in range(66_000)}))

    with opened(bundle) as read:
        assert b"".join(read.chunks("logs/65999", 10)) == b""
