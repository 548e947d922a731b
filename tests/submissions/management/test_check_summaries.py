"""`manage.py check_summaries`."""

import pytest
from django.core.management import CommandError, call_command
from django.db.models import F

from submissions.models import GroupTotals, WorkloadFigures
from submissions.tasks import check_totals
from tests.factories import SubmissionFactory


@pytest.fixture
def run(db, capsys):
    def _run(*arguments):
        call_command("check_summaries", *arguments)
        return capsys.readouterr().out

    SubmissionFactory(trials_count=3)
    return _run


def test_totals_that_equal_the_rows_are_said_to(run):
    assert run() == "The totals of 1 workload equal the counts of the rows.\n"


@pytest.mark.parametrize("table", [WorkloadFigures, GroupTotals])
def test_a_wrong_total_is_named_with_both_figures_and_corrected_by_a_rebuild(run, capsys, table):
    table.objects.update(published=F("published") + 1)
    with pytest.raises(CommandError, match="The totals of 1 workload differ"):
        run()
    lines = capsys.readouterr().out.splitlines()
    assert any((": 2, " in line and "counted 1" in line) or "published: 2, counted 1" in line for line in lines), lines
    assert run("--rebuild").endswith("equal the counts of the rows.\n")


def test_totals_that_a_passed_time_has_ended_are_not_compared(run):
    WorkloadFigures.objects.update(valid_until="2020-01-01T00:00Z", published=5)
    assert run().startswith("1 workload not compared: an embargo or a wait has ended")
    assert run("--rebuild").splitlines() == [
        "1 workload counted again.",
        "Tallies of boards counted again.",
        "The totals of 1 workload equal the counts of the rows.",
    ]


def test_the_nightly_check_logs_what_differs(run, caplog):
    WorkloadFigures.objects.update(published=7)
    check_totals()
    assert "published: 7, counted 1" in caplog.text
