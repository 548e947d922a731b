"""The chart of a sizing: bars in the order of the costs, extrapolated ones striped."""

import json
from decimal import Decimal

from submissions.questions.sizing.chart import CostBar, sizing_bars


def traces(figure):
    return {trace["name"]: trace for trace in figure["data"]}


def test_an_extrapolated_bar_is_striped_and_keeps_its_place():
    bars = [
        CostBar("a", "gce", Decimal("10.50"), True, "/submissions/1/"),
        CostBar("b", "aws", Decimal("20"), False, "/submissions/2/"),
    ]

    figure = sizing_bars(bars)

    drawn = traces(figure)
    assert (drawn["Google Cloud"]["x"], drawn["Google Cloud"]["marker"]["pattern"]["shape"]) == ([10.5], ["/"])
    assert (drawn["AWS"]["x"], drawn["AWS"]["marker"]["pattern"]["shape"]) == ([20.0], [""])
    assert figure["layout"]["yaxis"]["categoryarray"] == ["a", "b"]
    json.dumps(figure, allow_nan=False)
