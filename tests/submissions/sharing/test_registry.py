"""A page's charts are made by its function: no page is rendered for them."""

import pytest
from django.http import Http404
from django.template import Context, Template

from submissions.formatting.charts import Chart
from submissions.sharing import registry
from submissions.sharing.links import known_view


def own_charts(params, **path):
    label = f"{params.get('by')} of {path}"
    return [Chart("bars", {"data": [], "layout": {}}, label, ("One trial.",), "?by=jdk")]


def test_charts_are_made_from_the_query_and_the_path(rf, monkeypatch):
    monkeypatch.setattr(registry, "_function", lambda name: own_charts)
    view = known_view("/submissions/4/?by=jdk")

    assert registry.charts_of(view)[0].label == "jdk of {'pk': 4}"
    assert registry.chart_at(rf.get("/"), view, "bars").caveats == ("One trial.",)


def test_a_page_without_charts_of_its_own_has_none():
    assert registry.charts_of(known_view("/prices/")) is None


def test_a_chart_that_the_page_does_not_have_is_not_found(rf, monkeypatch):
    monkeypatch.setattr(registry, "_function", lambda name: own_charts)

    with pytest.raises(Http404):
        registry.chart_at(rf.get("/"), known_view("/value/"), "other")


def test_the_tag_draws_the_chart_of_the_context_by_its_key(rf):
    template = Template('{% load charts %}{% chart "bars" %}{% chart "other" %}')
    html = template.render(Context({"request": rf.get("/value/?workload=1"), "charts": own_charts({"by": "jdk"})}))

    assert html.count('<div class="chart"') == 1
    assert 'aria-label="jdk of {}; the table below has the same numbers"' in html
    assert 'data-link="/value/?by=jdk#bars"' in html
    assert "<li>One trial.</li>" in html
