"""An owner's page to publish a result, let it supersede another, and add missing facts; and the same in the API."""

from datetime import timedelta

import pytest
from django.utils import timezone

from submissions.models import Change, Submission
from tests.documents import document
from tests.factories import SubmissionFactory, UserFactory, bearer
from tests.pages import faults as page_faults
from tests.pages import text

pytestmark = pytest.mark.django_db


@pytest.fixture
def own(client):
    """A private result of the signed-in account that lacks its JDK."""
    owner = UserFactory(username="ada")
    client.force_login(owner)
    content = document({"jdk": ..., "visibility": "private"})
    answer = client.post("/api/v1/submissions/", content, content_type="application/json")
    return Submission.objects.get(pk=answer.json()["id"])


def page_of(row):
    return f"/account/submissions/{row.pk}/change/"


def test_the_page_offers_what_can_be_changed_and_saves_it(client, own):
    page = client.get(page_of(own))
    assert page_faults(page) == []
    assert 'name="jdk_version"' in page.content.decode()
    assert 'name="region"' not in page.content.decode()  # stated already

    old = SubmissionFactory(submitted_by=own.submitted_by)
    content = {"visibility": "public", "jdk_version": "17", "supersedes": str(old.pk)}
    answer = client.post(page_of(own), content)

    assert (answer.status_code, answer.url) == (302, own.get_absolute_url())
    own.refresh_from_db()
    assert (own.visibility, own.jdk_version, own.supersedes) == ("public", "17", old)
    assert set(Submission.objects.published()) == {own}
    assert f"Superseded by result #{own.pk}" in text(client.get(old.get_absolute_url()))
    assert f"Supersedes result #{old.pk}" in text(client.get(own.get_absolute_url()))
    assert "#/jdk" in text(client.get(page_of(own)))


def test_a_fault_is_shown_at_its_field_and_nothing_changes(client, own):
    page = client.post(page_of(own), {"visibility": "public", "supersedes": "999"})

    assert page.status_code == 400
    assert page.context["form"].errors == {"supersedes": ["there is no submission 999 of your own"]}
    assert not Change.objects.exists()


def test_no_fact_is_offered_after_a_day(client, own):
    Submission.objects.update(created_at=timezone.now() - timedelta(days=1))

    assert "Missing facts" not in text(client.get(page_of(own)))


def test_the_page_is_its_owners_alone(client, own):
    client.force_login(UserFactory())
    assert client.get(page_of(own)).status_code == 404
    client.logout()
    assert client.get(page_of(own)).status_code == 302


def patch(client, row, content, **headers):
    return client.patch(f"/api/v1/submissions/{row.pk}/", content, content_type="application/json", **headers)


def test_the_api_changes_the_same(client, own):
    client.logout()
    answer = patch(client, own, {"visibility": "unlisted", "jdk": {"version": "17"}}, **bearer(own.submitted_by))

    assert answer.status_code == 200
    assert (answer.json()["visibility"], answer.json()["jdk_version"]) == ("unlisted", "17")
    assert Change.objects.get().changed_by == own.submitted_by


def test_the_api_is_for_its_owner_with_the_right_token(client, own):
    public = SubmissionFactory()
    client.logout()
    assert patch(client, public, {"visibility": "private"}).status_code == 401
    assert patch(client, public, {"visibility": "private"}, **bearer()).status_code == 403
    assert patch(client, own, {}, **bearer(own.submitted_by, scopes=["run"])).status_code == 403
    assert patch(client, own, {"visibility": "public"}, **bearer()).status_code == 404
    assert not Change.objects.exists()


@pytest.mark.parametrize("body", [[], "public", None, {"visibility": None}, {"embargo_until": 7}, {"supersedes": True}])
def test_a_bad_body_is_a_problem(client, own, body, faults):
    assert faults(patch(client, own, body))
    assert not Change.objects.exists()


def test_the_owner_is_shown_the_secret_link_and_others_are_not(client, own):
    answer = patch(client, own, {"visibility": "unlisted"}).json()
    own.refresh_from_db()
    link = f"http://testserver/submissions/{own.pk}/?key={own.link_key}"
    assert (answer["link"], answer["url"]) == (link, link)

    by_number = client.get(f"/submissions/{own.pk}/?scale=log")
    assert (by_number.status_code, by_number.url) == (302, f"/submissions/{own.pk}/?scale=log&key={own.link_key}")
    page = client.get(link)
    assert page_faults(page) == []
    assert f'readonly value="{link}"' in page.content.decode()
    assert "Copy link" in text(page)

    client.logout()
    assert "Copy link" not in text(client.get(link))
    assert client.get(f"/api/v1/submissions/{own.pk}/?key={own.link_key}").json()["link"] is None
    assert client.get(f"/submissions/{own.pk}/").status_code == 404


def test_facts_of_machines_can_be_added_on_the_page(client, own):
    bare = {"nodes": [{"role": "database", "count": 3, "instance_type": "i3.4xlarge"}], "visibility": "private"}
    answer = client.post("/api/v1/submissions/", document(bare), content_type="application/json")
    own = Submission.objects.get(pk=answer.json()["id"])
    page = client.get(page_of(own))
    assert 'name="nodes-0-cpu_model"' in page.content.decode()
    assert 'name="nodes-0-instance_type"' not in page.content.decode()  # stated already
    assert page_faults(page) == []

    content = {"visibility": "private", "nodes-0-cpu_model": "Xeon E5-2670", "nodes-0-disk_count": "2"}
    wrong = client.post(page_of(own), content)
    assert wrong.status_code == 400
    assert wrong.context["machines"][0].errors == {"disk_kind": ["is required"]}
    answer = client.post(page_of(own), {**content, "nodes-0-disk_kind": "local-ssd"})

    assert answer.status_code == 302
    own.refresh_from_db()
    assert (own.cpu_model, own.disk_kind) == ("Xeon E5-2670", "local-ssd")
    assert own.document["nodes"][0]["disks"][0]["count"] == 2
    assert 'name="nodes-0-cpu_model"' not in client.get(page_of(own)).content.decode()
