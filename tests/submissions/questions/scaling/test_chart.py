"""The chart of scaling: what is drawn is what was given."""

from submissions.questions.scaling.chart import MOST_CURVES, Curve, Law, scaling_figure

CHOSEN = Curve("m1.xlarge · AWS", [(48, 174373.0), (96, 366828.0)], ["1 result", "1 result"])


def traces(figure):
    return {trace["name"]: trace for trace in figure["data"]}


def test_the_chosen_series_linear_scaling_and_the_law_are_drawn():
    law = Law([(1, 10.0), (96, 900.0)], [(96, 900.0), (190, 1000.0)], (150.0, 1100.0))

    drawn = traces(scaling_figure(CHOSEN, ideal=[(48, 174373.0), (96, 348746.0)], law=law))

    assert (drawn["m1.xlarge · AWS"]["x"], drawn["m1.xlarge · AWS"]["y"]) == ([48, 96], [174373.0, 366828.0])
    assert drawn["Linear scaling from the smallest"]["y"] == [174373.0, 348746.0]
    assert drawn["The law, extrapolated"]["line"]["dash"] == "dot"
    assert (drawn["Peak of the law"]["x"], drawn["Peak of the law"]["y"]) == ([150.0], [1100.0])


def test_each_series_has_a_marker_and_a_colour_of_its_own():
    others = [Curve(f"type-{number}", [(3, 1.0), (6, 2.0)], ["", ""]) for number in range(20)]

    figure = scaling_figure(CHOSEN, ideal=[], law=None, others=others)

    markers = [(t["marker"]["symbol"], t["marker"]["color"]) for t in figure["data"] if "marker" in t]
    assert len(markers) == len(set(markers)) == MOST_CURVES


def test_markup_in_a_name_is_text():
    figure = scaling_figure(Curve("<b>", [(3, 1.0)], ["<i>"]), ideal=[], law=None)

    assert figure["data"][-1]["name"] == "&lt;b&gt;"
    assert figure["data"][-1]["text"] == ["&lt;i&gt;"]
