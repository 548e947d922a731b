from submissions.analysis.slowest import P99, UNKNOWN_P99, p99_of_trial, p99_of_trials


def test_a_p99_over_all_operations_is_no_bound():
    assert p99_of_trial(3.0, [("read", 9.0), ("update", 4.0)]) == P99(3.0)


def test_the_slowest_of_several_types_bounds_that_over_all():
    assert p99_of_trial(None, [("read", 22.6), ("insert", 22.5)]) == P99(22.6, is_bound=True, bound_of="read")


def test_of_a_single_type_it_is_that_over_all():
    assert p99_of_trial(None, [("read", 22.6)]) == P99(22.6)


def test_a_type_with_operations_and_no_p99_leaves_it_unknown():
    assert p99_of_trial(None, [("read", 1.0), ("scan", None)]) == UNKNOWN_P99


def test_over_trials_it_is_the_median_and_names_the_type_only_where_it_is_the_same_in_all():
    of_reads, of_updates = P99(2.0, is_bound=True, bound_of="read"), P99(4.0, is_bound=True, bound_of="update")

    assert p99_of_trials([of_reads, of_reads]) == of_reads
    assert p99_of_trials([of_reads, of_updates]) == P99(3.0, is_bound=True)


def test_a_trial_without_one_leaves_it_unknown():
    assert p99_of_trials([P99(2.0), UNKNOWN_P99]) == UNKNOWN_P99
