"""Files of any size and packing, with their secrets masked on the way."""

import gzip
import io
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from submissions.ingest.secrets import stream
from submissions.ingest.secrets.detectors import LITERALS
from submissions.ingest.secrets.mask import MASK
from submissions.ingest.secrets.stream import Spot, line_ends_without_secrets, masked_chunks, spots_in
from tests.submissions.ingest.secrets.credentials import LEFT_IN, PEM, WORD

DATA = Path(__file__).parents[3] / "data"
LOGS = sorted(path for path in DATA.rglob("*") if path.is_file() and path.name != "README.md")


def opener(content):
    return lambda: io.BytesIO(content)


def masked(content):
    return b"".join(masked_chunks(opener(content)))


@pytest.mark.parametrize("path", LOGS, ids=lambda path: path.name)
def test_no_real_log_without_a_secret_is_changed(path):
    assert spots_in(lambda: path.open("rb")) == ()


def test_a_file_without_secrets_keeps_every_byte():
    content = bytes(range(1, 256)) * 5_000 + b"\r\nend"

    assert masked(content) == content


def test_the_places_of_the_secrets_are_lines():
    content = f"one\npassword={WORD}\n\n{PEM}\nsecret={WORD}".encode()

    assert spots_in(opener(content)) == (Spot(2, "password"), Spot(4, "private key"), Spot(8, "secret"))


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
@pytest.mark.parametrize("is_packed", [False, True])
def test_every_encoding_and_packing_is_masked(encoding, is_packed):
    text = "Messung 😀 \n" + "\n".join(text for text, *_ in LEFT_IN.values()) + "\nEND\n"
    content = text.encode(encoding)

    result = masked(gzip.compress(content) if is_packed else content)

    shown = (gzip.decompress(result) if is_packed else result).decode(encoding)
    assert shown.startswith("Messung 😀 \n")
    assert shown.endswith("\nEND\n")
    assert shown.count("\n") == text.count("\n")
    assert not [name for name, (_, *secrets) in LEFT_IN.items() if any(secret in shown for secret in secrets)]


@pytest.mark.parametrize("broken", [b"\xff\xfe", b"\xff\xfea\x00\x00\xd8\n\x00b"], ids=["nothing", "half a pair"])
def test_broken_utf_16_keeps_every_byte(broken):
    assert masked(broken) == broken


def test_a_secret_is_found_wherever_the_pieces_of_a_stream_are_cut(monkeypatch):
    content = f"a {WORD[:4]} password={WORD} b\n{PEM}\nlatte --password \\\n {WORD} c\n".encode()
    expected = masked(content)

    for size in (1, 2, 7, 64):
        monkeypatch.setattr("submissions.ingest.secrets.stream.CHUNK_BYTES", size)
        assert masked(content) == expected
    assert expected.count(MASK.encode()) == 3


def test_a_line_without_an_end_is_masked_piece_by_piece(monkeypatch):
    monkeypatch.setattr("submissions.ingest.secrets.stream.CHUNK_BYTES", 1_000)
    content = b"".join(b"n=%d password=%s " % (number, WORD.encode()) for number in range(3_000))

    result = masked(content)

    assert result == content.replace(WORD.encode(), MASK.encode())
    assert len(spots_in(opener(content))) == 1_000  # the rest is masked without being listed


def test_the_rest_of_a_damaged_gzip_is_dropped_with_what_it_may_hold():
    content = gzip.compress(f"password={WORD}\n".encode() * 1_000)[:-10]

    assert WORD.encode() not in gzip.decompress(masked(content))


def test_the_same_file_has_the_same_sum_when_it_is_packed_again():
    content = gzip.compress(f"password={WORD}\n".encode(), mtime=1)

    assert masked(content) == masked(content)


ROWS = b"total,      12345,    3711,     0.9,     0.4,   112.6,        1.0,  0.01893,      0\n"
PLANTED = [text.encode() for text, *_ in LEFT_IN.values()]


@pytest.mark.parametrize("literal", LITERALS)
def test_no_literal_passes_the_sieve_wherever_it_is_among_numbers(literal):
    for written in (literal, literal.upper(), literal.title()):
        assert line_ends_without_secrets(ROWS * 9 + b"3.1 " + written + b"4 ,.5\n" + ROWS * 9) is None


@settings(max_examples=40, deadline=None)
@given(st.lists(st.tuples(st.integers(0, 200_000), st.sampled_from(PLANTED)), max_size=4), st.integers(36_000, 90_000))
def test_secrets_among_numbers_are_those_of_a_search_through_everything(planted, size):
    content = ROWS * (200_000 // len(ROWS))
    for place, text in planted:
        content = content[:place] + text + content[place:]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(stream, "CHUNK_BYTES", size)
        spots = spots_in(opener(content))
        patch.setattr(stream, "line_ends_without_secrets", lambda data: None)
        assert spots == spots_in(opener(content))


def test_numbers_are_passed_over_and_their_lines_are_counted():
    assert line_ends_without_secrets(ROWS * 9 + b"1") == 9
    assert line_ends_without_secrets(b"\tat com.example.Words(Words.java:1)\n" * 9) is None


def test_bytes_that_are_watched_are_passed_on():
    content, spots = ROWS * 2_000 + f"password={WORD}\n".encode() + ROWS * 2_000, []

    assert b"".join(stream.watched([content[:90_000], content[90_000:]], spots)) == content
    assert spots == [Spot(2_001, "password")]
