"""Every address of the site, asked by those who may not see a result: it leaves no trace anywhere.

A route without an example fails the test: write one, or say why it shows no results.
"""

import gzip
import io
import re
from collections import defaultdict
from itertools import product

import pyarrow.parquet as pq
import pytest
from django.test import Client
from django.urls import get_resolver
from django.utils import timezone

from submissions.dataset import write
from submissions.models import Artifact, ShortLink, Upload
from submissions.sharing.links import shorten
from tests import links_of_results
from tests.factories import ArtifactFactory, SubmissionFactory, UserFactory
from tests.pages import links
from tests.secrets_of_owners import FIRST_NUMBER, STATES, keep_secret, number_from

pytestmark = pytest.mark.django_db

PAGE = "?workload={workload}"
# By name: addresses with the values of a secret in them. What follows "{" is an attribute of `Example`.
EXAMPLES = {
    **links_of_results.EXAMPLES,
    "submissions:home": ["/", "/" + PAGE],
    "submissions:list": [
        "/submissions/",
        "/submissions/?ordering=-throughput_ops_s",
        "/submissions/" + PAGE,
        "/submissions/?service={service}",
        "/submissions/?instance_type={instance_type}",
    ],
    "submissions:new": ["/submissions/new/"],
    "submissions:preview": ["/submissions/new/{upload}/"],
    "submissions:batch": ["/submissions/new/many/{upload}/"],
    "submissions:batch-result": ["/submissions/new/many/{upload}/1/"],
    "submissions:detail": ["/submissions/{pk}/", "/submissions/{public}/"],
    "submissions:artifact": ["/submissions/{pk}/artifacts/{artifact}/", "/submissions/{public}/artifacts/{artifact}/"],
    "submissions:services": ["/services/"],
    "submissions:service": ["/services/{service}/", "/services/cassandra/"],
    "submissions:classics": ["/classics/"],
    "submissions:workloads": ["/workloads/", "/workloads/?service={service}"],
    "submissions:workload": [
        "/workloads/{workload}/",
        "/workloads/{workload}/?by=nonsense",
        "/workloads/{public_workload}/",
        "/workloads/{public_workload}/?by=submission&metric=ops_per_usd",
    ],
    "submissions:value": ["/value/", "/value/" + PAGE, "/value/?workload={public_workload}&by=instance_type"],
    "submissions:compare": [
        "/compare/",
        "/compare/?with={pk}",
        "/compare/?s={pk}&s={public}",
        "/compare/?with={public}",
    ],
    "submissions:grid": ["/compare/grid/", "/compare/grid/" + PAGE, "/compare/grid/?vary=provider"],
    "submissions:one_fact": ["/compare/fact/", "/compare/fact/" + PAGE, "/compare/fact/?fact=instance_type"],
    "submissions:history": ["/history/", "/history/?like={pk}", "/history/" + PAGE, "/history/?like={public}"],
    "submissions:databases": ["/compare/databases/", "/compare/databases/" + PAGE],
    "submissions:coverage": ["/coverage/", "/coverage/?provider=aws", "/coverage/?service=cassandra&provider=aws"],
    "submissions:scaling": ["/scaling/", "/scaling/" + PAGE, "/scaling/?workload={public_workload}"],
    "submissions:recommend": [
        "/recommend/",
        "/recommend/" + PAGE,
        "/recommend/?service=cassandra",
        "/recommend/?service=cassandra&target_ops_s=9000000",
        "/recommend/?workload={public_workload}&target_ops_s=1",
    ],
    "submissions:moved_size": ["/size/"],
    "submissions:size": [
        "/recommend/sizes/",
        "/recommend/sizes/" + PAGE,
        "/recommend/sizes/?equal_to={pk}",
        "/recommend/sizes/?workload={public_workload}&target_ops_s=9000000",
    ],
    "submissions:prices": ["/prices/", "/prices/?instance_type={instance_type}"],
    "submissions:machines": ["/machines/", "/machines/?q={instance_type}"],
    "submissions:machine": ["/machines/aws/{instance_type}/"],
    "submissions:compare_machines": ["/machines/compare/?a=aws:{instance_type}&b=aws:m3.2xlarge"],
    "api:machines": ["/api/v1/machines/", "/api/v1/machines/?q={instance_type}"],
    "api:machine": ["/api/v1/machines/aws/{instance_type}/"],
    "submissions:search": ["/search/?q=zq", "/search/?q=%23{pk}", "/search/?q={service}", "/search/?q={instance_type}"],
    "submissions:account": ["/account/"],
    "submissions:retract": ["/account/submissions/{pk}/retract/"],
    "submissions:change": ["/account/submissions/{pk}/change/"],
    "ops": ["/ops/"],
    "submissions:report": ["/submissions/{pk}/report/"],
    "submissions:moderation": ["/moderation/"],
    "submissions:moderation_queue": ["/moderation/queue/"],
    "submissions:moderation_decision": ["/moderation/submissions/{pk}/"],
    "submissions:moderation_account": ["/moderation/accounts/{owner}/"],
    "submissions:feed": ["/submissions/feed.atom"],
    "submissions:service_feed": ["/services/{service}/feed.atom", "/services/cassandra/feed.atom"],
    "submissions:list_feed": [
        "/submissions/feed/" + PAGE,
        "/submissions/feed/?service={service}",
        "/submissions/feed/",
    ],
    "submissions:history_feed": ["/history/feed.atom" + PAGE, "/history/feed.atom?like={pk}", "/history/feed.atom"],
    "submissions:level_change": ["/history/changes/{pk}/throughput_ops_s/"],
    "submissions:new_follow": ["/account/follows/new/" + PAGE, "/account/follows/new/?like={pk}"],
    "submissions:short_link": ["/s/{link}/"],
    "submissions:about_short_link": ["/s/{link}/about/"],
    "submissions:embed": [
        "/embed/{chart}/submissions/{pk}/",
        "/embed/leaderboard/workloads/{workload}/",
        "/embed/leaderboard/workloads/{public_workload}/",
        "/embed/comparison/compare/?s={pk}&s={public}",
    ],
    "submissions:chart_numbers": ["/charts/{chart}.csv/submissions/{pk}/", "/charts/{chart}.json/submissions/{pk}/"],
    "submissions:data": ["/data/"],
    "submissions:dataset_file": ["/data/{dump}"],
    "runners:list": ["/runs/", "/runs/?status=planned", "/runs/?mine=true"],
    "runners:new": [
        "/runs/new/?like={pk}",
        "/runs/new/?like={pk}&provider=other",
        "/runs/new/?again={run}",
        "/runs/new/?again={planned}",
    ],
    "runners:detail": ["/runs/{run}/", "/runs/{planned}/"],
    "runners:live": ["/runs/{run}/live/", "/runs/{planned}/live/"],
    "runners:confirm": ["/runs/{planned}/confirm/"],
    "runs_api:list": ["/api/v1/runs/", "/api/v1/runs/?mine=true"],
    "runs_api:logs": ["/api/v1/runs/{run}/logs/"],
    "runs_api:log": ["/api/v1/runs/{run}/logs/{log}/"],
    "runs_api:detail": ["/api/v1/runs/{run}/", "/api/v1/runs/{planned}/"],
    "api:submission-list": [
        "/api/v1/submissions/",
        "/api/v1/submissions/?format=csv",
        "/api/v1/submissions/" + PAGE,
        "/api/v1/submissions/?service={service}",
    ],
    "api:submission-detail": ["/api/v1/submissions/{pk}/", "/api/v1/submissions/{public}/"],
    "api:submission-report": ["/api/v1/submissions/{pk}/report/"],
    "api:moderation": ["/api/v1/moderation/", "/api/v1/moderation/?format=csv"],
    "api:trial-list": ["/api/v1/submissions/{pk}/trials/"],
    "api:host-list": ["/api/v1/submissions/{pk}/hosts/"],
    "api:age": ["/api/v1/submissions/{pk}/age/"],
    "api:bill": ["/api/v1/submissions/{pk}/bill/"],
    "api:intervals": ["/api/v1/submissions/{pk}/intervals/", "/api/v1/submissions/{pk}/intervals/?format=csv"],
    "api:artifact-list": ["/api/v1/submissions/{pk}/artifacts/"],
    "api:artifact-download": ["/api/v1/submissions/{pk}/artifacts/{artifact}/"],
    "api:upload-status": ["/api/v1/uploads/{upload}/"],
    "api:compare": ["/api/v1/compare/?a={pk}&b={public}", "/api/v1/compare/?a={public}&b={public2}"],
    "api:databases": ["/api/v1/databases/", "/api/v1/databases/" + PAGE],
    "api:coverage": ["/api/v1/coverage/", "/api/v1/coverage/?by=machine_family"],
    "api:scaling": ["/api/v1/scaling/", "/api/v1/scaling/" + PAGE],
    "api:recommend": ["/api/v1/recommend/?service=cassandra", "/api/v1/recommend/?workload={public_workload}"],
    "api:size": ["/api/v1/size/?target_ops_s=1", "/api/v1/size/?equal_to={pk}"],
    "api:grid": ["/api/v1/grid/", "/api/v1/grid/" + PAGE],
    "api:one-fact": ["/api/v1/compare/fact/", "/api/v1/compare/fact/" + PAGE],
    "api:history": ["/api/v1/history/", "/api/v1/history/?like={pk}", "/api/v1/history/" + PAGE],
    "api:leaderboard": [
        "/api/v1/leaderboard/" + PAGE,
        "/api/v1/leaderboard/?workload={public_workload}",
        "/api/v1/leaderboard/?workload={public_workload}&by=submission&format=csv",
    ],
    "api:price-list": ["/api/v1/prices/"],
    "api:search": ["/api/v1/search/?q=zq", "/api/v1/search/?q={pk}"],
    "api:value": ["/api/v1/value/", "/api/v1/value/?workload={public_workload}&format=csv"],
    "api:chart": ["/api/v1/chart/?page=/submissions/{pk}/&key={chart}", "/api/v1/chart/?page=/value/&key=groups"],
}
# Show no results, or take only what is sent; writing to a result of another account: test_leaks_by_writing.py.
WITHOUT_RESULTS = re.compile(
    r"admin:|None$|account_|mfa_|api:(follow-|index|schema|docs|console|token-|submission-(import|bulk|retract)$)"
    r"|runs_api:(estimate|cancel|submit_again|series_(estimate|cancel|again)|schedule)"
    r"|runners:(measure_here|estimate|fields|types|prepare|cancel|submit_again|clouds|remove_cloud)"
    r"|runners:(series_(cancel|again)|schedule_change)"
    r"|submissions:(follows|change_follow|unsubscribe|follow_feed|methodology|robots|create_token|revoke_|shorten$)"
    r"|submissions:(accept_invitation|close_account|privacy|security_txt|terms)$"
)


def routes(patterns=None, namespace=""):
    for pattern in patterns or get_resolver().url_patterns:
        if hasattr(pattern, "url_patterns"):
            inner = f"{namespace}{pattern.namespace}:" if pattern.namespace else namespace
            yield from routes(pattern.url_patterns, inner)
        else:
            yield f"{namespace}{pattern.name}"


@pytest.fixture
def secrets():
    public = [SubmissionFactory(trust="log_verified", node_count=nodes) for nodes in (3, 3, 6)]
    ArtifactFactory(submission=public[0])
    number_from(FIRST_NUMBER)
    return public, [keep_secret(state) for state in STATES]


def values(secret, public):
    """What the braces of the examples stand for."""
    row = secret.row
    return {
        "pk": row.pk,
        "owner": row.submitted_by_id,
        "public": public[0].pk,
        "public2": public[1].pk,
        "service": row.service,
        "workload": row.workload.fingerprint,
        "public_workload": public[0].workload.fingerprint,
        "instance_type": row.instance_type,
        "artifact": Artifact.objects.filter(submission=row).first().pk,
        "upload": _upload(row).pk,
        "link": shorten(f"/submissions/{row.pk}/").key,
        "chart": "intervals-chart",
        "run": secret.run.pk,
        "planned": (secret.planned or secret.run).pk,
        "log": secret.log.pk,
        "series": secret.series.pk,
    }


def _upload(row):
    upload = Upload.objects.create(owner=row.submitted_by, status=Upload.Status.DONE, metadata={"title": row.title})
    upload.submissions.add(row)
    return upload


def addresses(secret, public):
    """Every example about this secret, dump files and all; twice the same is asked once."""
    known = values(secret, public)
    dumped = [f"latest/{table.name}{ending}" for table in write.TABLES for ending in (".parquet", ".csv.gz")]
    made = [
        template.format(**known, dump=dump)
        for templates in EXAMPLES.values()
        for template in templates
        for dump in (dumped if "{dump}" in template else [""])
    ]
    return list(dict.fromkeys(made))


def words_of(response):
    """Everything that an answer says, headers included, in small letters."""
    body = b"".join(response.streaming_content) if response.streaming else response.content
    if body[:4] == b"PAR1":
        text = str(pq.read_table(io.BytesIO(body)).to_pydict())
    else:
        text = (gzip.decompress(body) if body[:2] == b"\x1f\x8b" else body).decode(errors="replace")
    return f"{text} {response.headers}".lower()


def asked(client, address):
    response = client.get(address)
    while response.status_code == 302 and re.match(r"/data/|.*[?&]key=|.*/card\.png", response["Location"]):
        response = client.get(response["Location"])
    assert response.status_code < 500, address
    if response.streaming:  # an export that is not read to its end has one of the few places for them
        response.streaming_content = [response.getvalue()]
    return response


def traces(said, address, secret):
    """The words of the secret in an answer; the numbers that the reader sent come back, and are none."""
    said = said.replace(address.lower(), "")
    for sent in (secret.row.service, secret.row.instance_type):
        # a page that is not there offers to search for the words of its address
        said = said.replace(sent, "") if re.search(f"[=/:]{re.escape(sent)}", address) else said
    by_link = str(secret.row.pk) in address or ShortLink.objects.filter(path__contains=secret.row.pk).exists()
    numbers = [] if by_link and "/s/" in address else [n for n in secret.numbers if n not in address]
    keys = [secret.row.link_key.lower(), secret.rival.link_key.lower()] if secret.link else []
    return [word for word in (secret.word, *numbers, *keys) if word in said]


def test_every_route_has_an_example():
    names = set(routes())
    assert [name for name in sorted(names) if name not in EXAMPLES and not WITHOUT_RESULTS.match(name)] == []
    assert EXAMPLES.keys() <= names


def test_nobody_else_finds_a_trace_of_what_is_not_public(secrets):
    public, kept = secrets
    write.write_nightly(timezone.now())
    about = defaultdict(list)  # by address, the secrets that it could show: many are asked for all of them
    for secret in kept:
        owner = Client()
        owner.force_login(secret.row.submitted_by)
        for address in addresses(secret, public):
            if address not in about:
                asked(owner, address)  # so that a cache that mixes readers has something to mix
            about[address].append(secret)
    stranger = Client()
    stranger.force_login(UserFactory())
    found = set()
    for address, client in product(about, (Client(), stranger)):
        said = words_of(asked(client, address))
        found |= {
            (address, secret.state, *left) for secret in about[address] if (left := traces(said, address, secret))
        }
    assert found == set()


def test_its_owner_opens_it_and_no_cache_may_keep_the_answer(secrets):
    public, kept = secrets
    for secret in kept:
        client = Client()
        client.force_login(secret.row.submitted_by)
        known = values(secret, public)
        for template in (
            "/submissions/{pk}/",
            "/submissions/{pk}/artifacts/{artifact}/",
            "/api/v1/submissions/{pk}/",
            "/api/v1/submissions/{pk}/trials/",
            "/api/v1/submissions/{pk}/intervals/",
            "/api/v1/submissions/{pk}/artifacts/{artifact}/",
            "/compare/?s={pk}&s={public}",
            "/api/v1/compare/?a={pk}&b={public}",
            "/runs/{run}/",
            "/api/v1/runs/{run}/",
            "/api/v1/runs/{run}/logs/",
            "/api/v1/runs/{run}/logs/{log}/",
        ):
            address = template.format(**known)
            response = asked(client, address)
            assert (response.status_code, response.get("X-Robots-Tag")) == (200, "noindex"), address
            assert "no-store" in response["Cache-Control"], address
        numbers = links(asked(client, f"/submissions/{secret.row.pk}/"), "^/api/v1/chart/")
        assert bool(numbers) == bool(secret.link), secret.state  # of a chart, for whoever has the page's address


# What shows an unlisted one to whoever has its key, which is the value of {key}.
BY_LINK = (
    *links_of_results.BY_LINK,
    "/submissions/{pk}/?key={key}",
    "/submissions/{pk}/artifacts/{artifact}/?key={key}",
    "/submissions/{pk}/report/?key={key}",
    "/api/v1/submissions/{pk}/?key={key}",
    "/api/v1/submissions/{pk}/trials/?key={key}",
    "/api/v1/submissions/{pk}/intervals/?key={key}&format=csv",
    "/api/v1/submissions/{pk}/artifacts/?key={key}",
    "/api/v1/submissions/{pk}/artifacts/{artifact}/?key={key}",
    "/compare/?with={pk}&key={key}",
    "/compare/?s={pk}&s={public}&key={key}",
    "/api/v1/compare/?a={public}&b={pk}&key={key}",
    "/embed/{chart}/submissions/{pk}/?key={key}",
    "/api/v1/chart/?page=/submissions/{pk}/%3Fkey%3D{key}&key={chart}",
    "/runs/{run}/?key={key}",
    "/runs/{run}/live/?key={key}",
    "/api/v1/runs/{run}/?key={key}",
)


def test_an_unlisted_one_is_opened_by_its_link_and_by_no_other(secrets):
    public, kept = secrets
    unlisted = kept[STATES.index("unlisted")]
    known = values(unlisted, public)
    for template in BY_LINK:
        address = template.format(**known, key=unlisted.row.link_key)
        response = asked(Client(), address)
        assert (response.status_code, response.get("X-Robots-Tag")) == (200, "noindex"), address
        assert {"private", "no-store"} <= set(response["Cache-Control"].split(", ")), address
        assert response["Referrer-Policy"] == "same-origin", address
        for key in (unlisted.rival.link_key, "x" * 24, "%00", ""):
            address = template.format(**known, key=key)
            answer = asked(Client(), address)
            # a comparison is offered without it, and a chart of no page is a bad parameter
            assert answer.status_code in ((200,) if "with=" in template else (400, 404)), address
            assert unlisted.word not in words_of(answer), address


def test_each_link_of_an_unlisted_page_works_for_who_has_the_link(secrets):
    public, kept = secrets
    unlisted = kept[STATES.index("unlisted")]
    own = rf"(/|%2F)(submissions|runs)(/|%2F)({unlisted.row.pk}|{unlisted.run.pk})(/|%2F)|={unlisted.row.pk}\b"
    reader = Client()
    for address in (
        unlisted.row.get_absolute_url(),
        f"/compare/?s={unlisted.row.pk}&s={public[0].pk}&key={unlisted.row.link_key}",
    ):
        found = links(reader.get(address), own)
        assert found, address
        for link in found:
            response = asked(reader, link.partition("#")[0])
            assert response.status_code == 200, link
            assert response.get("X-Robots-Tag") == "noindex", link


def test_a_short_link_of_an_unlisted_one_is_as_hard_to_guess_as_its_key(secrets):
    _, kept = secrets
    unlisted = kept[STATES.index("unlisted")]

    assert len(shorten(unlisted.row.get_absolute_url()).key) >= 26


def test_counts_and_totals_are_those_of_public_results(secrets):
    public, _ = secrets
    assert len(Client().get("/api/v1/submissions/").json()["results"]) == len(public)
    board = Client().get(f"/api/v1/leaderboard/?workload={public[0].workload.fingerprint}").json()
    assert sum(group["submissions"] for group in board["groups"]) == len(public)
