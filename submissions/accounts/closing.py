"""Closing an account: its public results stay without a name, everything personal is erased."""

from allauth.account.models import EmailAddress
from allauth.mfa.models import Authenticator
from django.contrib.auth.models import User
from django.db import transaction
from django.dispatch import Signal

from benchsite.http.refusals import Refusal
from submissions.choices import Visibility
from submissions.ingest import uploads
from submissions.ingest.checks import quota
from submissions.models import (
    Acknowledgement,
    ApiToken,
    ChangeComment,
    Follow,
    Invitation,
    ShortLink,
    Submission,
    SubmissionQuerySet,
    Upload,
    is_public,
)

CLOSED_NAME = "deleted-{}"  # with the number of the account: its results are still seen to be of one account
# Sent in the transaction, with `user`, before anything is erased; a receiver that objects raises Refusal.
account_closing = Signal()


@transaction.atomic
def close(user: User) -> None:
    """Raises Refusal, and then nothing has changed."""
    quota.lock(user)  # before the row of the account, as whoever stores something
    user = User.objects.select_for_update().get(pk=user.pk)
    others = User.objects.filter(is_superuser=True, is_active=True).exclude(pk=user.pk)
    if user.is_superuser and not others.exists():
        raise Refusal.at("#", "You are the only administrator: appoint another one first.")
    account_closing.send(sender=User, user=user)
    for upload in Upload.objects.filter(owner=user):
        uploads.forget(upload)
    private_submissions(user).delete()  # their files go like all to which no row points
    _erase_personal(user)


def private_submissions(user: User) -> SubmissionQuerySet:
    """Those that nobody else could open: private ones, and those whose embargo is not over."""
    own = Submission.objects.filter(submitted_by=user.pk)
    return own.exclude(is_public()).exclude(visibility=Visibility.UNLISTED, embargo_until=None)


def _erase_personal(user: User) -> None:
    for own in (Follow.objects, Acknowledgement.objects, ChangeComment.objects):
        own.filter(user=user).delete()
    for model in (ApiToken, EmailAddress, Authenticator):
        model.objects.filter(user=user.pk).delete()
    ShortLink.objects.filter(created_by=user).update(created_by=None)
    Invitation.objects.filter(used_by=user).update(email="", note="")
    user.groups.clear()
    user.user_permissions.clear()
    user.username = CLOSED_NAME.format(user.pk)
    user.email = user.first_name = user.last_name = ""
    user.is_active = user.is_staff = user.is_superuser = False
    user.last_login = None
    user.set_unusable_password()
    user.save()
