"""The options of selectors."""

import re

import pytest

from submissions.questions.boards.choice import MOST_CHOICES, WorkloadChoice
from submissions.templatetags.selects import has_most_choices, options, workload_options
from tests.factories import WorkloadFactory


def test_the_chosen_one_is_selected_whatever_its_type():
    assert options([(1, "one"), (2, "two")], "2") == (
        '<option value="1">one</option>\n<option value="2" selected>two</option>'
    )


@pytest.mark.django_db
def test_a_hostile_title_stays_text():
    hostile = WorkloadChoice("abc", "<script>", 1200)

    assert workload_options([hostile], None) == '<option value="abc">&lt;script&gt; (1200)</option>'
    assert " selected" in workload_options([hostile], hostile)


@pytest.mark.django_db
def test_a_workload_that_was_not_counted_has_no_number():
    assert workload_options([WorkloadChoice("abc", "reads", None)], None) == '<option value="abc">reads</option>'


@pytest.mark.django_db
def test_a_selector_names_workloads_of_a_database_by_what_differs():
    choices = []
    for keys in (1_000, 2_000):
        form = {"service": "scylladb", "tool": "ycsb", "operations": {"read": 1.0}, "key_count": keys}
        workload = WorkloadFactory(title=f"ScyllaDB: YCSB read, {keys:,} keys", service="scylladb", canonical=form)
        choices.append(WorkloadChoice(workload.fingerprint, workload.title, 3, workload.pk))

    assert re.findall("<option[^>]*>([^<]+)<", workload_options(choices, choices[0])) == [
        "ScyllaDB: 1,000 keys, YCSB read (3)",
        "ScyllaDB: 2,000 keys, YCSB read (3)",
    ]


def test_a_full_selector_says_that_there_may_be_others():
    choices = [WorkloadChoice(str(number), "reads", 1) for number in range(MOST_CHOICES)]

    assert has_most_choices(choices)
    assert not has_most_choices(choices[1:])
