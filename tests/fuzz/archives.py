"""Files that are not what they seem: bombs, lying archives, logs with noise in them."""

import bz2
import gzip
import io
import lzma
import random
import stat
import tarfile
import zipfile
import zlib
from collections.abc import Callable, Iterator
from functools import partial

from tests.files import DATA
from tests.fuzz.cases import SEED

LOG = (DATA / "cassandra-stress" / "cs50-33-single-op.log").read_bytes()
GOOD = (DATA / "cassandra-stress" / "cs50-01-write-n20000-t4.log").read_bytes()
MUTATED = (
    "cassandra-stress/cs50-01-write-n20000-t4.log",
    "cassandra-stress/cs50-30-graph-run1.log",
    "cassandra-stress/cs50-07b.hdr",
    "cassandra-stress/cs50-09-auto-threads.log",
    "cassandra-stress/cs311-01-write-native.log",
    "ycsb/ycsb17-02-mixed-target-both.log",
    "ycsb/ycsb17-03-histogram.log",
    "go-ycsb/goycsb-03-basic-intervals.log",
    "go-ycsb/goycsb-04-table.log",
    "go-ycsb/goycsb-05-json.log",
    "go-tpc/ch-2023.log",
    "ycsb-cpp/leveldb-a.log",
    "cockroach-workload/tpcc-100.log",
    "cockroach-workload/ycsb-d.log",
    "oltpbench-console/benchbase-ycsb.log",
    "oltpbench-console/yugabytedb-100-warehouses.log",
    "db-bench/two-starts.log",
    "perfkitbenchmarker/cassandra-ycsb.json",
    "easy-stress/tlp-keyvalue-book.log",
    "easy-stress/tlp-timeseries.csv",
    "latte/latte-01-write.json",
    "latte/latte-01-write.log",
    "pgbench/pg16-01-tpcb.log",
    "pgbench/pg18-03-weights.log",
    "fio/random_read.json",
    "fio/fio333-02-randrw.log",
    "iozone/io489-02-auto.log",
    "sysbench/sb10-01-read-write.log",
    "sysbench/sb10-02-histogram.log",
    "redis-benchmark/rb70-01-set-get.log",
    "redis-benchmark/vb81-02-csv.log",
    "memtier/composed-runs.log",
    "memtier/interrupted.json",
    "hammerdb/composed-profile.log",
    "hammerdb/hammerdb60-mysql-report.json",
    "benchbase/tpcc-postgres.summary.json",
    "nosqlbench/nb-log.log",
    "nosqlbench/composed-summary.log",
    "scylla-bench/composed-both-kinds.log",
    "sparecores-redis/aws-m7g.xlarge.csv",
    "sparecores-pgbench/gcp-c4a-highmem-1.json",
)
MUTATIONS = 14  # of each log
_MIB = 1024 * 1024
_ODD_NUMBERS = (b"0", b"-1", b"NaN", b"1e999", b"9" * 400, b"5e-324", b"", b"1,5", b"Infinity", b"0x1F", b"99999999999")

File = tuple[str, Callable[[], bytes]]


def odd_files() -> Iterator[File]:
    yield from _binary()
    yield from _encoded()
    yield from _packed()
    yield from _archives()


def mutated_logs() -> Iterator[File]:
    """Real logs with one kind of damage each, the same ones every time."""
    for name in MUTATED:
        for number in range(MUTATIONS):
            yield f"{name}, damage {number}", partial(_damaged, name, number)


def _damaged(name: str, number: int) -> bytes:
    chance = random.Random(f"{SEED} {name} {number}")
    raw = (DATA / name).read_bytes()
    lines = raw.split(b"\n")
    match number % 7:
        case 0:
            return raw[: chance.randrange(len(raw))]
        case 1:
            damaged = bytearray(raw)
            for _ in range(1 + len(raw) // 200):
                damaged[chance.randrange(len(raw))] = chance.randrange(256)
            return bytes(damaged)
        case 2:
            chance.shuffle(lines)
        case 3:
            lines = [line for line in lines if chance.random() > 0.2]
        case 4:
            lines = [line for line in lines for _ in range(chance.choice((1, 1, 1, 2, 5)))]
        case 5:
            return _with_odd_numbers(raw, chance)
        case _:
            cut = chance.randrange(len(lines))
            lines = lines[cut:] + lines[:cut]
    return b"\n".join(lines)


def _with_odd_numbers(raw: bytes, chance: random.Random) -> bytes:
    words = raw.split(b" ")
    for at, word in enumerate(words):
        if word[:1].isdigit() and chance.random() < 0.1:
            words[at] = chance.choice(_ODD_NUMBERS)
    return b" ".join(words)


def _binary() -> Iterator[File]:
    yield "empty", lambda: b""
    yield "one byte", lambda: b"\x00"
    yield "white space", lambda: b" \r\n\t" * 1_000
    yield "NUL bytes", lambda: b"\x00" * _MIB
    yield "noise", lambda: random.Random(SEED).randbytes(_MIB)
    yield "a program", lambda: b"\x7fELF" + bytes(range(256)) * 64
    yield "a picture", lambda: b"\x89PNG\r\n\x1a\n" + bytes(range(256)) * 64
    yield "one line of 3 MB", lambda: b"x" * 3 * _MIB
    yield "a log in a line of 2 MB", lambda: GOOD + b"1" * 2 * _MIB
    yield "half a million empty lines", lambda: b"\n" * 500_000
    yield "escapes of a terminal", lambda: b"\x1b[2J\x1b]0;title\x07" + GOOD
    yield "HTML", lambda: b"<html><script>alert(1)</script></html>"
    yield "JSON, deeply nested", lambda: b"[" * 100_000 + b"]" * 100_000
    yield "JSON of numbers that are none", lambda: b'{"jobs": [{"jobname": "x", "read": {"iops": NaN, "bw": 1e999}}]}'
    yield "a NUL in a log", lambda: GOOD.replace(b"\n", b"\x00\n", 40)
    yield "carriage returns only", lambda: GOOD.replace(b"\n", b"\r")
    yield "ten logs behind one another", lambda: GOOD * 10


def _encoded() -> Iterator[File]:
    text = GOOD.decode()
    for encoding in ("utf-16", "utf-16-le", "utf-16-be", "utf-32", "utf-7", "cp500", "utf-8-sig", "punycode"):
        yield encoding, partial(text.encode, encoding)
    yield "half of a UTF-16 pair", lambda: text.encode("utf-16-le")[:-1] + b"\xd8"
    yield "surrogates in UTF-8", lambda: GOOD + b"\xed\xa0\x80\xed\xb0\x80"
    yield "overlong UTF-8", lambda: GOOD + b"\xc0\xaf\xe0\x80\xaf"
    yield "latin-1", lambda: GOOD + "naïve".encode("latin-1")


def _packed() -> Iterator[File]:
    yield "gzip", lambda: gzip.compress(GOOD)
    yield "gzip, cut off", lambda: gzip.compress(GOOD)[:-20]
    yield "gzip with a wrong sum", lambda: gzip.compress(GOOD)[:-8] + b"\x00" * 8
    yield "gzip of two members", lambda: gzip.compress(GOOD) + gzip.compress(LOG)
    yield "gzip with noise behind", lambda: gzip.compress(GOOD) + b"noise"
    yield "gzip in gzip", lambda: gzip.compress(gzip.compress(GOOD))
    yield "nothing but the head of gzip", lambda: b"\x1f\x8b\x08\x00"
    yield "a gzip bomb", lambda: gzip.compress(b"\x00" * 60 * _MIB)
    yield "a gzip bomb of lines", lambda: gzip.compress(b"total,1,2,3\n" * 3_000_000)
    yield "bzip2", lambda: bz2.compress(GOOD)
    yield "xz", lambda: lzma.compress(GOOD)
    yield "zlib", lambda: zlib.compress(GOOD)
    yield "zstd's head", lambda: b"\x28\xb5\x2f\xfd" + b"\x00" * 100
    yield "7z's head", lambda: b"7z\xbc\xaf\x27\x1c" + b"\x00" * 100
    yield "rar's head", lambda: b"Rar!\x1a\x07\x00" + b"\x00" * 100


def _archives() -> Iterator[File]:
    yield "zip", lambda: zipped(("run.log", GOOD))
    yield "zip, cut off", lambda: zipped(("run.log", GOOD))[:-30]
    yield "zip without an entry", lambda: zipped()
    yield "zip of an empty file", lambda: zipped(("run.log", b""))
    yield "a zip bomb", lambda: zipped(("run.log", b"\x00" * 60 * _MIB))
    yield "zip in zip in zip", lambda: zipped(("b.zip", zipped(("c.zip", zipped(("run.log", GOOD))))))
    yield "zip of one name twice", lambda: zipped(("run.log", GOOD), ("run.log", GOOD))
    yield "zip of 5,000 entries", lambda: zipped(*((f"{number}.log", b"") for number in range(5_000)))
    for name in (
        "../../x.log",
        "/etc/passwd",
        "C:\\x.log",
        "a\x00b.log",
        "x" * 60_000,
        "é\ud83d.log",
        " ",
        ".",
        "a/../../b",
    ):
        yield f"zip of {name[:20]!a}", partial(_zip_named, name)
    yield "zip of a link", _zip_of_a_link
    yield "zip that says it is encrypted", lambda: _patched(zipped(("run.log", GOOD)), 6, b"\x01")
    yield "zip of an unknown method", lambda: _patched(zipped(("run.log", GOOD)), 8, b"\x63")
    yield "zip with a wrong size", lambda: _patched(zipped(("run.log", GOOD)), 22, b"\x01\x00\x00\x00")
    yield "zip with a wrong sum", lambda: _patched(zipped(("run.log", GOOD)), 14, b"\x00\x00\x00\x00")
    yield "zip of bzip2", lambda: zipped(("run.log", GOOD), method=zipfile.ZIP_BZIP2)
    yield "zip behind noise", lambda: b"noise" + zipped(("run.log", GOOD))
    for kind in (tarfile.SYMTYPE, tarfile.LNKTYPE, tarfile.CHRTYPE, tarfile.FIFOTYPE, tarfile.DIRTYPE):
        yield f"tar of kind {kind!r}", partial(tarred, "run.log", kind=kind)
    for name in ("../../x.log", "/etc/passwd", "a" * 300):
        yield f"tar of {name[:20]}", partial(tarred, name)
    yield "tar, cut off", lambda: tarred("run.log")[:700]
    yield "tar in gzip", lambda: gzip.compress(tarred("run.log"))
    yield "a tar bomb in gzip", lambda: gzip.compress(tarred("run.log", content=b"\x00" * 60 * _MIB))
    yield "tar whose size is noise", lambda: _patched(tarred("run.log"), 124, b"99999999999 ")


def zipped(*entries: tuple[str, bytes], method: int = zipfile.ZIP_DEFLATED) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", method) as archive:
        archive._didModify = True
        for name, content in entries:
            info = zipfile.ZipInfo(name)
            info.compress_type = method
            archive.writestr(info, content)
            archive.NameToInfo.clear()  # a name may be there twice
    return buffer.getvalue()


def _zip_named(name: str) -> bytes:
    """Where zipfile would change the name or refuse it, it is put in afterwards."""
    raw = name.encode("utf-8", "surrogatepass")
    stand_in = "n" * len(raw)
    return zipped((stand_in, GOOD)).replace(stand_in.encode(), raw)


def _zip_of_a_link() -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        info = zipfile.ZipInfo("run.log")
        info.external_attr = (stat.S_IFLNK | 0o777) << 16
        archive.writestr(info, "/etc/passwd")
    return buffer.getvalue()


def tarred(name: str, *, kind: bytes = tarfile.REGTYPE, content: bytes = GOOD) -> bytes:
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w", format=tarfile.GNU_FORMAT) as archive:
        info = tarfile.TarInfo(name)
        info.type = kind
        info.linkname = "/etc/passwd"
        info.size = len(content) if kind == tarfile.REGTYPE else 0
        archive.addfile(info, io.BytesIO(content))
    return buffer.getvalue()


def _patched(raw: bytes, at: int, new: bytes) -> bytes:
    return raw[:at] + new + raw[at + len(new) :]
