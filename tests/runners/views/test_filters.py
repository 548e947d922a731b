"""The filters of the list of runs, on the page and in the API, and the total beside them."""

import pytest
from django.urls import reverse

from runners.models import Run
from tests.factories import UserFactory
from tests.runners.fake_runs import PLAN
from tests.runners.views.test_new import words

pytestmark = pytest.mark.django_db


@pytest.fixture
def three_runs(make_run):
    """One that waits, one that ended for 1.25 USD, and one whose cost is not known."""
    waiting, paid, unpriced = (make_run() for _ in range(3))
    Run.objects.filter(pk=paid.pk).update(
        status="failed", end_reason="no_capacity", provider="aws", receipt={"total_usd": "1.25"}
    )
    postgresql = {**PLAN, "service": {"name": "postgresql", "version": None}}
    Run.objects.filter(pk=unpriced.pk).update(
        status="succeeded", end_reason="completed", plan=postgresql, receipt={"total_usd": None}
    )
    return waiting, paid, unpriced


def shown(client, **query):
    return [run.pk for run in client.get(reverse("runners:list"), query).context["page"].rows]


def listed(client, **query):
    return [row["id"] for row in client.get(reverse("runs_api:list"), query).json()["results"]]


@pytest.mark.parametrize("rows", [shown, listed])
def test_status_provider_database_and_owner_choose_runs(client, three_runs, rows):
    waiting, paid, unpriced = (run.pk for run in three_runs)
    client.force_login(three_runs[1].owner)

    assert rows(client) == [unpriced, paid, waiting]
    assert rows(client, status="queued") == [waiting]
    assert rows(client, status=["queued", "failed"]) == [paid, waiting]
    assert rows(client, provider="aws") == [paid]
    assert rows(client, service="postgresql") == [unpriced]
    assert rows(client, service="cassandra", provider="fake") == [waiting]
    assert rows(client, mine="true") == [paid]
    assert rows(client, mine="false") == [unpriced, paid, waiting]


@pytest.mark.parametrize("rows", [shown, listed])
def test_without_an_account_nothing_is_mine(client, three_runs, rows):
    assert rows(client, mine="true") == []


def test_the_page_says_what_all_of_them_cost(client, three_runs):
    page = client.get(reverse("runners:list"))
    failed = client.get(reverse("runners:list"), {"status": "failed", "provider": ""})

    assert "3 runs. Total cost: $1.25, without 1 run of unknown cost." in words(page)
    assert "1 run matches these filters. Total cost: $1.25." in words(failed)
    assert '<option value="failed" selected>' in failed.content.decode()


def test_a_run_with_machines_and_no_receipt_yet_costs_something_unknown_and_not_nothing(client, three_runs):
    waiting = three_runs[0]
    Run.objects.filter(pk=waiting.pk).update(status="stressing")

    page = client.get(reverse("runners:list"), {"status": "stressing"})
    every = client.get(reverse("runners:list"))

    assert "3 runs. Total cost: $1.25, without 2 runs of unknown cost." in words(every)
    assert "1 run matches these filters. Total cost: unknown." in words(page)


def test_a_value_that_is_none_is_named(client, three_runs):
    page = client.get(reverse("runners:list"), {"status": "lost"})
    answer = client.get(reverse("runs_api:list"), {"status": "lost"})

    assert (page.status_code, answer.status_code) == (400, 400)
    assert "must be one of planned, queued, launching" in page.content.decode()
    assert client.get(reverse("runs_api:list"), {"state": "failed"}).status_code == 400


def test_the_next_page_keeps_the_filter(client):
    kept = {"owner": UserFactory(), "provider": "fake", "plan": PLAN, "max_usd": 1, "status": "queued"}
    Run.objects.bulk_create([Run(tag=f"waiting-{number}", **kept) for number in range(51)])

    page = client.get(reverse("runners:list"), {"status": "queued"})

    assert "status=queued" in page.context["next_address"]
    assert page.context["totals"].runs == 51
