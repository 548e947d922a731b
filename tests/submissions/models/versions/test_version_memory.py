"""What a process knows as long as a version lasts."""

from submissions.models import VersionMemory


def test_a_new_version_knows_nothing_and_ends_the_old_one():
    memory = VersionMemory(2)
    memory.set(1, "a", "A")

    assert (memory.get(1, "a"), memory.get(2, "a")) == ("A", None)
    memory.set(2, "b", "B")
    assert (memory.get(1, "a"), memory.get(2, "b")) == (None, "B")


def test_it_never_holds_more_than_its_limit():
    memory = VersionMemory(2)
    for n in range(5):
        memory.set(1, n, n)

    assert sum(memory.get(1, n) is not None for n in range(5)) <= 2
