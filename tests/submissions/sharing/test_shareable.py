"""A page's charts are made by the function that the page names: no page is rendered for them."""

import pytest
from django.http import Http404
from django.template import Context, Template

from submissions.formatting.charts import Chart, shareable
from submissions.questions.value.page import value
from submissions.records.detail.page import detail
from submissions.sharing.links import known_view


def own_charts(params, **path):
    label = f"{params.get('by')} of {path}"
    return [Chart("bars", {"data": [], "layout": {}}, label, ("One trial.", ""), "?by=jdk")]


@pytest.fixture
def own(monkeypatch):
    for view in (value, detail):
        monkeypatch.setattr(view, "shareable", view.shareable)
        shareable("Title", own_charts)(view)


def test_charts_are_made_from_the_query_and_the_path(own):
    view = known_view("/submissions/4/?by=jdk")

    assert view.title == "Title"
    assert view.charts()[0].label == "jdk of {'pk': 4}"
    assert view.chart("bars").shown_caveats == ("One trial.",)


def test_a_chart_that_the_page_does_not_have_is_not_found(own):
    with pytest.raises(Http404):
        known_view("/value/").chart("other")


def test_a_page_without_charts_has_none():
    assert known_view("/prices/").charts() == ()


def test_the_tag_draws_the_chart_of_the_context_by_its_key(rf):
    template = Template('{% load charts %}{% chart "bars" %}{% chart "other" %}')
    html = template.render(Context({"request": rf.get("/value/?workload=1"), "charts": own_charts({"by": "jdk"})}))

    assert html.count('<div class="chart"') == 1
    assert "jdk of {}</title>" in html
    assert "The table below has the same numbers.</desc>" in html
    assert 'data-link="/value/?by=jdk#bars"' in html
    assert html.count("<li>One trial.</li>") == 1
