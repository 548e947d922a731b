"""What is freed between blocks in use goes back to the system."""

import psutil

from benchsite import malloc

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
