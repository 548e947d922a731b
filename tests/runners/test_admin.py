"""What staff see of runs and cloud accounts, and who may cancel a run."""

import pytest
from django.contrib.admin.models import LogEntry
from django.contrib.auth.models import Permission
from django.urls import reverse

from runners.models import CloudAccess
from tests.factories import UserFactory

pytestmark = pytest.mark.django_db
RUNS = "/admin/runners/run/"


def staff(*permissions):
    user = UserFactory(is_staff=True)
    user.user_permissions.set(Permission.objects.filter(codename__in=permissions, content_type__app_label="runners"))
    return user


def cancel(client, *runs):
    return client.post(RUNS, {"action": "cancel_selected", "_selected_action": [run.pk for run in runs]})


def test_staff_with_the_permission_cancel_runs_and_it_is_written_down(make_run, drive, client):
    user = staff("view_run", "change_run")
    client.force_login(user)
    ended, run = drive(make_run()), make_run()
    cancel(client, run, ended)

    assert drive(run).status == "cancelled"
    ended.refresh_from_db()
    assert (ended.status, ended.cancel_requested_at) == ("succeeded", None)
    [entry] = LogEntry.objects.all()
    assert (entry.user, entry.object_id, entry.get_change_message()) == (user, str(run.pk), "Cancelled.")


def test_staff_who_may_only_look_cancel_nothing(make_run, client):
    client.force_login(staff("view_run"))
    run = make_run()
    cancel(client, run)
    on_the_page = client.post(reverse("runners:cancel", args=[run.pk]))

    run.refresh_from_db()
    assert run.cancel_requested_at is None
    assert on_the_page.status_code == 403
    assert "Runs" in client.get(RUNS).content.decode()


def test_staff_with_the_permission_cancel_on_the_page_of_the_run_and_in_the_api(make_run, client):
    client.force_login(staff("change_run"))
    first, second = make_run(), make_run()

    assert "Cancel the run" in client.get(first.get_absolute_url()).content.decode()
    assert client.post(reverse("runners:cancel", args=[first.pk])).status_code == 302
    assert client.post(f"/api/v1/runs/{second.pk}/cancel/").status_code == 202
    for run in (first, second):
        run.refresh_from_db()
        assert run.cancel_requested_at is not None


def test_the_admin_shows_a_run_without_its_keys_and_changes_nothing(make_run, drive, admin_client):
    run = drive(make_run(), "bootstrapping")
    run.notify_url = "https://hooks.example.org/a-secret-path"
    run.save()
    page = admin_client.get(f"{RUNS}{run.pk}/change/").content.decode()

    assert run.tag in page
    assert "db-0" in page
    assert "a-secret-path" not in page
    assert "ssh_key" not in page
    assert admin_client.post(f"{RUNS}{run.pk}/change/", {"status": "succeeded"}).status_code == 403
    assert admin_client.get(f"{RUNS}add/").status_code == 403
    assert admin_client.get(f"{RUNS}{run.pk}/delete/").status_code == 403


def test_the_admin_lists_the_cloud_accounts_of_users(admin_client):
    access = CloudAccess.objects.create(
        owner=UserFactory(username="bob"), provider="aws", principal="arn:aws:iam::1:role/x", external_id="between-us"
    )
    page = admin_client.get("/admin/runners/cloudaccess/").content.decode()
    detail = admin_client.get(f"/admin/runners/cloudaccess/{access.pk}/change/").content.decode()

    assert "arn:aws:iam::1:role/x" in page
    assert "bob" in detail
    assert "between-us" not in detail
