"""Machines in a few words: "3x m5.xlarge us-east-1"."""

import re
from dataclasses import dataclass

from benchsite_cli.errors import Failure

_COUNT = re.compile(r"(\d+)[x×]?|[x×](\d+)")
_COUNT_BEFORE = re.compile(r"(\d+)\s*[x×]\s*(?=\S)")
_AWS_REGION = re.compile(r"([a-z]{2,3}(?:-[a-z]+)+-\d+)([a-z])?")
_GCP_REGION = re.compile(r"([a-z]+-[a-z]+\d+)(-[a-z])?")
_ANY_REGION = re.compile(r"(\S+)()")
_REGIONS = {"aws": _AWS_REGION, "gce": _GCP_REGION}
WITHOUT_REGION = frozenset({"on-premises", "local"})


@dataclass(frozen=True, slots=True)
class Cluster:
    """What is None is not stated."""

    provider: str | None = None
    count: int | None = None
    instance_type: str | None = None
    region: str | None = None
    zone: str | None = None
    vcpus: int | None = None
    memory_gib: float | None = None
    cpu_model: str | None = None


def parse(text: str, provider: str) -> Cluster:
    """The count may stand before or behind the type; the region, or one of its zones, comes last. Raises Failure."""
    count, words = _count_and_words(text)
    region = zone = None
    if provider not in WITHOUT_REGION and len(words) == 2:
        match = _REGIONS.get(provider, _ANY_REGION).fullmatch(words[1])
        if match is None:
            raise Failure(f"{words[1]!r} is no region: write for example {example(provider)}")
        region, zone = match[1], match[0] if match[2] else None
        words = words[:1]
    if provider in WITHOUT_REGION:
        words = [" ".join(words)] if words else []
    if len(words) != 1:
        raise Failure(f"{text!r} cannot be read: write for example {example(provider)}")
    return Cluster(provider, count, words[0], region, zone)


def example(provider: str) -> str:
    return {
        "aws": '"3x m5.xlarge us-east-1"',
        "gce": '"3x n2-standard-8 us-central1"',
        "on-premises": '"2x Xeon Gold 6230, 64 GiB"',
    }.get(provider, '"3x ccx33 fsn1"')


def _count_and_words(text: str) -> tuple[int | None, list[str]]:
    rest = text.strip()
    if match := _COUNT_BEFORE.match(rest):
        return _positive(int(match[1])), rest[match.end() :].split()
    words = rest.split()
    counts = [match for word in words[:2] if (match := _COUNT.fullmatch(word)) and not word.isdigit()]
    if len(counts) != 1:
        return None, words
    words.remove(counts[0][0])
    return _positive(int(counts[0][1] or counts[0][2])), words


def _positive(count: int) -> int:
    if not count:
        raise Failure("0 machines measure nothing")
    return count
