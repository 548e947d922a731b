"""The chart of a grid: a bar a cell, each with its number, its colour and a text that can be read on it."""

import pytest

from submissions.questions.grid.chart import EMPTY_CELL, HeatCell, grid_heatmap


def made():
    return grid_heatmap(
        ["RF 1\nencryption: node and client", "<b>RF 3"],
        ["32 B", "64 B"],
        [
            [HeatCell("+63.8", 3, "details", "/compare/?s=1&s=2"), HeatCell("−8.2", -1)],
            [EMPTY_CELL, HeatCell("±0.0", 0)],
        ],
        "column size",
    )


def luminance(colour):
    """WCAG 2.2: relative luminance."""
    parts = [int(colour[place : place + 2], 16) / 255 for place in (1, 3, 5)]
    red, green, blue = (part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def test_each_cell_has_its_number_in_it():
    assert [trace["text"] for trace in made()["data"]] == [["+63.8", "—"], ["−8.2", "±0.0"]]
    assert {trace["textposition"] for trace in made()["data"]} == {"inside"}


def test_all_cells_are_equally_wide_and_stacked_in_the_order_of_the_columns():
    figure = made()

    assert [(trace["name"], trace["x"]) for trace in figure["data"]] == [("32 B", [1, 1]), ("64 B", [1, 1])]
    assert figure["layout"]["barmode"] == "stack"
    assert figure["layout"]["xaxis"]["ticktext"] == ["32 B", "64 B"]
    assert figure["layout"]["xaxis"]["tickvals"] == [0.5, 1.5]


def test_names_are_text_and_wrapped_for_a_telephone():
    assert made()["data"][0]["y"] == ["RF 1<br>encryption: node<br>and client", "&lt;b&gt;RF 3"]


def test_a_cell_links_to_its_comparison():
    assert made()["data"][0]["customdata"][0] == ["details", "/compare/?s=1&s=2"]


@pytest.mark.parametrize("strength", range(-3, 4))
def test_the_number_can_be_read_on_every_colour(strength):
    (trace,) = grid_heatmap(["a"], ["b"], [[HeatCell("1", strength)]], "c")["data"]

    (fill,), (ink,) = trace["marker"]["color"], trace["insidetextfont"]["color"]
    light, dark = sorted((luminance(fill), luminance(ink)), reverse=True)
    assert (light + 0.05) / (dark + 0.05) >= 4.5


def test_the_seven_colours_differ_also_in_lightness():
    fills = [
        grid_heatmap(["a"], ["b"], [[HeatCell("1", strength)]], "c")["data"][0]["marker"]["color"][0]
        for strength in range(-3, 4)
    ]

    lightness = [luminance(fill) for fill in fills]
    assert lightness[:4] == sorted(lightness[:4])
    assert lightness[3:] == sorted(lightness[3:], reverse=True)


def test_an_empty_grid_is_a_figure_too():
    assert grid_heatmap([], [], [], "c")["data"] == []
