"""What a client announces is read without trusting that it is a number."""

import pytest

from benchsite.http.limits.body_size import announced_bytes


@pytest.mark.parametrize(
    ("length", "expected"), [("12", 12), ("", 0), ("x", 0), ("-1", 0), ("٣", 0), ("9" * 5_000, 10**19 - 1)]
)
def test_a_length_that_is_no_number_of_bytes_is_no_fault_of_ours(length, expected):
    assert announced_bytes({"CONTENT_LENGTH": length}) == expected


def test_a_request_without_a_body_announces_none():
    assert announced_bytes({}) == 0
