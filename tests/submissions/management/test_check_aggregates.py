"""`manage.py check_aggregates`."""

import pytest
from django.core.management import CommandError, call_command
from django.db.models import Value
from django.db.models.functions import Replace

from submissions.aggregates import store
from submissions.models import Aggregate, SiteCount, WorkloadFigures
from submissions.tasks import check_figures
from tests.factories import SubmissionFactory


@pytest.fixture
def run(db, capsys):
    def _run(*arguments):
        call_command("check_aggregates", *arguments)
        return capsys.readouterr().out

    SubmissionFactory(trials_count=3)
    store.refresh_all()
    return _run


def test_figures_that_equal_the_rows_are_said_to(run):
    assert run() == "The figures of 1 workload equal the counts of the rows.\n"


def wrong_column():
    WorkloadFigures.objects.update(published=2)
    return "published is 2, counted 1"


def wrong_state():
    Aggregate.objects.filter(kind="groups").update(state=Replace("state", Value("aws"), Value("gce")))
    return "groups differs from the rows"


def wrong_site_count():
    SiteCount.objects.create(kind="boards", key="provider=aws", n=3)
    return "boards provider=aws on the whole site: 3, counted 0"


@pytest.mark.parametrize("make_wrong", [wrong_column, wrong_state, wrong_site_count])
def test_a_wrong_figure_is_named_and_corrected_by_a_rebuild(run, capsys, make_wrong):
    words = make_wrong()
    with pytest.raises(CommandError, match="Differences from the rows: 1"):
        run()
    assert words in capsys.readouterr().out
    if make_wrong is not wrong_site_count:
        assert run("--rebuild").endswith("equal the counts of the rows.\n")


def test_figures_that_are_to_be_counted_are_not_compared(run):
    WorkloadFigures.objects.update(valid_until="2020-01-01T00:00Z", published=5)
    assert run().startswith("1 workload not compared")
    assert run("--rebuild").splitlines() == [
        "1 workload counted again.",
        "The figures of 1 workload equal the counts of the rows.",
    ]


def test_the_nightly_check_logs_what_differs(run, caplog):
    WorkloadFigures.objects.update(published=7)
    check_figures()
    assert "published is 7, counted 1" in caplog.text
