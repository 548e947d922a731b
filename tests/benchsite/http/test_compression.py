"""Text is sent compressed, unless its length could tell a secret."""

import gzip

import brotli
import pytest
from django.http import FileResponse, HttpResponse, StreamingHttpResponse
from django.test import Client, RequestFactory
from django.urls import resolve

from benchsite.http.compression import CompressionMiddleware, encoding_of, gzip_file_response
from tests.factories import SubmissionFactory, UserFactory

TEXT = b"many words of one page, " * 100


def answer(response, encodings="gzip, deflate, br", **headers):
    request = RequestFactory().get("/", HTTP_ACCEPT_ENCODING=encodings, **headers)
    request.resolver_match = resolve("/submissions/")
    return CompressionMiddleware(lambda request: response)(request)


@pytest.mark.parametrize(
    ("accepted", "encoding"),
    [
        ("gzip, deflate, br", "br"),
        ("gzip", "gzip"),
        ("br;q=0, gzip;q=0.5", "gzip"),
        ("br; q=0.0", ""),
        ("identity", ""),
        ("", ""),
        ("zstd, deflate", ""),
    ],
)
def test_the_client_chooses(accepted, encoding):
    assert encoding_of(RequestFactory().get("/", HTTP_ACCEPT_ENCODING=accepted)) == encoding


def test_text_for_anybody_is_compressed():
    compressed = answer(HttpResponse(TEXT))

    assert brotli.decompress(compressed.content) == TEXT
    assert (compressed["Content-Encoding"], compressed["Vary"]) == ("br", "Accept-Encoding")
    assert gzip.decompress(answer(HttpResponse(TEXT), "gzip").content) == TEXT
    assert answer(HttpResponse(TEXT), "").content == TEXT


@pytest.mark.parametrize("header", ["HTTP_COOKIE", "HTTP_AUTHORIZATION"])
def test_who_brings_a_cookie_or_a_token_gets_a_random_length(header):
    answers = [answer(HttpResponse(TEXT), **{header: "a=b"}) for _ in range(20)]

    assert {gzip.decompress(each.content) for each in answers} == {TEXT}
    assert len({len(each.content) for each in answers}) > 1
    assert all(int(each["Content-Length"]) == len(each.content) for each in answers)


@pytest.mark.parametrize(
    "response",
    [
        HttpResponse(TEXT, headers={"Cache-Control": "private, no-store"}),
        HttpResponse(TEXT, content_type="image/png"),
        HttpResponse(TEXT, status=404),
        HttpResponse(b"few words"),
        HttpResponse(TEXT, headers={"Content-Encoding": "gzip"}),
    ],
    ids=["secret", "picture", "error", "short", "compressed"],
)
def test_other_answers_stay_as_they_are(response):
    content = response.content

    assert answer(response).content == content


def test_a_streamed_answer_is_compressed_while_it_is_made(tmp_path):
    made = []

    def rows():
        for number in range(10_000):
            made.append(number)
            yield f"{number * 7919},{number * 104729}\n".encode() * 20

    streamed = answer(StreamingHttpResponse(rows(), content_type="text/csv"))
    pieces = iter(streamed)
    first = next(pieces) + next(pieces)

    assert streamed["Content-Encoding"] == "gzip"
    assert first
    assert len(made) < 10_000
    assert gzip.decompress(first + b"".join(pieces)).endswith(f"{9999 * 7919},{9999 * 104729}\n".encode())
    (tmp_path / "log.txt").write_bytes(TEXT)
    file = answer(FileResponse((tmp_path / "log.txt").open("rb"), content_type="text/plain"))
    assert "Content-Encoding" not in file


@pytest.mark.django_db  # the end of a response looks at the connections
@pytest.mark.parametrize(("accepted", "encoding"), [("gzip", "gzip"), ("br", None), ("", None), ("gzip;q=0", None)])
def test_a_file_that_is_stored_as_gzip_is_sent_as_the_client_takes_it(tmp_path, accepted, encoding):
    packed = tmp_path / "text.gz"
    packed.write_bytes(gzip.compress(TEXT))
    file = packed.open("rb")
    request = RequestFactory().get("/", HTTP_ACCEPT_ENCODING=accepted)

    response = answer(gzip_file_response(request, file, content_type="text/plain", filename="text.txt"), accepted)

    assert (response.get("Content-Encoding"), response["Vary"]) == (encoding, "Accept-Encoding")
    content = response.getvalue()
    assert int(response["Content-Length"]) == len(content)
    assert (gzip.decompress(content) if encoding else content) == TEXT
    assert response["Content-Disposition"] == 'attachment; filename="text.txt"'
    response.close()
    assert file.closed


def test_a_content_etag_is_weak_after_it():
    assert answer(HttpResponse(TEXT, headers={"ETag": '"of-the-text"'}))["ETag"] == 'W/"of-the-text"'


@pytest.mark.django_db
def test_a_page_with_a_token_is_sent_as_it_is(settings):
    reader = Client(headers={"Accept-Encoding": "gzip, br"})
    reader.force_login(UserFactory())
    for _ in range(5):
        SubmissionFactory()

    assert "Content-Encoding" not in reader.get("/account/")
    assert reader.get("/submissions/")["Content-Encoding"] == "gzip"
    assert reader.get("/api/v1/submissions/")["Content-Encoding"] == "gzip"
    assert Client(headers={"Accept-Encoding": "br"}).get("/api/v1/submissions/")["Content-Encoding"] == "br"
