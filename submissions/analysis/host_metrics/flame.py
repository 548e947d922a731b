"""A CPU profile as a flame graph: from collapsed stacks to frames with their shares."""

from collections.abc import Iterable
from dataclasses import dataclass, field

SMALLEST_SHARE = 0.002  # a narrower frame cannot be seen
MOST_FRAMES = 2_000
MOST_DEPTH = 80


@dataclass(frozen=True, slots=True)
class Frame:
    """`start` and `share` are of all samples, from 0 to 1; `depth` is 0 for the outermost."""

    name: str
    depth: int
    start: float
    share: float
    own_share: float  # of the samples whose innermost frame it is


@dataclass(frozen=True, slots=True)
class Flame:
    samples: int
    frames: tuple[Frame, ...]  # from the outside in, from left to right

    @property
    def hottest(self) -> tuple[tuple[str, float], ...]:
        """The methods with most samples of their own, wherever they were called from."""
        shares: dict[str, float] = {}
        for frame in self.frames:
            shares[frame.name] = shares.get(frame.name, 0.0) + frame.own_share
        ordered = sorted(shares.items(), key=lambda pair: (-pair[1], pair[0]))
        return tuple((name, share) for name, share in ordered[:10] if share >= SMALLEST_SHARE)


@dataclass(slots=True)
class _Node:
    samples: int = 0
    own: int = 0
    children: dict[str, "_Node"] = field(default_factory=dict)


def flame(lines: Iterable[str]) -> Flame | None:
    """From lines "outer;inner count"; None without a sample. Other lines are skipped."""
    root = _Node()
    for line in lines:
        stack, _, count = line.rstrip("\n").rpartition(" ")
        if stack and count.isdecimal() and len(count) < 16:
            _add(root, stack.split(";")[:MOST_DEPTH], int(count))
    return Flame(root.samples, tuple(_frames(root))) if root.samples else None


def readable(name: str) -> str:
    """org/apache/cassandra/db/Keyspace.apply_[j] -> db.Keyspace.apply, without the profiler's marks."""
    name = name.partition("_[")[0].replace("/", ".")
    return name.removeprefix("org.apache.cassandra.")[:200]


def _add(root: _Node, stack: list[str], count: int) -> None:
    root.samples += count
    node = root
    for name in map(readable, stack):
        node = node.children.setdefault(name, _Node())
        node.samples += count
    node.own += count


def _frames(root: _Node) -> list[Frame]:
    """Level by level, so that a limit cuts the innermost."""
    frames: list[Frame] = []
    level = [(root, 0.0)]
    for depth in range(MOST_DEPTH):
        following = []
        for parent, begin in level:
            start = begin
            for name, node in sorted(parent.children.items()):
                share = node.samples / root.samples
                if share >= SMALLEST_SHARE and len(frames) < MOST_FRAMES:
                    frames.append(Frame(name, depth, start, share, node.own / root.samples))
                    following.append((node, start))
                start += share
        level = following
    return frames
