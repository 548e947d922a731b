"""Under its name a file is whole; folder and bucket are used alike."""

import os
from datetime import timedelta
from pathlib import Path

import pytest
from django.core.files.base import ContentFile
from django.core.files.storage import default_storage
from django.utils import timezone

from benchsite.storage.backends import UNFINISHED, site_storage


@pytest.fixture(params=["folder", "bucket"])
def either(request):
    return request.getfixturevalue("artifacts_folder" if request.param == "folder" else "bucket")


class Interrupted(ContentFile):
    """Content that breaks off, as that of a killed process or a full disk does."""

    def chunks(self, chunk_size=None):
        yield b"half of "
        raise OSError(28, "No space left on device")


def test_a_write_that_breaks_off_leaves_nothing_under_the_name(artifacts_folder):
    with pytest.raises(OSError, match="No space left"):
        default_storage.save("ab/log", Interrupted(b""))

    assert not default_storage.exists("ab/log")
    assert list((artifacts_folder / UNFINISHED).iterdir()) == []


def test_what_a_killed_process_has_left_is_deleted_a_day_later(artifacts_folder):
    default_storage.save("ab/log", ContentFile(b"whole"))
    left = artifacts_folder / UNFINISHED / "0123"
    left.write_bytes(b"half")
    now = timezone.now()

    assert site_storage().delete_unfinished(before=now - timedelta(days=1)) == 0
    assert site_storage().delete_unfinished(before=now + timedelta(days=1)) == 1
    assert not left.exists()


def test_a_file_is_found_read_and_made_young_again(either):
    default_storage.save("ab/log", ContentFile(b"op rate : 90748\n"))
    if isinstance(either, Path):
        os.utime(either / "ab/log", (0, 0))
    before = default_storage.get_modified_time("ab/log")

    site_storage().touch("ab/log")

    assert default_storage.get_modified_time("ab/log") >= before
    assert default_storage.get_modified_time("ab/log") > timezone.now() - timedelta(minutes=1)
    with default_storage.open("ab/log") as stored:
        assert stored.read() == b"op rate : 90748\n"
    assert default_storage.listdir("ab") == ([], ["log"])


def test_what_is_not_there_is_said_in_the_same_way(either):
    for ask in (site_storage().touch, default_storage.get_modified_time, default_storage.open):
        with pytest.raises(FileNotFoundError):
            ask("ab/log")
