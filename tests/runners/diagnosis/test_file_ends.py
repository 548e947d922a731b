"""The parts that a host prints: whole, cut, or broken off."""

import base64

from runners.diagnosis.file_ends import FileEnd, parts_of


def printed(path, content, size=None):
    return f"part {len(content) if size is None else size} {path}\n".encode() + base64.encodebytes(content)


def test_every_part_comes_with_its_path_and_the_size_of_its_file():
    log = bytes(range(256)) * 10

    assert parts_of(printed("log/system.log", log) + printed("state.txt", b"up", size=2)) == [
        FileEnd("log/system.log", 2560, log),
        FileEnd("state.txt", 2, b"up"),
    ]


def test_an_output_that_breaks_off_gives_what_came_until_then():
    log = b"0123456789" * 30
    whole = printed("log/system.log", log)

    for length in range(len(whole)):
        parts = parts_of(whole[:length])
        assert all(log.startswith(part.content) and part.content for part in parts)
        assert len(parts) <= 1
    assert parts_of(whole[:-3])[0].is_cut


def test_a_file_of_which_only_the_end_was_kept_says_so_in_its_first_line():
    assert FileEnd("gc.log", 1000, b"the end\n").stored == b"[the last 8 of 1000 bytes]\nthe end\n"
    assert FileEnd("gc.log", 8, b"the end\n").stored == b"the end\n"


def test_empty_files_and_lines_of_others_are_no_parts():
    assert parts_of(b"motd: welcome!\n" + printed("empty.log", b"") + b"part x y\n") == []
    assert parts_of(b"") == []


def test_a_host_that_prints_a_great_many_parts_fills_no_table():
    assert len(parts_of(b"part 1 x\nYQ==\n" * 5000)) == 60


def test_the_output_of_a_job_is_named_by_the_job():
    assert FileEnd("jobs/trial-0/output", 1, b"x").name == "trial-0-output.log"
    assert FileEnd("log/system.log", 1, b"x").name == "system.log"
