"""PostgreSQL on this machine by one button: who is offered it on the first page, and what the button does."""

import re

import pytest
from django.urls import reverse

from runners.load_tools.pgbench.pgbench import PGBENCH_PRESET
from runners.models import Run
from runners.plan_schema.run_plan import RunPlan
from runners.plans.presets import preset_by_slug
from tests.factories import SubmissionFactory, UserFactory
from tests.pages import faults, links, text

pytestmark = pytest.mark.django_db
BUTTON = r"Measure this machine \((\d+) s\)"


@pytest.fixture
def here(settings):
    settings.RUN_PROVIDERS, settings.RUNS_NEED_PERMISSION = ["local"], True


@pytest.fixture
def administrator(here, client):
    user = UserFactory(is_staff=True, is_superuser=True)
    client.force_login(user)
    return user


def test_the_administrator_has_a_button_with_the_seconds_of_the_plans_own_estimate(client, administrator):
    from runners import creation

    page = client.get("/")
    expected = creation.estimate_of(RunPlan.model_validate(PGBENCH_PRESET)).expected_seconds

    assert int(re.search(BUTTON, text(page))[1]) == round(expected)
    assert "csrfmiddlewaretoken" in page.content.decode()
    assert faults(page) == []


def test_the_button_starts_the_run_of_the_preset_and_leads_to_its_page(client, administrator):
    response = client.post(reverse("runners:measure_here"))
    [run] = Run.objects.all()

    assert (response.status_code, response["Location"]) == (302, run.get_absolute_url())
    assert (run.status, run.owner, run.plan["workload"]["tool"]) == ("queued", administrator, "pgbench")
    assert run.plan["provider"] == preset_by_slug("pgbench-here").plan["provider"]


def test_a_second_click_leads_to_the_same_run(client, administrator):
    first, second = (client.post(reverse("runners:measure_here"))["Location"] for _ in range(2))

    assert first == second
    assert Run.objects.count() == 1


def test_the_button_needs_the_token_of_its_page(administrator, client):
    client.handler.enforce_csrf_checks = True

    assert client.post(reverse("runners:measure_here")).status_code == 403
    assert not Run.objects.exists()


def test_a_stranger_is_led_to_the_sign_in_and_starts_nothing(client, here):
    page = client.get("/")
    response = client.post(reverse("runners:measure_here"))

    assert re.search(r"Sign in to measure this machine \(\d+ s\)", text(page))
    assert "/account/login/?next=/" in links(page)
    assert response["Location"] == "/account/login/?next=/"
    assert not Run.objects.exists()


def test_who_may_start_no_run_has_no_offer(client, here):
    client.force_login(UserFactory())

    assert "easure this machine" not in text(client.get("/"))
    assert client.post(reverse("runners:measure_here")).status_code == 403


def test_without_runs_on_this_machine_there_is_no_offer(client, administrator, settings):
    settings.RUN_PROVIDERS = []

    assert "easure this machine" not in text(client.get("/"))


def test_the_offer_ends_with_the_first_result_of_postgresql_on_this_machine(client, here):
    SubmissionFactory(service="postgresql", provider="aws")
    SubmissionFactory(service="cassandra", provider="local")
    before = text(client.get("/"))
    SubmissionFactory(service="postgresql", provider="local")
    after = text(client.get("/"))

    assert "Sign in to measure this machine" in before
    assert "easure this machine" not in after


def test_a_question_is_answered_without_the_offer(client, administrator):
    assert "easure this machine" not in text(client.get("/", {"service": "postgresql", "ops_s": "1"}))


def test_the_offer_costs_a_stranger_no_query(client, here, settings):
    from django.db import connection
    from django.test.utils import CaptureQueriesContext

    settings.PAGE_CACHE_SECONDS = 0
    client.get("/")
    with CaptureQueriesContext(connection) as with_offer:
        client.get("/")
    settings.RUN_PROVIDERS = []
    with CaptureQueriesContext(connection) as without:
        client.get("/")

    assert len(with_offer) == len(without)
