from submissions.formatting.p99 import p99_words
from submissions.models import Submission


def words(**columns):
    return p99_words(Submission(**columns))


def test_a_bound_is_marked_and_names_the_slowest_operation():
    assert words(latency_p99_at_most_ms=22.6, latency_p99_is_bound=True, latency_p99_bound_of="read") == (
        "≤ 22.6 ms (reads, the slowest operation)"
    )
    assert words(latency_p99_at_most_ms=3, latency_p99_is_bound=True) == "≤ 3.0 ms (the slowest operation)"


def test_a_p99_over_all_operations_has_no_mark_and_an_unknown_one_no_words():
    assert words(latency_p99_at_most_ms=22.6) == "22.6 ms"
    assert words() == ""
