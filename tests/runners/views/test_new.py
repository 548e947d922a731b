"""The form of a new run: what it shows for a choice, what it is filled in from, what it says before anything starts."""

import re
from decimal import Decimal
from html import unescape

import pytest
from django.urls import reverse
from django.utils.html import strip_tags

from runners.models import Run
from tests.factories import PriceFactory, UserFactory
from tests.runners.views.test_pages import form_data, text

pytestmark = pytest.mark.django_db


@pytest.fixture
def site(make_run, settings):
    """This machine and the fake cloud, offered to everybody who is signed in."""
    settings.RUN_PROVIDERS = ["local", "fake"]
    settings.RUNS_NEED_PERMISSION = False
    return make_run


@pytest.fixture
def clouds(site, settings, monkeypatch):
    settings.RUN_PROVIDERS = ["local", "aws", "gce"]
    # No cloud answers: a plan is prepared with that note.
    monkeypatch.setenv("AWS_EC2_METADATA_DISABLED", "true")
    settings.GCE_PROJECT, settings.GCE_ENDPOINT = "bench", "http://127.0.0.1:9"
    return site


@pytest.fixture
def signed_in(client):
    user = UserFactory(username="ada", is_staff=True)
    client.force_login(user)
    return user


def words(response):
    """What a reader sees."""
    return " ".join(unescape(strip_tags(response.content.decode())).split())


def names(response):
    """The fields of the plan that the page has."""
    shown = re.findall(r'<(?:input|select|textarea)[^>]* name="(\w+)"', response.content.decode())
    return {name for name in shown if name in response.context["form"].base_fields}


def test_the_form_has_only_the_fields_of_its_tool_and_place(site, client, signed_in):
    here = names(client.get(reverse("runners:new")))
    there = names(client.post(reverse("runners:fields"), {"tool": "cassandra-stress", "provider": "fake"}))

    assert {"tool", "provider", "scale", "threads", "trials", "max_usd"} <= here
    assert not here & {"region", "client_type", "database_type", "consistency_level", "jdk_version", "prefill"}
    assert {"region", "zones", "client_type", "database_type", "consistency_level", "jdk_version"} <= there
    assert "scale" not in there


def test_another_tool_keeps_what_it_shares_and_shows_what_is_usual_for_it(clouds, client, signed_in):
    typed = {
        "was_tool": "pgbench",
        "tool": "cassandra-stress",
        "was_provider": "local",
        "provider": "aws",
        "title": "Mine",
        "trials": "5",
        "threads": "8",
        "scale": "10",
        "operation": "tpcb",
        "settings": "no JSON",
        "visibility": "unlisted",
        "notify_url": "https://example.org/hook",
    }

    page = client.post(reverse("runners:fields"), typed)

    initial = page.context["form"].initial
    assert (initial["title"], initial["trials"], initial["provider"]) == ("Mine", "5", "aws")
    assert (initial["operation"], initial["threads"], initial["region"]) == ("write", 200, "us-east-1")
    assert '<option value="unlisted" selected>' in page.content.decode()
    assert 'value="https://example.org/hook"' in page.content.decode()
    assert 'class="errorlist"' not in page.content.decode()


def test_a_plan_for_this_machine_needs_no_word_about_it(site, client, signed_in):
    page = client.get(reverse("runners:new"))
    filled_in = {name: value for name, value in page.context["form"].initial.items() if name in names(page)}

    placed = client.post(reverse("runners:new"), filled_in)

    plan = Run.objects.get().plan
    assert placed.status_code == 302
    assert plan["service"]["name"] == "postgresql"
    assert (plan["database"]["instance_type"], plan["database"]["count"]) == ("this-machine", 1)


def test_types_are_listed_with_their_hardware_and_price(site, client, signed_in):
    from submissions.models import InstanceType

    InstanceType.objects.create(provider="fake", name="m5.xlarge", vcpus=4, memory_gib=16, local_disk_gib=0)
    choice = {"tool": "cassandra-stress", "provider": "fake", "region": "us-east-1"}

    listed = text(client.get(reverse("runners:types"), choice))
    estimate = text(client.post(reverse("runners:estimate"), form_data(client_type="m5.xlarge")))
    nowhere = text(client.get(reverse("runners:types"), {**choice, "region": "nowhere"}))

    assert '<option value="m5.xlarge">4 vCPUs, 16 GiB, $0.192/h</option>' in listed
    assert '<option value="m5.large">$0.096/h</option>' in listed
    assert '<option value="m5.xlarge">4 vCPUs, 16 GiB</option>' in nowhere
    assert 'id="id_client_type_helptext" hx-swap-oob="true">4 vCPUs, 16 GiB, $0.192/h</p>' in estimate
    assert "4 machines with 16 vCPUs together: the account&#x27;s quota must allow them." in estimate


def test_who_may_run_where_and_what_is_left_is_said_before(site, client, signed_in, settings):
    settings.MAX_RUN_USD, settings.MAX_USER_MONTH_USD = Decimal(50), Decimal(80)
    run = site(owner=signed_in)
    Run.objects.filter(pk=run.pk).update(status="stressing", launched_at="2999-01-01T00:00:00Z", worst_case_usd=30)

    page = words(client.get(reverse("runners:new")))

    assert "This machine: free, at most 120 minutes per run" in page
    assert "fake: in the site's account" in page
    assert "$50.00 per run; $80.00 per user and month; $50.00 left; 1 at a time, at most 5" in page


def test_without_an_account_the_form_shows_the_rules_and_no_money_of_anybody(site, client, settings):
    page = text(client.get(reverse("runners:new")))
    settings.RUNS_NEED_PERMISSION = True
    closed = text(client.get(reverse("runners:new")))

    assert "Everyone with an account." in page
    assert "00 left" not in page
    assert "Sign in to start a run" in page
    assert "Ask a site operator for permission." in closed


def test_the_cards_name_what_this_site_can_run_and_what_is_over_its_limit(clouds, client, signed_in, settings):
    settings.MAX_RUN_USD = Decimal(50)

    cards = client.get(reverse("runners:new"), {"preset": "scale-out-288"})

    assert [card.slug for card in cards.context["cards"]][-3:] == ["gce-against-aws", "scale-out", "ssd"]
    assert "288 + 60 clients over this site's limit: up to $600" in words(cards)
    initial = cards.context["form"].initial
    assert (initial["database_count"], initial["client_count"]) == (288, 60)
    assert initial["zones"] == "us-east-1a, us-east-1b, us-east-1c"


def test_a_comparison_is_prepared_as_two_plans_that_nothing_starts(clouds, client, signed_in):
    from submissions.models import InstanceType

    for provider, names in (("aws", ("m5d.2xlarge", "c5.4xlarge")), ("gce", ("n1-standard-8", "n1-highcpu-16"))):
        InstanceType.objects.bulk_create(InstanceType(provider=provider, name=name) for name in names)

    answer = client.post(reverse("runners:prepare"), {"card": "gce-against-aws"})

    plans = Run.objects.order_by("pk")
    assert [(run.provider, run.status, run.owner) for run in plans] == [
        ("aws", "planned", signed_in),
        ("gce", "planned", signed_in),
    ]
    assert answer.headers["Location"] == "/runs/?status=planned&mine=true"
    assert client.post(reverse("runners:prepare"), {"card": "scale-out"}).status_code == 404
    assert client.get(reverse("runners:prepare")).status_code == 405


def test_a_comparison_is_offered_whole_or_as_single_plans(clouds, client, signed_in, settings):
    settings.RUN_PROVIDERS = ["aws"]

    assert client.post(reverse("runners:prepare"), {"card": "gce-against-aws"}).status_code == 404
    assert "Prepare both plans" not in text(client.get(reverse("runners:new")))


def test_nobody_prepares_plans_without_permission(clouds, client, signed_in, settings):
    signed_in.is_staff = False
    signed_in.save()
    settings.RUNS_NEED_PERMISSION = True

    assert client.post(reverse("runners:prepare"), {"card": "gce-against-aws"}).status_code == 403
    assert not Run.objects.exists()


def test_run_again_fills_in_the_plan_of_the_run(site, client, signed_in):
    run = site(trials=7)

    page = client.get(reverse("runners:new"), {"again": run.pk})

    assert page.context["form"].initial["trials"] == 7
    assert f"Filled in from run {run.pk}." in text(page)


def test_an_unlisted_run_of_somebody_else_fills_in_nothing(site, client, signed_in):
    run = site()
    Run.objects.filter(pk=run.pk).update(visibility="private")

    assert client.get(reverse("runners:new"), {"again": run.pk}).status_code == 404
    assert client.get(reverse("runners:new"), {"again": "x"}).status_code == 200


@pytest.mark.parametrize(
    "typed",
    [
        {"region": "us\0east", "database_count": "9" * 5000, "database_type": "m5.xlarge\0"},
        {"region": "us-east-1", "database_count": "\u00b2", "database_type": "m5.xlarge", "client_type": "m5.xlarge"},
        {"settings": "[" * 40_000, "database_disks": "{", "trials": "many"},
        {"provider": "nowhere", "tool": "\0", "was_tool": "x"},
    ],
)
@pytest.mark.parametrize("page", ["fields", "estimate", "new"])
def test_nonsense_is_answered_and_stores_nothing(site, client, signed_in, page, typed):
    answer = client.post(reverse(f"runners:{page}"), form_data(**typed))

    assert answer.status_code in (200, 400)
    assert not Run.objects.exists()


def test_every_fault_of_the_form_is_named_at_once_and_stores_nothing(site, client, signed_in):
    odd = {"service_version": "15'; DROP", "title": "🚀" * 300, "notify_url": "javascript:alert(1)", "threads": "0"}

    refused = client.post(reverse("runners:new"), form_data(**odd))

    assert refused.status_code == 400
    assert "15'; DROP is no version: state one such as 16.2 or 5.0.9" in words(refused)
    assert "needs a letter or a digit" in words(refused)
    assert "must be an https:// URL" in words(refused)
    assert "must be at least 1" in words(refused)
    assert not Run.objects.exists()


def test_a_number_that_cannot_be_read_hides_no_other_fault(site, client, signed_in):
    odd = {"threads": "many", "service_version": "15'; DROP", "title": "🚀", "notify_url": "javascript:alert(1)"}

    refused = client.post(reverse("runners:new"), form_data(**odd))

    assert "Enter a number such as" in words(refused)
    assert "needs a letter or a digit" in words(refused)
    assert "must be an https:// URL" in words(refused)
    assert "is required" not in words(refused)


def test_a_stored_plan_is_read_whatever_was_accepted_when_it_was_made(site, client, signed_in):
    run = site()
    Run.objects.filter(pk=run.pk).update(plan={**run.plan, "title": "🚀"})

    assert client.get(Run.objects.get().get_absolute_url()).status_code == 200


def test_types_of_a_nonsense_region_are_listed_without_price(site, client):
    assert client.get(reverse("runners:types"), {"provider": "fake", "region": "a\0b"}).status_code == 200


def typed_here(client):
    """The fields of a new run on this machine as the form has them."""
    values = {field.html_name: field.value() for field in client.get(reverse("runners:new")).context["form"]}
    return {name: value for name, value in values.items() if value not in (None, "", False)}


def test_what_was_typed_before_the_sign_in_is_there_after_it(site, client):
    typed = {**typed_here(client), "threads": "33", "title": "Mine", "notify_email": "on"}
    to_sign_in = client.post(reverse("runners:new"), typed)
    UserFactory(username="eve")
    signed_in = client.post(to_sign_in["Location"], {"login": "eve", "password": "factory-password"})
    page = client.get(signed_in["Location"])

    assert to_sign_in["Location"] == "/account/login/?next=/runs/new/"
    assert signed_in["Location"] == "/runs/new/"
    values = {field.html_name: field.value() for field in page.context["form"]}
    assert (values["threads"], values["title"]) == ("33", "Mine")
    assert dict(page.context["groups"])["Notifications"][0].value() is True
    assert page.context["cost"] is not None
    assert client.get("/runs/new/").context["form"]["title"].value() != "Mine"


def test_a_plan_that_is_too_long_to_wait_is_no_obstacle_to_the_sign_in(site, client):
    response = client.post(reverse("runners:new"), {"title": "x" * 200_000})

    assert response["Location"] == "/account/login/?next=/runs/new/"
    assert "typed plan" not in client.session


def planned_without_credentials(client, user, monkeypatch, tmp_path):
    from runners import creation
    from runners.plans.presets import preset_by_slug

    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_PROFILE"):
        monkeypatch.delenv(name, raising=False)
    for name in ("AWS_SHARED_CREDENTIALS_FILE", "AWS_CONFIG_FILE"):
        monkeypatch.setenv(name, str(tmp_path / "none"))
    plan = preset_by_slug("writes-aws").plan
    for role in ("database", "client"):
        PriceFactory(provider="aws", region="us-east-1", sku=plan[role]["instance_type"])
    run = creation.create_run(plan, user)
    run.worst_case_usd = 5
    run.save()
    return run


def test_without_credentials_a_run_in_a_cloud_is_planned_but_not_started(
    clouds, client, signed_in, monkeypatch, tmp_path
):
    run = planned_without_credentials(client, signed_in, monkeypatch, tmp_path)
    address = reverse("runners:confirm", args=[run.pk])
    page, refused = client.get(address), client.post(address)

    reason = "Cannot start the run: this site has no usable AWS credentials"
    assert reason in words(page)
    assert re.search(r'<button type="submit" disabled>Start the run', page.content.decode())
    assert refused.status_code == 400
    assert reason in words(refused)
    run.refresh_from_db()
    assert run.status == "planned"


def test_with_credentials_that_came_later_the_same_plan_can_be_started(
    clouds, client, signed_in, monkeypatch, tmp_path
):
    run = planned_without_credentials(client, signed_in, monkeypatch, tmp_path)
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "later")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "later")
    monkeypatch.setenv("AWS_ENDPOINT_URL", "http://127.0.0.1:9")
    page = client.get(reverse("runners:confirm", args=[run.pk]))

    assert "Cannot start the run" not in words(page)
    assert "disabled" not in page.content.decode().partition("Start the run")[0][-60:]


@pytest.mark.parametrize("minutes", ["500", "5000"])
def test_the_deadline_has_one_limit_and_the_form_names_it_before_and_after(site, client, signed_in, minutes):
    before = words(client.get(reverse("runners:new")))
    refused = client.post(reverse("runners:new"), {**typed_here(client), "max_duration_minutes": minutes})

    assert "at most 120 minutes per run" in before
    assert "must be at most 120 on this machine" in words(refused)
    assert "1440" not in words(refused)
