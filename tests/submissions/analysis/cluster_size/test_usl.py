"""The Universal Scalability Law against published fits, and against points that lie on it exactly."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from submissions.analysis.cluster_size.usl import Usl, fit_usl

# SPEC SDM91 on a Sun SPARCcenter 2000: the data set and the summary in the vignette of the R package `usl`.
SDM91_LOAD = (1, 18, 36, 72, 108, 144, 216)
SDM91_THROUGHPUT = (64.9, 995.9, 1652.4, 1853.2, 1828.9, 1775.0, 1702.2)

# Queries a second on a server of 1 to 32 threads: the example of Baron Schwartz, "Practical Scalability Analysis
# with the Universal Scalability Law"; the parameters are those that it prints.
SCHWARTZ = (
    *(955.16, 1878.91, 2688.01, 3548.68, 4315.54, 5130.43, 5931.37, 6531.08, 7219.8, 7867.61, 8278.71),
    *(8646.7, 9047.84, 9426.55, 9645.37, 9897.24, 10097.6, 10240.5, 10532.39, 10798.52, 11151.43, 11518.63),
    *(11806.0, 12089.37, 12075.41, 12177.29, 12211.41, 12158.93, 12155.27, 12118.04, 12140.4, 12074.39),
)


def test_the_fit_of_spec_sdm91_is_that_of_the_r_package():
    usl = fit_usl(SDM91_LOAD, SDM91_THROUGHPUT)

    assert (round(usl.sigma, 7), round(usl.kappa, 7)) == (0.0277285, 0.0001044)
    assert usl.lambda_ == pytest.approx(89.9952330, abs=5e-7)
    assert float(f"{usl.peak_nodes:.2g}") == 97
    assert [round(usl.throughput(load)) for load in SDM91_LOAD] == [90, 1078, 1541, 1850, 1879, 1822, 1646]


def test_the_fit_of_schwartzs_example_is_the_books():
    usl = fit_usl(range(1, 33), SCHWARTZ)

    assert usl.lambda_ == pytest.approx(995.6486, rel=1e-6)
    assert usl.sigma == pytest.approx(0.02671591, rel=1e-5)
    assert usl.kappa == pytest.approx(7.690945e-4, rel=1e-5)
    assert usl.peak_nodes == pytest.approx(35.57, abs=0.01)


laws = st.builds(
    Usl,
    lambda_=st.floats(1e-3, 1e7),
    sigma=st.floats(0.001, 0.9),
    kappa=st.floats(1e-6, 0.05),
)


@given(law=laws)
@settings(max_examples=60, deadline=None)
def test_points_on_a_law_give_that_law_back(law):
    nodes = (1, 2, 3, 6, 12, 24, 48)

    found = fit_usl(nodes, [law.throughput(count) for count in nodes])

    assert found.lambda_ == pytest.approx(law.lambda_, rel=1e-9)
    assert found.sigma == pytest.approx(law.sigma, rel=1e-9, abs=1e-9)
    assert found.kappa == pytest.approx(law.kappa, rel=1e-9, abs=1e-9)


def test_nodes_that_all_do_the_same_have_no_loss_and_no_peak():
    assert fit_usl((3, 6, 12, 24), (300.0, 600.0, 1200.0, 2400.0)) == Usl(pytest.approx(100.0), 0, 0)
    assert fit_usl((3, 6, 12, 24), (300.0, 600.0, 1200.0, 2400.0)).peak_nodes is None


def test_throughput_that_grows_faster_than_the_nodes_is_held_at_the_bounds():
    usl = fit_usl((48, 96, 144, 288), (174373, 366828, 537172, 1099837))

    # lambda alone: sum of N X / sum of N^2
    sum_nx = 48 * 174373 + 96 * 366828 + 144 * 537172 + 288 * 1099837
    assert usl == Usl(pytest.approx(sum_nx / (48**2 + 96**2 + 144**2 + 288**2), rel=1e-12), 0, 0)


def test_contention_without_coherency_has_a_limit_but_no_peak():
    law = Usl(1000.0, 0.1, 0.0)

    found = fit_usl((1, 2, 4, 8), [law.throughput(count) for count in (1, 2, 4, 8)])

    assert (found.lambda_, found.sigma) == (pytest.approx(1000.0, rel=1e-9), pytest.approx(0.1, rel=1e-9))
    assert (found.kappa, found.peak_nodes) == (0, None)


def test_a_peak_is_where_the_formula_says_and_never_below_one_node():
    assert Usl(1.0, 0.02, 0.0005).peak_nodes == pytest.approx((0.98 / 0.0005) ** 0.5)
    assert Usl(1.0, 1.0, 0.5).peak_nodes == 1


@pytest.mark.parametrize("nodes", [(), (3,), (3, 6, 12), (3, 3, 6, 6, 12)])
def test_fewer_than_four_sizes_give_no_law(nodes):
    assert fit_usl(nodes, [100.0] * len(nodes)) is None


@given(rates=st.lists(st.floats(1e-6, 1e10), min_size=4, max_size=8))
@settings(max_examples=100, deadline=None)
def test_whatever_was_measured_the_law_stays_within_its_bounds(rates):
    nodes = [3 * 2**place for place in range(len(rates))]

    usl = fit_usl(nodes, rates)

    assert usl.lambda_ > 0
    assert 0 <= usl.sigma <= 1
    assert 0 <= usl.kappa < float("inf")
    assert usl.peak_nodes is None or 1 <= usl.peak_nodes < float("inf")
    assert all(0 < usl.throughput(count) < float("inf") for count in nodes)
