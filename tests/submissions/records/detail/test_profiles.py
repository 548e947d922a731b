"""CPU profiles on the page of a result."""

import pytest

from submissions.choices import ArtifactKind
from submissions.records.detail.profiles import profiles_of
from tests.factories import ArtifactFactory, SubmissionFactory
from tests.pages import HOSTILE, faults, text

pytestmark = pytest.mark.django_db
STACKS = (
    b"java/lang/Thread.run;org/apache/cassandra/db/Keyspace.apply 75\njava/lang/Thread.run;"
    + HOSTILE.encode()
    + b" 25\n"
)


def test_the_page_has_a_flame_graph_and_the_table_of_its_hottest_methods(client):
    submission = SubmissionFactory()
    ArtifactFactory(submission=submission, kind=ArtifactKind.PROFILE, name="profile-db-0.collapsed", content=STACKS)

    response = client.get(submission.get_absolute_url())
    page = text(response)

    assert "Most CPU time was spent in db.Keyspace.apply itself: 75 % of 100 samples." in page
    assert 'id="profile-0' in response.content.decode()
    assert faults(response) == []


def test_a_file_that_is_no_profile_or_whose_bytes_are_gone_is_left_out():
    submission = SubmissionFactory()
    for number, content in enumerate((b"", b"Profiling started\n")):
        ArtifactFactory(submission=submission, kind=ArtifactKind.PROFILE, name=f"{number}.collapsed", content=content)

    assert profiles_of(submission.artifacts.all()) == ()
