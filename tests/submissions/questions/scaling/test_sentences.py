"""How a series scales, in words; nothing is read from the database."""

import pytest

from submissions.analysis.cluster_size.scaling import Point, scaling
from submissions.questions.scaling.query import ScalingResult, Series, SeriesKey, SeriesPoint
from submissions.questions.scaling.sentences import caveats, client_limit, finding, law, linearity

NETFLIX = ((48, 174373.0, 10), (96, 366828.0, 20), (144, 537172.0, 30), (288, 1099837.0, 60))


def series(*sizes, differs=()):
    """(nodes, ops/s, clients) of each size."""
    result = scaling([Point(nodes, rate, clients) for nodes, rate, clients in sizes])
    points = tuple(
        SeriesPoint(scaled, 1, None, result.ideal(scaled.point.node_count), None) for scaled in result.points
    )
    return Series(SeriesKey("aws", "m1.xlarge"), points, result, differs)


def test_growth_beyond_the_nodes_is_super_linear():
    assert finding(series(*NETFLIX)) == (
        "288× m1.xlarge · AWS reaches 6.31 times the throughput of 48 nodes: scaling efficiency 105.1 % (super-linear)."
    )
    assert finding(series((1, 100.0, 1), (2, 150.0, 2))) == (
        "2× m1.xlarge · AWS reaches 1.5 times the throughput of 1 node: scaling efficiency 75.0 %."
    )
    assert finding(series((3, 100.0, None), (6, 200.0, None))).endswith("scaling efficiency 100.0 %.")


def test_clients_that_were_probably_the_limit_are_part_of_the_finding():
    bound = series((3, 90748.0, 1), (6, 89100.0, 1))

    assert finding(bound).endswith("The load clients were probably the limit, not the database.")
    assert client_limit(bound.scaling) == (
        "Probably yes: with more nodes to talk to, each client did no more operations. Measure again with more clients."
    )


@pytest.mark.parametrize(
    ("sizes", "words"),
    [
        (NETFLIX, "No: the number of clients grew with the nodes, and throughput grew with both."),
        (
            ((3, 100.0, 1), (6, 200.0, 1)),
            "No: each client did more operations with more nodes to talk to, or more clients changed nothing.",
        ),
        (
            ((3, 100.0, None), (6, 100.0, None)),
            "Unknown: the number of load clients is not stated, or the cluster sizes are too similar.",
        ),
    ],
)
def test_why_the_clients_were_not_the_limit(sizes, words):
    assert client_limit(series(*sizes).scaling) == words


@pytest.mark.parametrize(
    ("rates", "words"),
    [
        ((100.0, 200.0), "Unknown: at least 3 sizes with different throughputs are needed."),
        ((100.0, 200.0, 400.0), "R² = 1.0000: nearly linear."),
        ((100.0, 200.0, 300.0), "R² = 0.9643: roughly linear."),
        ((100.0, 300.0, 200.0), "R² = 0.1071: not linear."),
    ],
)
def test_linearity_by_the_coefficient_of_determination(rates, words):
    assert linearity(series(*((3 * 2**n, rate, None) for n, rate in enumerate(rates))).scaling) == words


def test_the_law_and_its_peak():
    def rate(nodes):
        return 1000 * nodes / (1 + 0.02 * (nodes - 1) + 0.0005 * nodes * (nodes - 1))

    near = series(*((nodes, rate(nodes), None) for nodes in (3, 6, 12, 24)))
    far = series(*((nodes, rate(nodes), None) for nodes in (3, 6, 12, 96)))

    assert law(series((3, 1.0, None), (6, 2.0, None)).scaling) == "Not fitted: at least 4 sizes are needed."
    assert law(series(*NETFLIX).scaling).endswith("No throughput peak within range: no coherency loss detected.")
    assert law(near.scaling) == (
        "λ = 1,000 ops/s per node, σ = 0.02 (contention), κ = 0.0005 (coherency). "
        "Throughput peaks at about 44.3 nodes; this is extrapolated, as the largest measured cluster has 24."
    )
    assert law(far.scaling).endswith("Throughput peaks at about 44.3 nodes, within the measured range.")


def test_caveats_are_those_that_apply():
    plain = series((3, 1.0, None), (6, 2.0, None))
    fitted = series(*NETFLIX, differs=("region", "JDK version"))

    assert caveats(ScalingResult(None, (), (plain,), plain), 5) == [
        "Each point is the mean of the results with that cluster size (n in the table)."
    ]
    assert caveats(ScalingResult(None, (), (fitted,) * 6, fitted), 5)[1:] == [
        "Apart from the number of nodes, the results differ in region and JDK version.",
        "The law has three parameters, fitted to 4 sizes: treat it as a rough guide.",
        "1 more series is only in the table.",
    ]
