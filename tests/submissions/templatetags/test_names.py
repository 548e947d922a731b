import pytest
from django.template import Context, Template

from submissions.models import Submission


def test_templates_print_display_names():
    row = Submission(
        node_count=3, instance_type="n1-standard-4", provider="gce", region=None, service="scylladb", tool="ycsb"
    )
    source = (
        "{% load names %}{{ row|system_name }} | {{ row.service|service_name }} | {{ row.tool|tool_name }}"
        " | {{ row.provider|provider_name }} | {{ 2|cluster_name:row.instance_type }}"
    )
    assert Template(source).render(Context({"row": row})) == (
        "3× n1-standard-4 · Google Cloud | ScyllaDB | YCSB | Google Cloud | 2× n1-standard-4"
    )


def test_templates_print_the_label_of_a_fact():
    assert Template('{% load names %}{{ "threads"|fact_heading }}').render(Context()) == "Threads per client"


def test_an_unknown_fact_is_an_error():
    with pytest.raises(KeyError):
        Template('{% load names %}{{ "nothing"|fact_heading }}').render(Context())


def test_cells_have_the_label_of_their_column():
    from submissions.choices import PricingModel

    source = "{% load names %}{{ columns|label_at:0 }}, {{ texts|label_at:1 }}"
    context = Context({"columns": tuple(PricingModel), "texts": ["a", "b"]})
    assert Template(source).render(context) == "on demand, b"
