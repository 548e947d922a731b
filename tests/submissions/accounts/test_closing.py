"""A closed account: its public results stay without a name, its private ones and everything personal are gone."""

from datetime import timedelta

import pytest
from allauth.account.models import EmailAddress
from django.contrib.auth import get_user_model
from django.core.files.storage import default_storage
from django.utils import timezone

from benchsite.storage.orphans import delete_orphans
from runners.models import CloudAccess, Run
from submissions.ingest.files import storage
from submissions.models import ApiToken, Artifact, Submission
from tests.factories import SubmissionFactory, UserFactory, make_token
from tests.pages import faults, text
from tests.runners.fake_runs import PLAN

pytestmark = pytest.mark.django_db
URL = "/account/close/"
PASSWORD = {"password": "factory-password"}


@pytest.fixture
def ada(client, clear_cache):
    user = UserFactory(username="ada", first_name="Ada", email="ada@example.org")
    EmailAddress.objects.create(user=user, email=user.email, verified=True, primary=True)
    client.force_login(user)
    return user


def with_file(submission, data):
    sha256 = storage.store_bytes(data)
    Artifact.objects.create(submission=submission, kind="load_log", name="a.log", sha256=sha256, size_bytes=len(data))
    return Artifact(sha256=sha256).storage_name


def traces(word):
    """Where a word is found in the tables of accounts and results."""
    tables = (get_user_model(), EmailAddress, Submission, ApiToken, Run, CloudAccess)
    return [table.__name__ for table in tables if word in str(list(table.objects.values()))]


def test_the_public_results_stay_without_a_name(client, ada):
    public = SubmissionFactory(submitted_by=ada)
    make_token(ada)
    CloudAccess.objects.create(owner=ada, provider="aws", principal="arn:aws:iam::1:role/ada", external_id="x")

    page = client.get(URL)
    answer = client.post(URL, PASSWORD, follow=True)

    assert faults(page) == []
    assert "Your account is closed." in text(answer)
    assert "_auth_user_id" not in client.session
    assert traces("ada") == []
    assert not ApiToken.objects.exists()
    shown = client.get(f"/submissions/{public.pk}/")
    assert shown.status_code == 200
    assert "by ada" not in text(shown)
    assert not client.login(username="ada", password="factory-password")


def test_private_and_embargoed_results_are_erased_with_their_files(client, ada):
    unlisted = SubmissionFactory(submitted_by=ada, visibility="unlisted")
    private = SubmissionFactory(submitted_by=ada, visibility="private")
    SubmissionFactory(submitted_by=ada, embargo_until=timezone.now() + timedelta(days=3))
    own, shared = with_file(private, b"only mine"), with_file(private, b"also public")
    with_file(unlisted, b"also public")
    ended = {"status": "failed", "end_reason": "error"}
    run = Run.objects.create(owner=ada, provider="fake", plan=PLAN, max_usd=1, tag="x", submission=private, **ended)

    client.post(URL, PASSWORD)
    delete_orphans(timezone.now() + timedelta(days=8))

    run.refresh_from_db()
    assert list(Submission.objects.all()) == [unlisted]
    assert run.submission is None
    assert [default_storage.exists(name) for name in (own, shared)] == [False, True]


@pytest.mark.parametrize("form", [{}, {"password": "wrong"}])
def test_without_the_password_nothing_happens(client, ada, form):
    answer = client.post(URL, form)

    assert answer.status_code == 400
    assert faults(answer) == []
    assert get_user_model().objects.get(pk=ada.pk).username == "ada"


def test_an_open_run_keeps_the_account_open_and_a_plan_does_not(client, ada):
    plan = Run.objects.create(owner=ada, provider="fake", plan=PLAN, max_usd=1, tag="plan")
    run = Run.objects.create(owner=ada, provider="fake", plan=PLAN, max_usd=1, tag="run", status="stressing")

    assert "A run of yours is in progress" in text(client.post(URL, PASSWORD))
    plan.refresh_from_db()
    assert plan.status == "planned"
    Run.objects.filter(pk=run.pk).update(status="failed", end_reason="error")
    client.post(URL, PASSWORD)

    plan.refresh_from_db()
    assert plan.status == "cancelled"
    assert traces("ada") == []


def test_the_only_administrator_stays(client, ada):
    get_user_model().objects.filter(pk=ada.pk).update(is_superuser=True)

    assert "only administrator" in text(client.post(URL, PASSWORD))
    assert traces("ada") != []
