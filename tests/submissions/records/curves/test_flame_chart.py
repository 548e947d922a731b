"""The flame graph as a figure."""

import json

from submissions.analysis.host_metrics.flame import flame
from submissions.records.curves.flame_chart import flame_figure


def test_a_bar_for_each_frame_with_its_name_as_text():
    figure = flame_figure(flame(["run;<b>a 75", "run;c 24", "run;d 1"]))

    bars = {
        (name, depth): (round(start, 6), round(share, 6))
        for trace in figure["data"]
        for (name, _), depth, start, share in zip(
            trace["customdata"], trace["y"], trace["base"], trace["x"], strict=True
        )
    }
    assert bars == {
        ("run", 0): (0.0, 100.0),
        ("&lt;b&gt;a", 1): (0.0, 75.0),
        ("c", 1): (75.0, 24.0),
        ("d", 1): (99.0, 1.0),
    }
    assert [trace["text"] for trace in figure["data"]] == [["run"], ["&lt;b&gt;a", "c", ""]]
    assert figure["layout"]["yaxis"]["range"] == [-0.5, 1.5]
    json.dumps(figure, allow_nan=False)
