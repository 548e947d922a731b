"""A chart by its key, with its caveats inside its picture."""

from submissions.formatting.charts import Chart, chart_of

FIGURE = {"data": [], "layout": {"height": 300, "meta": {"other": 1}}}


def test_the_drawing_has_the_caveats_inside():
    chart = Chart("bars", FIGURE, "AWS offers the best value.", ["One trial each.", ""])

    assert chart.drawing["layout"]["meta"] == {"caveats": ["One trial each."]}
    assert chart.shown_caveats == ("One trial each.",)
    assert chart.figure is FIGURE


def test_the_height_is_the_figures_or_plotlys_own():
    assert Chart("bars", FIGURE, "").height == 300
    assert Chart("bars", {"data": [], "layout": {}}, "").height == 450


def test_a_chart_is_found_by_its_key():
    bars, curve = Chart("bars", FIGURE, ""), Chart("curve", FIGURE, "")

    assert chart_of([bars, curve], "curve") is curve
    assert chart_of([bars], "curve") is None
