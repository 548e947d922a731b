"""What is freed between blocks in use goes back to the system, and pages of libraries that were read once."""

import subprocess
import sys

import psutil

from benchsite.processes import malloc
from tests.benchsite.commands import ROOT

MIB = 1024**2


def test_what_is_free_between_blocks_in_use_goes_back_to_the_system():
    process = psutil.Process()
    blocks = [bytes(1000) for _ in range(100_000)]
    in_use = blocks[::1000]
    del blocks

    before = process.memory_info().rss
    malloc.give_back_now()

    assert before - process.memory_info().rss > 50 * MIB
    assert len(in_use) == 100


LIBRARIES = """
import numpy, psutil
from benchsite.processes import malloc

process = psutil.Process()
before = process.memory_info()
malloc.give_back_libraries()
after = process.memory_info()
print((before.rss - after.rss) // 2**20)
print(numpy.linalg.solve([[2.0, 1.0], [0.0, 4.0]], [5.0, 4.0]).tolist())
"""


def test_pages_of_libraries_go_back_and_who_needs_one_reads_it_again():
    done = subprocess.run([sys.executable, "-c", LIBRARIES], cwd=ROOT, capture_output=True, text=True, check=True)

    given_back, solved = done.stdout.splitlines()
    assert int(given_back) >= 5
    assert solved == "[2.0, 1.0]"


MAPPINGS = """\
7f0000000000-7f0000001000 r--p 00000000 fe:00 77 /lib/read.so
Rss:                   4 kB
Anonymous:             0 kB
Swap:                  0 kB
SwapPss:               0 kB
7f0000001000-7f0000003000 r-xp 00001000 fe:00 77 /lib/code of it.so
Anonymous:             0 kB
Swap:                  0 kB
7f0000003000-7f0000004000 r--p 00003000 fe:00 77 /lib/relocated.so
Anonymous:             4 kB
Swap:                  0 kB
7f0000004000-7f0000005000 r--p 00004000 fe:00 77 /lib/relocated and swapped out.so
Anonymous:             0 kB
Swap:                  4 kB
7f0000005000-7f0000006000 rw-p 00005000 fe:00 77 /lib/data.so
Anonymous:             0 kB
7f0000006000-7f0000007000 r--p 00000000 00:00 0
Anonymous:             0 kB
7f0000007000-7f0000008000 r--s 00000000 00:01 5 /dev/shm/shared
Anonymous:             0 kB
7f0000008000-7f0000009000 r--p 00000000 00:00 0 [vvar]
Anonymous:             0 kB
"""


def test_only_what_the_file_has_is_given_back():
    assert malloc.mapped_files(MAPPINGS) == [(0x7F0000000000, 0x7F0000001000), (0x7F0000001000, 0x7F0000003000)]
