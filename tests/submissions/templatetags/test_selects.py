"""The options of selectors."""

from submissions.questions.workload.choice import WorkloadChoice
from submissions.templatetags.selects import options, workload_options


def test_the_chosen_one_is_selected_whatever_its_type():
    assert options([(1, "one"), (2, "two")], "2") == (
        '<option value="1">one</option>\n<option value="2" selected>two</option>'
    )


def test_a_hostile_title_stays_text():
    hostile = WorkloadChoice("abc", "<script>", 1200)

    assert workload_options([hostile], None) == '<option value="abc">&lt;script&gt; (1200)</option>'
    assert " selected" in workload_options([hostile], hostile)
