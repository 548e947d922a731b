"""Our figures are those that Plotly's own library would make, whose classes check every name and value."""

import plotly.graph_objects as go

from submissions.formatting.figures import FigureBuilder


def drawn(figure):
    """What a chart of ours uses, in one figure."""
    figure.add_scatter(x=[1, 2], y=[1.5, None], mode="lines", error_y={"array": [None, 1.0], "width": 0}, text=None)
    figure.add_bar(x=[3], y=["a"], orientation="h", marker={"color": ["#fff"], "line": {"width": 1, "color": None}})
    figure.add_shape(type="line", x0="2026-01-01", x1="2026-01-02", y0=0, y1=1, yref="paper", line={"width": 2})
    figure.add_annotation(x=1, y=1, text="+5 %", showarrow=False)
    figure.update_xaxes(title_text="Nodes", rangemode="tozero", range=None)
    figure.update_yaxes(autorange="reversed", type="category")
    figure.update_layout(hovermode="closest", xaxis={"fixedrange": True}, yaxis2={"anchor": "x"})
    figure.update_layout(height=440, dragmode="select")
    return figure


def test_a_figure_is_what_plotlys_library_makes_of_the_same_calls():
    expected = drawn(go.Figure()).to_plotly_json()
    expected["layout"].pop("template")

    assert drawn(FigureBuilder()).build() == expected
