"""The site speaks plain, idiomatic English: what its first readers stumbled over stands nowhere any more."""

from pathlib import Path

import pytest

from tests.factories import SubmissionFactory, UserFactory
from tests.pages import text
from tests.read_only import pages

ROOT = Path(__file__).resolve().parents[1]

OLD = """\
Not told
>Together<
How the numbers are made
too few trials to tell it from
lead within noise
these cannot be told apart
million operations per dollar
at the prices then
prices then
Day of the prices
Bought as
"as it was"
what most know
Trust at least
Those with a flag that puts the rate itself in doubt
None has a known price
rate beyond doubt
Clusters that no cheaper one beats
Most throughput for the money
See the unpriced
See the flagged
How far to trust it
The only submission of this workload
How many nodes of others do as much
the cluster cost is unknown, measured once
has only a relative figure
>While it ran
Lay another run over it
The source has only summaries
Price it again
Disks of a node
Threads of one client
Bytes of one column
Source address
>In words
Give us the log
This was refused
What was understood
A fact that the log tells
there will be no figure per dollar
Set the limits
Numbers of submissions
fewer operations a second
more trials of each would tell
equally fast as far as these trials can tell
Take it with you
Compare others
Virtual against native
Say how many operations a second you need
Known only in relation to each other
whose throughput is to be reached
Size against it
Nothing else was measured that could stand for
no loss that grows with the square
each node 105
Straight line?
Whoever keeps this site
One row a submission
Look at it once more
Whatever it does then, its machines go
Rows written first
Spend at most
tell how much is noise
Some fields do not fit
Do not start it
Ended because
>Placed
Measured so far
Done: what was measured
>0 left
>It may
Make a token
Tokens of the API
can stand in an account of your own
takes accounts of its users
There is nothing at this address
E-mail
e-mail
Sign Up
Sign Out
million ops/USD
""".splitlines()

# what pages are made of; openapi.json is what the API says of itself
SOURCES = [
    *sorted((ROOT / "templates").rglob("*.html")),
    *sorted((ROOT / "static/js").glob("*.js")),
    *(
        path
        for package in ("submissions", "runners", "benchsite")
        for path in sorted((ROOT / package).rglob("*.py"))
        if "migrations" not in path.parts
    ),
    ROOT / "docs/openapi.json",
]

ACCOUNT = ("/account/login/", "/account/signup/", "/account/password/reset/", "/account/password/reset/done/")
OWN = ("/account/", "/account/logout/", "/account/2fa/", "/account/clouds/", "/submissions/new/", "/runs/new/")


def test_no_old_phrase_is_in_a_template_or_in_the_code():
    found = []
    for path in SOURCES:
        content = path.read_text()
        found += [f"{path.relative_to(ROOT)}: {phrase}" for phrase in OLD if phrase in content]

    assert found == []


@pytest.mark.django_db
def test_no_page_says_it_with_data_or_without(client, settings):
    settings.SIGNUP = "open"
    empty = ("/", "/submissions/", "/services/", "/workloads/", "/value/", "/compare/", "/runs/", "/nothing-here/")
    said = {f"{path} (empty)": client.get(path) for path in (*empty, *ACCOUNT)}
    one, other = SubmissionFactory(), SubmissionFactory(throughput_ops_s=1000.0)
    said |= {path: client.get(path, follow=True) for _, path in pages([other.pk, one.pk], one.workload.fingerprint)}
    client.force_login(UserFactory())
    said |= {path: client.get(path, follow=True) for path in OWN}

    words = {
        path: text(response)
        for path, response in said.items()
        if response.headers["Content-Type"].startswith("text/html") and b"<main" in response.content
    }
    # an element's whole text has been looked for in the templates
    phrases = [phrase.strip('>"<') for phrase in OLD if not phrase.startswith((">", '"'))]
    assert len(words) > 30
    assert [f"{path}: {phrase}" for path, shown in words.items() for phrase in phrases if phrase in shown] == []
