"""Collapsed stacks as a flame graph."""

from submissions.analysis.host_metrics.flame import MOST_DEPTH, MOST_FRAMES, Frame, flame, readable

STACKS = """\
java/lang/Thread.run;org/apache/cassandra/db/Keyspace.apply_[j];Memtable.put 60
java/lang/Thread.run;org/apache/cassandra/db/Keyspace.apply_[j] 20
java/lang/Thread.run;Memtable.put 10
[unknown] 10
"""


def test_frames_are_as_wide_as_their_share_and_lie_above_their_caller():
    found = flame(STACKS.splitlines())

    assert found.samples == 100
    assert found.frames == (
        Frame("[unknown]", 0, 0.0, 0.1, 0.1),
        Frame("java.lang.Thread.run", 0, 0.1, 0.9, 0.0),
        Frame("Memtable.put", 1, 0.1, 0.1, 0.1),
        Frame("db.Keyspace.apply", 1, 0.2, 0.8, 0.2),
        Frame("Memtable.put", 2, 0.2, 0.6, 0.6),
    )


def test_the_hottest_methods_are_counted_wherever_they_were_called_from():
    assert flame(STACKS.splitlines()).hottest == (
        ("Memtable.put", 0.7),
        ("db.Keyspace.apply", 0.2),
        ("[unknown]", 0.1),
    )


def test_what_is_no_stack_is_skipped():
    assert flame(["", "Profiling started", "a;b x", "a;b 1"]).samples == 1
    assert flame(["a;b 0"]) is None
    assert flame([]) is None


def test_a_huge_profile_has_a_bounded_number_of_frames():
    deep = ";".join(f"m{depth}" for depth in range(500))
    many = [f"{deep} 1000", *(f"run;m{number} 1" for number in range(10_000))]

    found = flame(many)

    assert found.samples == 11_000
    assert len(found.frames) <= MOST_FRAMES
    assert max(frame.depth for frame in found.frames) == MOST_DEPTH - 1


def test_names_are_shown_without_the_marks_of_the_profiler():
    assert readable("org/apache/cassandra/db/Keyspace.apply_[i]") == "db.Keyspace.apply"
    assert readable("__libc_read") == "__libc_read"
