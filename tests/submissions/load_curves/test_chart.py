"""The chart of a load curve."""

from submissions.analysis.curves.load_curve import AtLimit, LatencyLimit
from submissions.load_curves.chart import Mark, load_curve_figure


def test_no_line_joins_the_service_times_of_the_peak_to_the_response_times_of_the_other_points():
    marks = [
        Mark(1_000.0, {"p99": 4.0}, "1,000 ops/s offered", is_peak=False),
        Mark(2_000.0, {"p99": 18.0}, "2,000 ops/s offered", is_peak=False),
        Mark(2_600.0, {"p99": 5.0}, "8 threads", is_peak=True, is_comparable=False),
    ]

    data = load_curve_figure(marks, LatencyLimit("p99", 20.0), AtLimit(2_000.0, (2_000.0, None), ()))["data"]

    lines = [trace for trace in data if "lines" in trace["mode"] and trace["name"] == "p99 (response time)"]
    assert [(list(trace["x"]), list(trace["y"])) for trace in lines] == [([1_000.0, 2_000.0], [4.0, 18.0])]
    [peak] = [trace for trace in data if trace["name"].startswith("Peak")]
    assert (list(peak["x"]), peak["name"]) == ([2_600.0], "Peak: 2.6 k ops/s (service time)")
