"""The options of selectors."""

from submissions.questions.workload.choice import MOST_CHOICES, WorkloadChoice
from submissions.templatetags.selects import has_most_choices, options, workload_options


def test_the_chosen_one_is_selected_whatever_its_type():
    assert options([(1, "one"), (2, "two")], "2") == (
        '<option value="1">one</option>\n<option value="2" selected>two</option>'
    )


def test_a_hostile_title_stays_text():
    hostile = WorkloadChoice("abc", "<script>", 1200)

    assert workload_options([hostile], None) == '<option value="abc">&lt;script&gt; (1200)</option>'
    assert " selected" in workload_options([hostile], hostile)


def test_a_workload_that_was_not_counted_has_no_number():
    assert workload_options([WorkloadChoice("abc", "reads", None)], None) == '<option value="abc">reads</option>'


def test_a_full_selector_says_that_there_may_be_others():
    choices = [WorkloadChoice(str(number), "reads", 1) for number in range(MOST_CHOICES)]

    assert has_most_choices(choices)
    assert not has_most_choices(choices[1:])
