"""What a stranger sends, opened safely."""

import hashlib
import io
import os
import subprocess
import sys
import tarfile
import textwrap
import zipfile
from pathlib import Path

import pytest
from django.conf import settings as django_settings
from hypothesis import given, settings
from hypothesis import strategies as st

from benchsite.http.refusals import Fault, Refusal, UploadTooLarge
from submissions.ingest.files import member as member_module
from submissions.ingest.files.limits import UploadLimits
from submissions.ingest.files.member import Member
from submissions.ingest.files.open import open_upload
from tests.submissions.ingest.files.packing import gzipped, link, sent, tarred, zipped

LOG = b"Op rate : 1,069 op/s\nEND\n"
ROOT = Path(__file__).resolve().parents[4]


def facts(members: list[Member]) -> list[tuple]:
    return [(m.name, m.pointer, m.sha256, m.size_bytes, list(m.open_lines())) for m in members]


def refusal(content: bytes, name: str = "run.log", **limits: int) -> Refusal:
    with pytest.raises(Refusal) as caught:
        open_upload([sent(content, name)], UploadLimits(**limits))
    return caught.value


def test_a_plain_log_keeps_its_bytes_and_gives_its_lines_again_and_again():
    (member,) = open_upload([sent(LOG)])

    with member.open_raw() as raw:
        assert raw.read() == LOG
    assert (member.sha256, member.size_bytes) == (hashlib.sha256(LOG).hexdigest(), 25)
    assert list(member.open_lines()) == ["Op rate : 1,069 op/s", "END"]
    assert list(member.open_lines()) == ["Op rate : 1,069 op/s", "END"]
    assert member.warnings == ()


def test_two_readers_of_one_log_do_not_disturb_each_other():
    (member,) = open_upload([sent(LOG)])

    first, second = member.open_lines(), member.open_lines()

    assert [next(first), next(second), next(first)] == [
        "Op rate : 1,069 op/s",
        "Op rate : 1,069 op/s",
        "END",
    ]


def test_a_gzip_is_kept_as_sent_and_read_unpacked():
    packed = gzipped(LOG)

    members = open_upload([sent(packed, "run.log.gz")])

    digest = hashlib.sha256(packed).hexdigest()
    lines = ["Op rate : 1,069 op/s", "END"]
    assert facts(members) == [("run.log.gz", "#/files/0", digest, len(packed), lines)]


def test_two_gzips_one_after_the_other_are_one_log():
    (member,) = open_upload([sent(gzipped(b"a\n") + gzipped(b"b\n"))])

    assert list(member.open_lines()) == ["a", "b"]


@pytest.mark.parametrize(
    "pack",
    [
        zipped,
        tarred,
        lambda *entries: tarred(*entries, mode="w:gz"),
    ],
)
def test_an_archive_gives_each_log_in_it(pack):
    archive = pack(("client1/run.log", LOG), ("client2/run.log", b"x\r\ny"))

    members = open_upload([sent(b"first\n", "a.log"), sent(archive, "logs")])

    assert [(m.name, m.pointer, list(m.open_lines())) for m in members] == [
        ("a.log", "#/files/0", ["first"]),
        ("client1/run.log", "#/files/1", ["Op rate : 1,069 op/s", "END"]),
        ("client2/run.log", "#/files/1", ["x", "y"]),
    ]
    assert members[1].sha256 == hashlib.sha256(LOG).hexdigest()


def test_folders_and_what_macos_adds_to_an_archive_are_passed_over():
    archive = zipped(("logs/", b""), ("logs/run.log", LOG), ("__MACOSX/logs/._run.log", b"\0\5"))

    assert [member.name for member in open_upload([sent(archive)])] == ["logs/run.log"]


def test_a_long_line_is_cut_and_the_next_one_is_whole():
    (member,) = open_upload([sent(b"x" * 70_000 + b"\nend")])

    assert list(member.open_lines()) == ["x" * 20_000, "end"]
    assert [len(line) for line in member.open_lines(50_000)] == [50_000, 3]


def test_a_log_with_a_few_broken_bytes_is_still_a_log():
    (member,) = open_upload([sent(b"caf\xe9 1\nEND\n")])

    assert list(member.open_lines()) == ["caf\ufffd 1", "END"]
    assert member.warnings == ("run.log: bytes that are not UTF-8 were replaced by U+FFFD",)


def test_a_letter_cut_by_the_end_of_a_chunk_is_no_broken_byte():
    (member,) = open_upload([sent(b"x" * 65_535 + "é\n".encode())])

    assert member.warnings == ()


def test_a_letter_cut_by_the_end_of_the_file_is_reported():
    (member,) = open_upload([sent(b"END " + "é".encode()[:1])])

    assert member.warnings == ("run.log: bytes that are not UTF-8 were replaced by U+FFFD",)


@pytest.mark.parametrize("encoding", ["utf-16", "utf-8-sig"])
def test_a_log_written_by_a_windows_shell_is_read(encoding):
    (member,) = open_upload([sent("Op rate : 5\r\nEND\r\n".encode(encoding))])

    assert list(member.open_lines()) == ["Op rate : 5", "END"]
    assert member.warnings == ()


@pytest.mark.parametrize(
    ("content", "name", "detail"),
    [
        (b"", "run.log", "run.log is empty"),
        (b" \n\n", "run.log", "run.log is empty"),
        (gzipped(b""), "run.log", "run.log is empty"),
        (b"\x7fELF\0\0", "a.out", "a.out is a binary file, not a log"),
        (gzipped(b"GIF\0"), "a.gz", "a.gz is a binary file, not a log"),
        (gzipped(LOG)[:-6], "a.gz", "a.gz cannot be unpacked: it is damaged or cut short"),
        (gzipped(LOG) + b"no", "a.gz", "a.gz cannot be unpacked: it is damaged or cut short"),
        (zipped(("a", LOG))[:-9], "a.zip", "a.zip cannot be unpacked: it is damaged or cut short"),
        (gzipped(gzipped(LOG)), "a", "a contains gzip inside gzip: pack logs once"),
        (gzipped(zipped(("a", LOG))), "a", "a contains zip inside gzip: pack logs once"),
        (zipped(("b.gz", gzipped(LOG))), "a", "b.gz in a is gzip: pack logs once"),
        (tarred(("b.tar", tarred(("c", LOG)))), "a", "b.tar in a is tar: pack logs once"),
        (b"BZh91AY", "a", "a is bzip2: pack logs as .gz, .zip, .tar or .tar.gz"),
        (zipped(), "a.zip", "a.zip contains no file"),
        (zipped(("logs/", b"")), "a.zip", "a.zip contains no file"),
        (zipped(("b.log", b"")), "a.zip", "b.log is empty"),
        (tarred((link(tarfile.SYMTYPE), b"")), "a", "'run.log' is a link"),
        (tarred((link(tarfile.LNKTYPE), b"")), "a", "'run.log' is a link"),
        (tarred((link(tarfile.FIFOTYPE), b"")), "a", "'run.log' is not a plain file"),
    ],
)
def test_what_is_no_log_is_refused_with_the_reason(content, name, detail):
    error = refusal(content, name)

    assert (type(error), error.faults) == (Refusal, (Fault("#/files/0", detail),))


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("../run.log", "leads out of its folder"),
        ("a/../../run.log", "leads out of its folder"),
        ("/etc/cron.d/run", "is an absolute path"),
        ("C:/run.log", "is an absolute path"),
        ("a\\..\\run.log", "has a backslash"),
        ("run\n.log", "has control or invisible characters"),
        ("run\u202egol.exe", "has control or invisible characters"),
    ],
)
@pytest.mark.parametrize("pack", [None, zipped, tarred])
def test_a_path_trick_in_a_name_is_refused(name, reason, pack):
    error = refusal(pack((name, LOG)), "logs") if pack else refusal(LOG, name)

    assert error.faults == (Fault("#/files/0", f"file name {name!a} {reason}"),)


def test_a_zip_entry_that_hides_its_end_behind_a_nul_is_refused():
    archive = zipped(("run.log#.exe", LOG)).replace(b"run.log#.exe", b"run.log\0.exe")

    assert refusal(archive).faults == (
        Fault("#/files/0", r"file name 'run.log\x00.exe' has control or invisible characters"),
    )


def test_a_symbolic_link_in_a_zip_is_refused():
    info = zipfile.ZipInfo("run.log")
    info.create_system, info.external_attr = 3, 0o120777 << 16
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        archive.writestr(info, "/etc/passwd")

    assert refusal(buffer.getvalue()).faults == (Fault("#/files/0", "'run.log' is a link"),)


@pytest.mark.parametrize("method", [zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_a_zip_packed_by_another_method_than_deflate_is_refused(method):
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", method) as archive:
        archive.writestr("run.log", LOG)

    assert refusal(buffer.getvalue()).faults == (
        Fault("#/files/0", "'run.log' is compressed by a method other than deflate"),
    )


def test_a_gzip_bomb_is_stopped_by_its_ratio():
    bomb = gzipped(b"\n" * 12 * 1024 * 1024)

    error = refusal(bomb, "bomb.gz")

    assert type(error) is UploadTooLarge
    assert error.faults == (Fault("#/files/0", "bomb.gz unpacks to more than 200 times its size"),)


def test_a_zip_bomb_is_stopped_though_no_single_log_is_over_the_limit():
    bomb = zipped(*((f"{i}.log", b"x\n" * 1024 * 1024) for i in range(6)))

    error = refusal(bomb, "bomb.zip")

    assert type(error) is UploadTooLarge
    assert error.faults == (Fault("#/files/0", "5.log unpacks to more than 200 times its size"),)


def test_a_tar_header_of_a_gigabyte_is_not_read():
    header = tarfile.TarInfo("pax")
    header.type, header.size = tarfile.XHDTYPE, 1024**3
    archive = gzipped(header.tobuf() + b"\0" * 1024 * 1024)

    error = refusal(archive)

    assert type(error) is UploadTooLarge
    assert error.faults == (Fault("#/files/0", "the archive's headers are too long for an archive of logs"),)


@pytest.mark.parametrize(
    ("content", "limits", "detail"),
    [
        # one rule for a log, packed or not
        (b"1" * 99, {"member_bytes": 98}, "run.log is over 98 bytes unpacked"),
        (gzipped(b"1" * 99), {"member_bytes": 98}, "run.log is over 98 bytes unpacked"),
        (zipped(("a", b"1" * 99)), {"member_bytes": 98}, "a is over 98 bytes unpacked"),
        (
            zipped(("a", b"1" * 50), ("b", b"1" * 50)),
            {"total_bytes": 99},
            "the logs are over 99 bytes unpacked",
        ),
        (
            tarred(("a", b"1"), ("b", b"1"), mode="w:gz"),
            {"total_bytes": 5000},
            "the logs are over 5,000 bytes unpacked",
        ),
        (zipped(("a", LOG), ("b", LOG)), {"members": 1}, "the archive has more than 1 entries"),
        (tarred(("a", LOG), ("b", LOG)), {"members": 1}, "the archive has more than 1 entries"),
    ],
)
def test_each_limit_is_named_when_it_is_passed(content, limits, detail):
    error = refusal(content, **limits)

    assert (type(error), error.faults) == (UploadTooLarge, (Fault("#/files/0", detail),))


def test_limits_reached_exactly_are_no_fault():
    limits = UploadLimits(files=2, members=2, member_bytes=25, total_bytes=50, name_characters=7)

    assert len(open_upload([sent(LOG), sent(LOG)], limits)) == 2


def test_the_sum_over_all_files_is_limited_at_the_file_that_passes_it():
    with pytest.raises(UploadTooLarge) as caught:
        open_upload([sent(LOG), sent(LOG)], UploadLimits(total_bytes=49))

    assert caught.value.faults == (Fault("#/files/1", "the logs are over 49 bytes unpacked"),)


@pytest.mark.parametrize(
    ("count", "kind", "detail"),
    [
        (0, Refusal, "no file was sent"),
        (51, UploadTooLarge, "more than 50 files in one upload"),
    ],
)
def test_too_few_and_too_many_files_are_refused(count, kind, detail):
    with pytest.raises(Refusal) as caught:
        open_upload([sent(LOG)] * count)

    assert (type(caught.value), caught.value.faults) == (kind, (Fault("#/files", detail),))


def test_temporary_files_go_with_the_members(tmp_path, monkeypatch):
    monkeypatch.setattr(django_settings, "DATA_DIR", tmp_path)
    members = open_upload([sent(zipped(("a", LOG), ("b", LOG)))])
    assert len(list(tmp_path.glob("tmp/*/upload-*"))) == 2

    del members

    assert list(tmp_path.glob("tmp/*/upload-*")) == []


@settings(deadline=None)
@given(st.binary(max_size=400), st.sampled_from([b"", b"\x1f\x8b\x08", b"PK\x03\x04", b"PK\x05\x06"]))
def test_random_bytes_give_members_or_a_refusal(content, magic):
    try:
        members = open_upload([sent(magic + content)])
    except Refusal:
        return
    for member in members:
        assert all("\n" not in line for line in member.open_lines())


@settings(deadline=None)
@given(st.sampled_from([zipped, tarred]), st.data())
def test_a_damaged_archive_gives_members_or_a_refusal(pack, data):
    archive = bytearray(pack(("client1.log", LOG), ("client2.log", LOG * 9)))
    for _ in range(data.draw(st.integers(1, 8))):
        archive[data.draw(st.integers(0, len(archive) - 1))] = data.draw(st.integers(0, 255))

    try:
        members = open_upload([sent(bytes(archive))])
    except Refusal:
        return
    for member in members:
        list(member.open_lines())


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="reads the peak from Linux")
@pytest.mark.slow
def test_300_mb_of_stack_traces_are_read_in_under_150_mb_of_memory(tmp_path):
    # VmHWM and not ru_maxrss, which a child inherits from the process that started it.
    script = textwrap.dedent(
        """
        import gzip, random, re, sys
        from pathlib import Path
        from submissions.ingest.files.open import open_upload

        rng = random.Random(1)
        block = "".join(
            f"\\tat org.apache.cassandra.stress.Operation{rng.random()}.run(Op.java:{n})\\n"
            for n in range(60_000)
        ).encode()
        member = gzip.compress(block, compresslevel=1, mtime=0)
        with open("big.log.gz", "wb") as log:
            for _ in range(300_000_000 // len(block) + 1):
                log.write(member)  # a gzip may have many members
        with open("big.log.gz", "rb") as file:
            (member,) = open_upload([file])
            characters = sum(len(line) + 1 for line in member.open_lines())
        peak_kib = re.search(r"VmHWM:\\s+(\\d+) kB", Path("/proc/self/status").read_text())[1]
        print(characters, int(peak_kib) // 1024)
        """
    )

    done = subprocess.run(
        [sys.executable, "-c", script],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=True,
    )

    characters, peak_mib = map(int, done.stdout.split())
    assert characters >= 300_000_000
    assert peak_mib < 150


@pytest.mark.parametrize("limit", [1, 3, 7, 20_000])
@pytest.mark.parametrize("encoding", ["utf-8", "utf-16"])
def test_lines_are_those_of_a_text_file_cut_at_the_limit(limit, encoding, monkeypatch):
    """Read in pieces that end anywhere: within a character, between \\r and \\n, within a long line."""
    content = "a\r\nβ\rc\n\n\r\n" + "long line é " * 5 + "\nlast\r\n" + "x" * 40
    with io.TextIOWrapper(io.BytesIO(content.encode(encoding)), encoding) as text:
        expected = [line.removesuffix("\n")[:limit] for line in text]

    for size in (2, 3, 5, 64):
        monkeypatch.setattr(member_module, "CHUNK_BYTES", size)
        (opened,) = open_upload([sent(content.encode(encoding))], UploadLimits(line_characters=limit))
        assert list(opened.open_lines()) == expected
