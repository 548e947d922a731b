"""An account that is closed runs nothing any more."""

import pytest

from runners.models import Run
from submissions.moderation.bans import ban
from tests.factories import UserFactory


@pytest.mark.django_db
def test_a_ban_cancels_the_open_runs_of_the_account_and_no_others(make_run):
    spammers, others = make_run(), make_run()
    Run.objects.filter(pk=others.pk).update(owner=UserFactory())

    ban(spammers.owner, reason="Mining.", by=UserFactory())

    spammers.refresh_from_db()
    others.refresh_from_db()
    assert spammers.cancel_requested_at
    assert others.cancel_requested_at is None
