from submissions.formatting.p99_words import mean_instead_ms, p99_label, p99_words, shows_latency
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


def test_a_result_without_a_p99_shows_its_mean_which_is_labelled_as_no_p99():
    mean = Submission(latency_mean_ms=0.95)
    both = Submission(latency_mean_ms=0.95, latency_p99_at_most_ms=3.0)

    assert (mean_instead_ms(mean), p99_label(mean)) == (0.95, "latency")
    assert (mean_instead_ms(both), p99_label(both)) == (None, "p99")
    assert (mean_instead_ms(Submission()), p99_label(Submission())) == (None, "p99")
    assert [shows_latency(row) for row in (mean, both, Submission())] == [True, True, False]
