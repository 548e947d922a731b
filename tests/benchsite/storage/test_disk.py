"""Below MIN_FREE_BYTES every upload is refused with words, and reading goes on."""

import os

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile

from benchsite.storage import disk
from submissions.models import ApiToken, Submission, Upload
from tests.factories import UserFactory

pytestmark = pytest.mark.django_db


@pytest.fixture
def nearly_full(settings):
    settings.MIN_FREE_BYTES = 2**62


@pytest.fixture
def uploader(nearly_full):
    token = ApiToken.objects.create(user=UserFactory(), name="t", scopes=["submit"], expiry=None)[1]
    return {"authorization": f"Bearer {token}"}


@pytest.mark.parametrize(
    ("address", "content_type"),
    [
        ("/api/v1/submissions/", "application/json"),
        ("/api/v1/submissions/bulk/", "application/x-ndjson"),
        ("/api/v1/submissions/import/", "multipart/form-data; boundary=x"),
    ],
)
def test_the_api_takes_nothing(client, uploader, address, content_type):
    answer = client.post(address, b"{}", content_type=content_type, headers=uploader)

    assert (answer.status_code, answer.json()["type"]) == (507, "/problems/storage-full")
    assert answer["Retry-After"]
    assert not Submission.objects.exists()


def test_the_form_takes_nothing(client, nearly_full):
    client.force_login(UserFactory())

    answer = client.post("/submissions/new/", {"log": SimpleUploadedFile("a.log", b"x")})

    assert answer.status_code == 507
    assert "disk of this site is full" in answer.content.decode()
    assert not Upload.objects.exists()


@pytest.mark.parametrize("address", ["/submissions/", "/api/v1/submissions/", "/submissions/new/"])
def test_reading_goes_on(client, nearly_full, address):
    assert client.get(address).status_code == 200


def test_readyz_names_it_and_stays_ready(client, nearly_full):
    answer = client.get("/readyz")

    assert (answer.status_code, answer.json()["disk"]) == (200, "low")


@pytest.fixture
def reserve(settings, tmp_path, monkeypatch):
    """With `free`, a function: so much space is left from now on."""
    settings.DATA_DIR, settings.MIN_FREE_BYTES = tmp_path, 1024 * disk.MIB
    reserve = disk.Reserve()
    reserve.file = tmp_path / "reserve"

    def free(mib):
        monkeypatch.setattr(disk, "free_bytes", lambda: mib * disk.MIB)
        reserve.look()

    reserve.free = free
    return reserve


def test_where_there_is_space_a_reserve_is_held_that_takes_real_space(reserve):
    reserve.free(2000)

    assert reserve.file.stat().st_blocks * 512 >= disk.RESERVE_BYTES
    assert not reserve.is_given


def test_the_reserve_is_given_when_nothing_is_left_and_taken_again_when_uploads_are(reserve):
    reserve.free(2000)

    reserve.free(20)
    assert reserve.file.exists()
    reserve.free(0)
    assert (reserve.file.exists(), reserve.is_given) == (False, True)
    reserve.free(64)  # what it gave
    reserve.free(1000)
    assert (reserve.file.exists(), reserve.is_given) == (False, True)
    reserve.free(1024)
    assert (reserve.file.exists(), reserve.is_given) == (True, False)


def test_a_site_that_starts_without_space_takes_no_reserve(reserve):
    reserve.free(100)

    assert not reserve.file.exists()
    assert not reserve.is_given


def test_a_reserve_that_cannot_be_taken_leaves_nothing_of_it(reserve, monkeypatch, tmp_path):
    def refuse(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "posix_fallocate", refuse)

    reserve.free(2000)

    assert list(tmp_path.iterdir()) == []
