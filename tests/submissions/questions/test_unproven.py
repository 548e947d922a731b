"""Nothing unproven leads: boards take results with a raw log, and name what they leave out."""

import re
from decimal import Decimal

import pytest
from django.urls import reverse

from submissions.choices import Flag, Trust
from submissions.ingest.pipeline import prepare_document
from submissions.ingest.store.store import store
from submissions.models import Submission, Workload
from tests.documents import document
from tests.factories import SubmissionFactory, UserFactory, VerifiedUserFactory, WorkloadFactory, bearer
from tests.pages import text
from tests.price_book import in_price_book
from tests.submissions.logs import QUORUM, form, log

PLAIN = {"trials/0/operations": None, "trials/0/duration_s": None}  # nothing to flag

pytestmark = pytest.mark.django_db


def honest(count, rate, day=1, jdk="8u51"):
    """A result with a log, of an account of its own, at the list price."""
    changes = {
        "nodes/0/count": count,
        "jdk/version": jdk,
        "measured_at": f"2015-09-{day:02}T12:00:00Z",
        "trials/0/throughput_ops_s": rate,
        **PLAIN,
    }
    prepared = prepare_document(document(changes), trust=Trust.LOG_VERIFIED)
    return store(prepared, submitted_by=VerifiedUserFactory()).submission


def posted(client, changes):
    """By the API, of an account whose results wait for no moderator."""
    response = client.post(
        reverse("api:submission-list"),
        document({**PLAIN, **changes}),
        content_type="application/json",
        **bearer(VerifiedUserFactory()),
    )
    assert response.status_code == 201, response.content
    return Submission.objects.get(pk=response.json()["id"])


@pytest.fixture
def known():
    """A workload with something to show on each board."""
    rows = [honest(3, 90_000, day=day) for day in (1, 2, 3)]
    rows += [honest(6, 170_000), honest(3, 95_000, jdk="8u60")]
    in_price_book()
    return rows


def boards(fingerprint, trust=""):
    """Every address that ranks, charts or finds: pages without their lists of newest results, and the API."""
    query = f"workload={fingerprint}&trust={trust}" if trust else f"workload={fingerprint}"
    pages = [
        f"/?{query}" if not trust else f"/value/?{query}",
        *(f"/value/?{query}&by={by}" for by in ("provider", "instance_type", "jdk")),
        *(f"/workloads/{fingerprint}/?metric={metric}&trust={trust}" for metric in ("throughput_ops_s", "ops_per_usd")),
        f"/scaling/?{query}",
        f"/recommend/sizes/?{query}&target_ops_s=100000",
        f"/history/?{query}",
        f"/compare/grid/?{query}&vary=jdk",
        "/services/cassandra/",
    ]
    api = [
        f"/api/v1/value/?{query}",
        f"/api/v1/leaderboard/?{query}&by=submission",
        f"/api/v1/leaderboard/?{query}&by=submission&metric=ops_per_usd",
        f"/api/v1/leaderboard/?{query}&by=submission&metric=latency_p99_ms",
        f"/api/v1/scaling/?{query}",
        f"/api/v1/size/?{query}&target_ops_s=100000",
        f"/api/v1/history/?{query}",
        f"/api/v1/grid/?{query}&vary=jdk",
        f"/api/v1/chart/?page=/value/%3F{query.replace('&', '%26')}&key=pareto",
        f"/embed/pareto/value/?{query}",
    ]
    return pages + api


def shown_on(client, address):
    """The submissions that an answer names, but for the list of newest ones."""
    response = client.get(address)
    assert response.status_code == 200, (address, response.content)
    body = response.content.decode().partition("Newest results")[0]
    if "/api/" in address:
        found = re.findall(r'"(?:submission|best_submission|newest_submission)":(\d+)|/submissions/(\d+)/', body)
        found += [(pk, "") for pks in re.findall(r'_submissions":\[([\d,]*)\]', body) for pk in pks.split(",") if pk]
    else:
        found = re.findall(r"/submissions/(\d+)/|\ssubmission/(\d+)", body)
    return {int(one or other) for one, other in found}


@pytest.mark.parametrize("trust", ["", "uploaded"])
def test_one_document_with_an_absurd_rate_and_price_is_on_no_board(client, known, trust):
    absurd = posted(
        client, {"trials/0/throughput_ops_s": 9_999_999_999, "nodes/0/hourly_usd": "0.0001", "jdk/version": "8u99"}
    )

    assert {Flag.RATE_IMPLAUSIBLE, Flag.STATED_PRICE_OFF} <= set(absurd.flags)
    for address in boards(known[0].workload.fingerprint, trust):
        assert absurd.pk not in shown_on(client, address), address


def test_numbers_without_a_log_lead_nothing_until_a_reader_asks_for_them(client, known):
    uploaded = posted(client, {"trials/0/throughput_ops_s": 400_000})
    fingerprint = uploaded.workload.fingerprint

    assert uploaded.flags == []
    for address in boards(fingerprint):
        assert uploaded.pk not in shown_on(client, address), address
    leader = client.get(f"/api/v1/leaderboard/?workload={fingerprint}&by=submission&trust=uploaded").json()["groups"][0]
    assert (leader["submission"], leader["trust"]) == (uploaded.pk, "uploaded")
    assert uploaded.pk in [row["id"] for row in client.get("/api/v1/submissions/").json()["results"]]


def test_a_chip_says_how_many_are_left_out_and_leads_to_them(client, known):
    fingerprint = posted(client, {"trials/0/throughput_ops_s": 400_000}).workload.fingerprint

    for address in (f"/?workload={fingerprint}", f"/value/?workload={fingerprint}", f"/workloads/{fingerprint}/"):
        page = client.get(address)
        assert "1 uploaded result without a log is left out." in text(page), address
        assert "trust=uploaded" in page.content.decode()
    answer = client.get(f"/api/v1/value/?workload={fingerprint}").json()
    assert (answer["shelf"], answer["uploaded_left_out"]) == ("log_verified", 1)


def test_two_fresh_accounts_with_edited_logs_lead_nothing_and_reproduce_nothing(client):
    for seconds in (26, 27, 29):  # honest accounts, whose best is about 1,100 op/s
        imported(client, seconds, VerifiedUserFactory())
    fresh = [imported(client, seconds, UserFactory()) for seconds in (1, 2)]

    in_price_book()
    for row in fresh:
        row.refresh_from_db()
        assert row.trust == "log_verified"
        assert Flag.RATE_IMPLAUSIBLE in row.flags
        for address in boards(row.workload.fingerprint):
            assert row.pk not in shown_on(client, address), address


def test_two_fresh_accounts_whose_edited_logs_agree_lead_nothing(client):
    for seconds in (28, 30, 32):
        imported(client, seconds, VerifiedUserFactory(), trials=3)
    fresh = [imported(client, 24, UserFactory(), trials=3, faster_by=number * 3) for number in (0, 1)]

    in_price_book()
    for row in fresh:
        for address in boards(row.workload.fingerprint):
            assert row.pk not in shown_on(client, address), address


def imported(client, seconds, user, *, trials=2, faster_by=0):
    """The real log with other figures, as often as the account has trials."""
    raw = QUORUM.read_text()
    logs = []
    for trial in range(trials):
        rate = round(28 / seconds * 1069) + trial + faster_by
        edited = raw.replace("00:00:28", f"00:00:{seconds:02}").replace("1,069 op/s", f"{rate:,} op/s")
        logs.append(log(edited.encode(), f"stress-{trial}.log"))
    response = client.post(reverse("api:submission-import"), form(*logs), **bearer(user))
    assert response.status_code == 201, response.content
    return Submission.objects.get(pk=response.json()["submissions"][0]["id"])


def test_historical_results_are_shown_and_named_where_a_workload_has_nothing_else(client):
    article = SubmissionFactory(trust=Trust.HISTORICAL, submitted_by=None)
    fingerprint = article.workload.fingerprint
    in_price_book()

    for address in ("/", "/value/", f"/workloads/{fingerprint}/"):
        page = client.get(address)
        assert article.pk in shown_on(client, address)
        assert "Historical: no result of this workload has a raw log" in text(page)
    assert client.get(f"/api/v1/leaderboard/?workload={fingerprint}").json()["shelf"] == "historical"


@pytest.mark.parametrize("address", ["/value/", "/scaling/", "/history/", "/compare/fact/", ""])
def test_the_selector_shows_the_trust_level_that_the_page_uses(client, address):
    articles = [
        SubmissionFactory(trust=Trust.HISTORICAL, hourly_usd=Decimal(1), node_count=3, jdk_version=version)
        for version in ("17", "17", "21")
    ]
    SubmissionFactory(trust=Trust.HISTORICAL, hourly_usd=Decimal(1), node_count=6, jdk_version="17")
    here = address or reverse("submissions:workload", args=[articles[0].workload.fingerprint])
    params = {"fact": "jdk"} if "fact" in here else {}

    shown = client.get(here, params).content.decode()
    assert '<option value="">historical: nothing here has a raw log</option>' in shown

    SubmissionFactory(hourly_usd=Decimal(1))
    SubmissionFactory(hourly_usd=Decimal(1), jdk_version="22")
    SubmissionFactory(hourly_usd=Decimal(1), node_count=6)
    shown = client.get(here, params).content.decode()
    assert '<option value="">log verified or higher</option>' in shown


def test_a_result_with_a_log_takes_the_place_of_historical_ones_which_keep_a_filter(client):
    article = SubmissionFactory(trust=Trust.HISTORICAL, throughput_ops_s=500_000.0, submitted_by=None)
    measured = SubmissionFactory()
    address = f"/workloads/{article.workload.fingerprint}/"

    assert shown_on(client, address) == {measured.pk}
    assert "1 historical result from articles on a separate board." in text(client.get(address))
    assert shown_on(client, f"{address}?trust=historical") == {article.pk}


def test_a_result_that_awaits_a_moderator_takes_no_place_of_historical_ones(client, settings):
    article = SubmissionFactory(trust=Trust.HISTORICAL, submitted_by=None)
    waiting = SubmissionFactory(unranked_at="2026-01-01T00:00:00Z")
    page = client.get(f"/workloads/{article.workload.fingerprint}/")

    assert f"/submissions/{waiting.pk}/" not in page.content.decode()
    assert article.pk in shown_on(client, f"/workloads/{article.workload.fingerprint}/")
    assert "1 awaiting a moderator" in text(page)


def test_a_page_with_nothing_proven_says_how_to_see_the_uploads(client):
    SubmissionFactory(trust=Trust.UPLOADED)
    in_price_book()

    for address in ("/", "/value/", "/scaling/", "/recommend/sizes/", "/history/", "/compare/grid/"):
        page = client.get(address)
        assert "1 uploaded result without a log is left out." in text(page), address
        assert re.search(r'href="[^"]*\?trust=uploaded"', page.content.decode()), address
    assert "#" in text(client.get("/value/?trust=uploaded"))


def test_a_stated_price_that_is_off_leaves_the_boards_of_money_alone(client):
    off = SubmissionFactory(flags=[Flag.STATED_PRICE_OFF], ops_per_usd=Decimal(10**12))
    fair = SubmissionFactory(instance_type="i2.xlarge")
    fingerprint = fair.workload.fingerprint
    by_value = f"/workloads/{fingerprint}/?metric=ops_per_usd"
    in_price_book()

    assert shown_on(client, by_value) == {fair.pk}
    assert "1 with a stated price far from the list price" in text(client.get(by_value))
    assert shown_on(client, f"/workloads/{fingerprint}/") == {fair.pk, off.pk}
    for address in ("/", "/value/", f"/value/?prices=today&workload={fingerprint}", "/services/cassandra/"):
        assert off.pk not in shown_on(client, address), address
    assert off.pk not in shown_on(client, f"/api/v1/size/?workload={fingerprint}&target_ops_s=1000")


def test_a_price_without_storage_leads_no_board_of_money(client):
    bare = SubmissionFactory(flags=[Flag.WITHOUT_STORAGE], ops_per_usd=Decimal(10**12))
    whole = SubmissionFactory(instance_type="i2.xlarge")
    fingerprint = whole.workload.fingerprint
    by_value = f"/workloads/{fingerprint}/?metric=ops_per_usd"
    in_price_book()

    assert shown_on(client, by_value) == {whole.pk}
    assert "1 without storage in the price" in text(client.get(by_value))
    assert shown_on(client, f"/workloads/{fingerprint}/") == {whole.pk, bare.pk}
    for address in ("/", "/value/", f"/value/?prices=today&workload={fingerprint}"):
        assert bare.pk not in shown_on(client, address), address
    assert bare.pk not in shown_on(client, f"/api/v1/size/?workload={fingerprint}&target_ops_s=1000")
    assert "without storage" in text(client.get(f"/submissions/{bare.pk}/"))
    assert "without storage" in text(client.get("/submissions/"))


def test_an_articles_comparison_stays_where_articles_are_compared(client):
    with_disks = SubmissionFactory(trust=Trust.HISTORICAL, instance_type="m3.2xlarge")
    without = SubmissionFactory(
        trust=Trust.HISTORICAL,
        workload=with_disks.workload,
        instance_type="n1-standard-8",
        flags=[Flag.WITHOUT_STORAGE],
    )
    by_value = f"/workloads/{with_disks.workload.fingerprint}/?metric=ops_per_usd"

    assert shown_on(client, by_value) == {with_disks.pk, without.pk}


def test_noise_of_what_is_not_shown_decides_no_rank(client):
    workload = WorkloadFactory()
    for rate in (10.0, 1e5, 1e9):
        SubmissionFactory(trust=Trust.UPLOADED, workload=workload, throughput_ops_s=rate, instance_type="noisy")
    for number in range(2):
        SubmissionFactory(workload=workload, instance_type=f"t{number}")

    groups = client.get(f"/api/v1/leaderboard/?workload={workload.fingerprint}").json()["groups"]

    assert (groups[1]["verdict"], groups[1]["noise_from"]) == ("within_noise", "clouds")
    assert Workload.objects.count() == 1
