"""JSON is read strictly: what another reader might take differently is refused."""

import pytest

from benchsite.http.refusals import Refusal
from benchsite.http.strict_json import MAX_DOCUMENT_BYTES, read_json


@pytest.mark.parametrize(
    "raw",
    [b"", b"{", b"\xff", b'{"a": NaN}', b"[" * 10_000 + b"]" * 10_000, b'"' + b"x" * MAX_DOCUMENT_BYTES + b'"'],
)
def test_json_that_cannot_be_read_is_refused(raw):
    with pytest.raises(Refusal) as caught:
        read_json(raw)

    assert caught.value.faults[0].pointer == "#"


def test_numbers_keep_their_kind():
    assert read_json(b'{"a": 1, "b": 1.0, "c": null}') == {"a": 1, "b": 1.0, "c": None}
