"""What the list says about all its rows, with its facets."""

import pytest
from django.http import QueryDict
from django.template.loader import render_to_string

from submissions.models import Submission
from submissions.records.list.counts import list_counts
from submissions.records.list.filters import SubmissionFilter
from tests.factories import SubmissionFactory
from tests.pages import HOSTILE

pytestmark = pytest.mark.django_db


def counted(query=""):
    filterset = SubmissionFilter(QueryDict(query), Submission.objects.listed())
    assert filterset.is_valid()
    return list_counts(filterset)


def test_other_choices_are_another_question():
    for provider in ("aws", "aws", "gce"):
        SubmissionFactory(provider=provider)

    assert [counted(query).total for query in ("provider=aws", "provider=gce", "", "provider=aws")] == [2, 1, 3, 2]


def fields(query):
    return render_to_string("components/facets.html", {"facets": counted(query).facets})


def test_a_facet_has_a_box_for_each_value_with_the_frequent_ones_first():
    for number in range(70):
        SubmissionFactory(instance_type=f"t{number:02}", provider="aws" if number else "gce")

    html = " ".join(fields("provider=aws").split())

    assert '<input type="checkbox" name="provider" value="aws" checked> <span class="value">AWS</span>' in html
    instance_types = html.partition("<legend>Instance type</legend>")[2].partition("</fieldset>")[0]
    shown, _, more = instance_types.partition("<details> <summary>52 more</summary>")
    assert (shown.count("<label>"), more.count("<label>")) == (8, 52)
    assert "9 less frequent values not listed: add another filter to see more." in more
    assert "<legend>Tool</legend>" not in html  # all have the same: nothing to choose


def test_a_hostile_value_is_a_word():
    SubmissionFactory(cpu_model=HOSTILE)
    SubmissionFactory(cpu_model="Xeon")

    assert "<script>" not in fields("")
    assert "&lt;script&gt;" in fields("")
