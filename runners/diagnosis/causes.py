"""The cause of a failure in the logs of a host, where it can be told; text in, causes out."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from runners.diagnosis.file_ends import FileEnd
from submissions.choices import Choice

LINE_CHARACTERS = 300


class CauseKind(Choice):
    """The first that is found is the one that explains the others."""

    OUT_OF_MEMORY = "out_of_memory"  # the kernel's OOM killer
    DISK_FULL = "disk_full"
    DISK_FAILED = "disk_failed"
    JVM_CRASH = "jvm_crash"
    HEAP_FULL = "heap_full"
    UNREACHABLE = "unreachable"
    NETWORK = "network"
    KILLED = "killed"
    NOT_RUNNING = "not_running"


@dataclass(frozen=True, slots=True)
class Cause:
    host: str
    kind: CauseKind
    path: str = ""  # of the file that shows it
    line: str = ""


@dataclass(frozen=True, slots=True)
class _Sign:
    kind: CauseKind
    pattern: re.Pattern[str]
    files: re.Pattern[str] = re.compile(".*")  # the names of the files that may show it


_KERNEL = re.compile(r"kernel\.log|journal\.log|state\.txt")
# What an earlier part of the bootstrap printed is no sign: only a kernel or a database runs out of something under load
_LOGS = re.compile(r"(?!.*\.(?:yaml|conf|options|env|properties|json)$).*")

_SIGNS = (
    _Sign(
        CauseKind.OUT_OF_MEMORY,
        re.compile(
            r"Out of memory: Kill|oom-kill:|Memory cgroup out of memory|of this unit has been killed by the OOM"
        ),
        _KERNEL,
    ),
    _Sign(
        CauseKind.DISK_FULL,
        re.compile(
            r"No space left on device|ENOSPC|Insufficient disk space|Not enough disk space|Disk quota exceeded", re.I
        ),
        _LOGS,
    ),
    _Sign(
        CauseKind.DISK_FAILED,
        re.compile(
            r"I/O error|Input/output error|Read-only file system|Remounting filesystem read-only|"
            r"EXT4-fs error|XFS \S+: (?:Corruption|Filesystem has been shut down)|FS(?:Read|Write)Error|"
            r"nvme\S* (?:controller is down|Removing after probe failure)",
            re.I,
        ),
        _LOGS,
    ),
    _Sign(
        CauseKind.JVM_CRASH,
        re.compile(
            r"A fatal error has been detected by the Java Runtime Environment|"
            r"insufficient memory for the Java Runtime Environment"
        ),
        _LOGS,
    ),
    _Sign(
        CauseKind.HEAP_FULL,
        re.compile(r"java\.lang\.OutOfMemoryError|Terminating due to java\.lang\.OutOfMemoryError"),
        re.compile(rf"(?!.*-output\.log$){_LOGS.pattern}"),  # the load tool's heap is not the database's
    ),
    _Sign(CauseKind.NETWORK, re.compile(r"NIC Link is Down|Lost carrier|Network is unreachable"), _LOGS),
    _Sign(
        CauseKind.KILLED,
        re.compile(r"Main process exited, code=killed|terminated by signal (?:9|6|11|15)\b|code=dumped"),
        _LOGS,
    ),
    _Sign(CauseKind.NOT_RUNNING, re.compile(r"^database: not running", re.M), _KERNEL),
)


def causes_in(host: str, parts: Sequence[FileEnd]) -> list[Cause]:
    """The causes that the logs of a host show, the most important first, each kind once."""
    texts = [(part, part.text) for part in parts]
    return [cause for sign in _SIGNS if (cause := _first(host, sign, texts))]


def main_causes(by_host: Mapping[str, Sequence[FileEnd]], silent: Iterable[str]) -> list[Cause]:
    """One cause for each host that has one: the first failure first, and silent hosts among them."""
    found = [causes[0] for host, parts in by_host.items() if (causes := causes_in(host, parts))]
    found += [Cause(host, CauseKind.UNREACHABLE) for host in silent]
    order = list(CauseKind)
    return sorted(found, key=lambda cause: (order.index(cause.kind), cause.host))


def _first(host: str, sign: _Sign, texts: Sequence[tuple[FileEnd, str]]) -> Cause | None:
    for part, text in texts:
        if sign.files.fullmatch(part.name) and (match := sign.pattern.search(text)):
            return Cause(host, sign.kind, part.path, _line_around(text, match))
    return None


def _line_around(text: str, match: re.Match[str]) -> str:
    """The line with the match, of a long one the part that ends behind it."""
    end = text.find("\n", match.end())
    start = max(text.rfind("\n", 0, match.start()) + 1, match.end() - LINE_CHARACTERS)
    return text[start : end if end >= 0 else len(text)][:LINE_CHARACTERS].strip()
