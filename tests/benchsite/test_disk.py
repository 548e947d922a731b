"""Below MIN_FREE_BYTES every upload is refused with words, and reading goes on."""

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile

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
