"""Charts of scaling and sizing: what is drawn is what was given."""

import json
from decimal import Decimal

from submissions.questions.scaling.chart import MOST_CURVES, Curve, Law, scaling_figure
from submissions.questions.sizing.chart import CostBar, sizing_bars

CHOSEN = Curve("m1.xlarge, aws", [(48, 174373.0), (96, 366828.0)], ["n = 1", "n = 1"])


def traces(figure):
    return {trace["name"]: trace for trace in figure["data"]}


def test_the_chosen_series_its_ideal_and_its_law_are_drawn():
    law = Law([(1, 10.0), (96, 900.0)], [(96, 900.0), (190, 1000.0)], (150.0, 1100.0))

    drawn = traces(scaling_figure(CHOSEN, ideal=[(48, 174373.0), (96, 348746.0)], law=law))

    assert (drawn["m1.xlarge, aws"]["x"], drawn["m1.xlarge, aws"]["y"]) == ([48, 96], [174373.0, 366828.0])
    assert drawn["Ideal: as much per node as the smallest"]["y"] == [174373.0, 348746.0]
    assert drawn["The law beyond what was measured"]["line"]["dash"] == "dot"
    assert (drawn["Peak of the law"]["x"], drawn["Peak of the law"]["y"]) == ([150.0], [1100.0])


def test_each_series_has_a_marker_and_a_colour_of_its_own():
    others = [Curve(f"type-{number}", [(3, 1.0), (6, 2.0)], ["", ""]) for number in range(20)]

    figure = scaling_figure(CHOSEN, ideal=[], law=None, others=others)

    markers = [(t["marker"]["symbol"], t["marker"]["color"]) for t in figure["data"] if "marker" in t]
    assert len(markers) == len(set(markers)) == MOST_CURVES


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


def test_markup_in_a_name_is_text():
    figure = scaling_figure(Curve("<b>", [(3, 1.0)], ["<i>"]), ideal=[], law=None)

    assert figure["data"][-1]["name"] == "&lt;b&gt;"
    assert figure["data"][-1]["text"] == ["&lt;i&gt;"]
