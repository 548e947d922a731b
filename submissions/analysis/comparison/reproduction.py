"""Whether a submission of one account reproduces that of another: the rule behind the highest trust."""

import re
from dataclasses import dataclass
from statistics import fmean

from submissions.analysis.comparison.noise import Runs, WorkloadNoise
from submissions.analysis.comparison.verdicts import Side, Verdict, judge
from submissions.choices import Trust

LEAST_TRUST = Trust.LOG_VERIFIED  # of both: numbers that nobody can trace reproduce nothing
FEWEST_TRIALS = 2  # of each

_VERSION = re.compile(r"\d+(?:\.\d+)?")
_OLD_JDK = re.compile(r"1\.(\d+)")
_JDK = re.compile(r"\d+")


@dataclass(frozen=True, slots=True)
class Cluster:
    """What must be equal; unknown equals unknown, as in the fingerprint of a workload."""

    provider: str
    groups: tuple[tuple[str, str, int], ...]  # (role, instance type, nodes) of the system under test, sorted
    disk_kind: str | None
    service_version: str | None  # as `release_of` gives it
    jdk: tuple[str | None, str | None]  # vendor, as `jdk_release_of` gives it
    network: tuple[str | None, str | None]  # kind, encryption
    hardware: tuple[str, int, float] | None = None  # CPU model, vCPUs, GiB: where a type's name says nothing


@dataclass(frozen=True, slots=True)
class Result:
    """What the rule needs of a submission of one workload."""

    account: int | None  # None: of nobody, such as an article
    organisations: frozenset[str]  # of the account; empty: it is not verified, or too new
    trust: Trust  # its own
    is_excluded: bool
    throughputs: tuple[float, ...]  # ops/s, one a trial
    cluster: Cluster | None  # None: not known well enough to be equal to any
    raw_files: frozenset[str]  # sha256
    configuration: str = ""
    runs: Runs | None = None  # of that configuration

    @property
    def side(self) -> Side:
        return Side(fmean(self.throughputs), self.throughputs, self.runs, self.configuration)


def can_count(result: Result) -> bool:
    """Whether it may reproduce another one at all, or be reproduced."""
    return (
        result.account is not None
        and bool(result.organisations)
        and result.cluster is not None
        and not result.is_excluded
        and result.trust.rank >= LEAST_TRUST.rank
        and len(result.throughputs) >= FEWEST_TRIALS
    )


def reproduce_each_other(one: Result, other: Result, noise: WorkloadNoise) -> bool:
    """Two results of one workload: independent, of equal clusters, and within noise by the verdict of every page."""
    if not (can_count(one) and can_count(other)):
        return False
    if one.account == other.account or one.organisations & other.organisations:
        return False
    if one.cluster != other.cluster or _is_copy(one, other):
        return False
    return judge(one.side, other.side, noise).verdict == Verdict.WITHIN_NOISE


def release_of(version: str | None) -> str | None:
    """Major and minor: "2.1.8" -> "2.1"; what has no number stays as it is."""
    return _first_match(_VERSION, version)


def jdk_release_of(version: str | None) -> str | None:
    """The major release: "8u51", "1.8.0_51" -> "8", "17.0.2+8" -> "17"."""
    if version and (old := _OLD_JDK.match(version)):
        return old.group(1)
    return _first_match(_JDK, version)


def _is_copy(one: Result, other: Result) -> bool:
    """The same log under another name: no two measurements have the same files, or the same figures throughout."""
    return bool(one.raw_files & other.raw_files) or sorted(one.throughputs) == sorted(other.throughputs)


def _first_match(pattern: re.Pattern[str], text: str | None) -> str | None:
    if text is None:
        return None
    found = pattern.search(text)
    return found.group() if found else text
