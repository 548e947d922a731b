"""The cause of a failure in words."""

from collections.abc import Mapping

from runners.diagnosis.causes import CauseKind

_SENTENCES: Mapping[CauseKind, str] = {
    CauseKind.OUT_OF_MEMORY: "{host} ran out of memory: the kernel's OOM killer ended a process.",
    CauseKind.DISK_FULL: "A disk of {host} is full.",
    CauseKind.DISK_FAILED: "A disk of {host} failed: reads or writes returned errors.",
    CauseKind.JVM_CRASH: "The Java virtual machine of {host} crashed.",
    CauseKind.HEAP_FULL: "The Java heap of {host} was full (OutOfMemoryError).",
    CauseKind.UNREACHABLE: "{host} did not answer: its network or the machine is down, so it has no logs here.",
    CauseKind.NETWORK: "{host} lost its network.",
    CauseKind.KILLED: "A database process of {host} was killed by a signal.",
    CauseKind.NOT_RUNNING: "The database of {host} has stopped, and no log names an error: something else stopped it.",
}


def cause(kind: str, host: str) -> str:
    return _SENTENCES[CauseKind(kind)].format(host=host)
