"""Which page a chart's link means: its own with the choices made, or the page as it was asked for."""

import pytest

from submissions.sharing.page_charts import path_of


@pytest.mark.parametrize(
    ("link", "path"),
    [
        ("#pareto", "/value/?by=jdk"),
        ("?workload=abc&by=jdk#pareto", "/value/?workload=abc&by=jdk"),
        ("/value/?workload=abc", "/value/?workload=abc"),
        ("/compare/?s=1&s=2", "/value/?by=jdk"),
        ("https://evil.example/value/", "/value/?by=jdk"),
        ("//evil.example/value/", "/value/?by=jdk"),
    ],
)
def test_a_link_of_the_page_itself_holds_its_choices(rf, link, path):
    assert path_of(rf.get("/value/?by=jdk"), link) == path
