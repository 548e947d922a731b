"""pgbench_latencies.py PREFIX HISTOGRAM TAG [SAMPLING]: the latencies that pgbench wrote with --log, as one histogram.

Reads PREFIX.* (a file of each thread), writes HISTOGRAM in the format of HdrHistogram's logs (values in ns) and deletes
what it read. Failed and skipped transactions have no latency. SAMPLING is pgbench's --sampling-rate.
"""

from __future__ import annotations

import base64
import glob
import os
import struct
import sys
import zlib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

NS_PER_US = 1_000
HIGHEST_NS = 24 * 3600 * 10**9
FIGURES = 3  # significant ones: 1,024 counters for each power of two
COUNTER_BITS = 10
COOKIE = 0x1C849303 | 0x10  # of HdrHistogram's encoding V2
PACKED_COOKIE = 0x1C849304 | 0x10


def main(prefix: str, histogram: str, tag: str, sampling: str = "1") -> int:
    paths = sorted(glob.glob(glob.escape(prefix) + ".*"))
    counts: dict[int, int] = {}
    longest = 0
    for path in paths:
        with open(path, encoding="ascii", errors="replace") as file:
            longest = max(longest, add(file, counts))
    with open(histogram + ".new", "w", encoding="ascii") as file:
        file.write("#[Histogram log format version 1.3]\n")
        if float(sampling) < 1:
            file.write(f"#[Sampling: {sampling}]\n")
        if counts:
            file.write(f"Tag={tag},0.000,0.000,{longest / 1e6:.6f},{encoded(counts)}\n")
    os.replace(histogram + ".new", histogram)
    for path in paths:
        os.unlink(path)
    return 0


def add(lines: Iterable[str], counts: dict[int, int]) -> int:
    """Count the third word of each line, a latency in us. The longest, in ns."""
    longest = 0
    for line in lines:
        words = line.split(None, 3)
        if len(words) == 4 and words[2].isdigit():
            value = min(int(words[2]) * NS_PER_US, HIGHEST_NS)
            index = index_of(value)
            counts[index] = counts.get(index, 0) + 1
            longest = max(longest, value)
    return longest


def index_of(value: int) -> int:
    """The counter of a value: each power of two has equally many."""
    bucket = (value | (2 << COUNTER_BITS) - 1).bit_length() - COUNTER_BITS - 1
    return (bucket << COUNTER_BITS) + (value >> bucket)


def encoded(counts: dict[int, int]) -> str:
    """A histogram in encoding V2: a negative word stands for so many empty counters."""
    words, expected = bytearray(), 0
    for index in sorted(counts):
        if index > expected:
            words += zigzag(expected - index)
        words += zigzag(counts[index])
        expected = index + 1
    header = struct.pack(">IIIIQQd", COOKIE, len(words), 0, FIGURES, 1, HIGHEST_NS, 1.0)
    packed = zlib.compress(header + bytes(words))
    return base64.b64encode(struct.pack(">II", PACKED_COOKIE, len(packed)) + packed).decode("ascii")


def zigzag(number: int) -> bytes:
    """Seven bits a byte, the lowest first; the sign is the lowest bit."""
    rest = number * 2 if number >= 0 else -number * 2 - 1
    result = bytearray()
    while rest >= 0x80:
        result.append(rest & 0x7F | 0x80)
        rest >>= 7
    return bytes([*result, rest])


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
