"""Logs made to be slow to read: one kind of line again and again, inside the log of a tool."""

from collections.abc import Iterator
from functools import partial

from tests.files import DATA
from tests.fuzz.cases import EXAMPLES, MULTIPART, Case, Part, multipart
from tests.fuzz.imports import IMPORT, facts_part
from tests.fuzz.site import Rows

BYTES = 700_000 if EXAMPLES else 30_000  # of the lines that are put in
MOST_CPU_S_MB = 3.0  # the worst takes 0.6 on an idle machine; what is catastrophic never ends
STRESS = "cassandra-stress/cs50-01-write-n20000-t4.log"
TOOLS = (
    "ycsb/ycsb17-02-mixed-target-both.log",
    "go-ycsb/goycsb-03-basic-intervals.log",
    "latte/latte-01-write.log",
    "pgbench/pg16-01-tpcb.log",
    "fio/fio333-02-randrw.log",
    "iozone/io489-02-auto.log",
    "sysbench/sb10-01-read-write.log",
    "redis-benchmark/rb70-01-set-get.log",
    "memtier/composed-runs.log",
    "hammerdb/composed-profile.log",
    "nosqlbench/nb-log.log",
    "scylla-bench/composed-both-kinds.log",
    "go-tpc/ch-2023.log",
    "ycsb-cpp/leveldb-a.log",
    "easy-stress/tlp-keyvalue-book.log",
    "easy-stress/tlp-timeseries.csv",
    "cockroach-workload/ycsb-d.log",
    "oltpbench-console/yugabytedb-newest.log",
    "db-bench/histogram.log",
    "perfkitbenchmarker/redis-memtier.json",
)
# Each is repeated until it has BYTES; one that ends no line makes a single line.
LINES = {
    "an interval": "total,        3711,    3711,    3711,    3711,     0.9,     0.4,     2.3,     8.4,    91.8,"
    "   112.6,    1.0,  0.01893,      0,      0,       0,       0,       0,       0\n",
    "an interval of no number": "total, NaN, Infinity, 1e999, -0, x\n",
    "commas": ",",
    "lines of commas": ",,,,,,,,\n",
    "blanks": " ",
    "lines of blanks": " " * 400 + "\n",
    "tabs": "\t",
    "digits": "1",
    "lines of digits": "1" * 300 + "\n",
    "dots": "1.",
    "lines of dots": "." * 300 + "\n",
    "colons": "a: ",
    "equals": "a=b ",
    "a result line": "Op rate                   :    3,711 op/s  [WRITE: 3,711 op/s]\n",
    "a result line without an end": "Op rate   :  3,711 op/s  [WRITE: ",
    "an option": "  -rate threads=4 ",
    "an error line": "com.datastax.driver.core.exceptions.WriteTimeoutException: x\n",
    "a stack trace": "\tat org.apache.cassandra.stress.StressAction.run(StressAction.java:1)\n",
    "a time": "2026-01-01T00:00:00,000 ",
    "a time of no day": "2026-13-45 99:99:99.999999 INFO x\n",
    "HDR's tags": "#[Logged with x]\n",
    "an HDR line": "Tag=x,0.001,1.000,8.4,HISTFAAAAEV42pNpmSzMwMCgyAABTFCaEUoz2X\n",
    "base64": "QUJDREVGR0hJSktMTU5PUFFSU1RVVldYWVo",
    "JSON, open": '{"a":[',
    "JSON, lines": '{"a": 1}\n',
    "quotes": '"',
    "quotes behind a backslash": '\\"',
    "backslashes": "\\",
    "escapes": "\x1b[0m",
    "carriage returns": "x\r",
    "letters of two bytes": "é",
    "curl -u": "curl -u ",
    "curl -u, lines": "curl -u a:b\n",
    "mysql": "mysql ",
    "redis-cli -a": "redis-cli -a ",
    "a password": "password=a\n",
    "a password without an end": 'password="',
    "an option of a password": "--password ",
    "names of tokens": "token_",
    "a private key": "-----BEGIN PRIVATE KEY-----",
    "a private key, lines": "-----BEGIN PRIVATE KEY-----\nAAAA\n",
    "an address": "http://a:b",
    "an address with a password": "http://a:b@c/ ",
    "an authorization": "authorization: basic ",
    "a token of JSON": "eyJhbGciOi.eyJhbGciOi.",
}
IN_EVERY_TOOL = tuple(LINES)[4:14]


def cases(rows: Rows) -> list[Case]:
    return [
        *(_case(STRESS, kind) for kind in LINES),
        *(_case(tool, kind) for tool in TOOLS for kind in IN_EVERY_TOOL),
    ]


def _case(log: str, kind: str) -> Case:
    return Case(f"{kind} in {log}", f"{IMPORT}?dry_run=true", "POST", partial(_form, log, kind), MULTIPART)


def _form(log: str, kind: str) -> bytes:
    return multipart([facts_part(), Part("log", b"".join(_crafted(log, kind)), "run.log", "text/plain")])


def _crafted(log: str, kind: str) -> Iterator[bytes]:
    """In the middle of the log, where the tool's own lines stand."""
    lines = (DATA / log).read_bytes().splitlines(keepends=True)
    half, unit = len(lines) // 2, LINES[kind].encode()
    yield from lines[:half]
    yield unit * (BYTES // len(unit))
    yield b"\n"
    yield from lines[half:]
