"""Every page, at both widths and in both colour schemes: accessible, quiet, no wider than the screen."""

import re

import pytest

from tests.e2e.steps import LOOKS, NARROW, explore_charts, faults, press, sign_up, tab_to
from tests.files import stress_log

KILLED = 6  # of the runs of a series
ACCOUNT_PAGES = ("/account/", "/account/2fa/", "/account/reauthenticate/", "/account/close/")


def open_pages(aws, gce, curves):
    """Addresses that anyone can open."""
    workload = aws.workload.fingerprint
    at_limit = f"workload={curves[0].workload.fingerprint}&trust=uploaded&max_p99_ms=10"
    return [
        "/",
        "/submissions/",
        "/submissions/?provider=gce&ordering=-ops_per_usd",
        "/submissions/?service=nothing",
        f"/submissions/{aws.pk}/",
        "/submissions/new/",
        "/value/",
        f"/value/?workload={workload}&by=instance_type&max_p99_ms=10",
        f"/value/?workload={workload}&max_p99_ms=0.001",
        f"/value/?workload={workload}&prices=on&prices_on=2016-01-01&basis=reserved_1y",
        "/workloads/",
        f"/workloads/{workload}/",
        f"/workloads/{workload}/?by=submission&metric=ops_per_usd",
        f"/workloads/{workload}/?metric=latency_p99_ms",
        "/compare/",
        f"/compare/?with={aws.pk}",
        f"/compare/?s={aws.pk}&s={gce.pk}",
        "/scaling/",
        "/compare/databases/",
        "/coverage/",
        "/coverage/?provider=aws",
        "/coverage/?service=cassandra&work=writes&provider=aws&machine_family=m3",
        "/coverage/?service=cassandra&work=reads&provider=azure&machine_family=Dsv5",
        f"/scaling/?workload={workload}",
        "/recommend/?service=cassandra&target_ops_s=90000&max_p99_ms=100",
        "/recommend/?service=cassandra&target_ops_s=150000&provider=aws",
        "/recommend/?service=cassandra&target_ops_s=90000&data_gib=100&zones=3&backup=on",
        "/recommend/?service=cassandra&target_ops_s=20k-90k&data_gib=1GiB-5GiB&zones=3&discount=aws:25&currency=EUR",
        "/recommend/?service=cassandra&target_ops_s=90000&data_gib=5+TB",
        "/recommend/sizes/",
        f"/recommend/sizes/?workload={workload}&target_ops_s=300000&zones=3",
        f"/recommend/sizes/?equal_to={aws.pk}",
        "/compare/grid/",
        "/compare/fact/?trust=historical",
        "/compare/grid/?vary=provider",
        "/compare/grid/?vary=jdk",
        "/history/",
        f"/history/?workload={workload}",
        "/services/",
        "/services/cassandra/",
        "/prices/",
        "/prices/?provider=aws&instance_type=m3.2xlarge",
        "/prices/?provider=gce&q=n1-&discount=gce:10&currency=EUR",
        "/prices/?provider=aws&region=us-east-1&ordering=-monthly_usd",
        "/machines/",
        f"/machines/{aws.provider}/{aws.instance_type}/",
        f"/machines/compare/?a={aws.provider}:{aws.instance_type}&b={gce.provider}:{gce.instance_type}",
        "/runs/?status=failed&provider=aws",
        "/runs/new/",
        "/series/",
        "/series/new/",
        f"/submissions/{curves[0].pk}/",
        f"/value/?{at_limit}",
        f"/workloads/{curves[0].workload.fingerprint}/?trust=uploaded&max_p99_ms=10",
        f"/scaling/?{at_limit}",
        f"/compare/?s={curves[0].pk}&s={curves[1].pk}&max_p99_ms=10",
        "/recommend/?service=cassandra&trust=uploaded&max_p99_ms=10",
        "/about/methodology/",
        "/data/",
        "/moderation/",
        f"/submissions/{aws.pk}/report/",
        "/terms/",
        "/privacy/",
        "/account/login/",
        "/account/signup/",
        "/account/password/reset/",
    ]


@pytest.mark.parametrize(("width", "scheme"), LOOKS)
def test_every_open_page_is_accessible_and_fits(open_browser, violations, aws_and_gce, width, scheme):
    from tests.load_curves import LOADS, curve

    curves = curve(), curve([(threads, 0.9 * rate, p99) for threads, rate, p99 in LOADS], {"provider": "gce"})
    with open_browser(width=width, scheme=scheme) as (page, complaints):
        found = [fault for path in open_pages(*aws_and_gce, curves) for fault in faults(page, violations, path)]

    assert found == []
    assert complaints == []


@pytest.fixture
def moderator_cookie(live_server, client):
    """The session of a moderator who is an operator too."""
    from tests.factories import UserFactory

    client.force_login(UserFactory(username="grace", is_staff=True, is_superuser=True))
    return {"name": "sessionid", "value": client.cookies["sessionid"].value, "url": live_server.url}


@pytest.mark.parametrize(("width", "scheme"), LOOKS)
def test_the_pages_of_moderators_and_operators_are_accessible_and_fit(
    open_browser, violations, published, moderator_cookie, width, scheme
):
    from submissions.choices import Outcome
    from submissions.models import Report
    from submissions.moderation.decisions import decide
    from tests.factories import SubmissionFactory

    # long numbers, as of a site that is years old: their links are the widest
    reported, flagged = SubmissionFactory(pk=87_654_098), SubmissionFactory(pk=87_654_099, flags=["rate_implausible"])
    Report.objects.create(submission=reported, reason="wrong_facts", text="It ran on i3.2xlarge.\nSee its log.")
    decide(flagged, Outcome.UNRANKED, reason="More than ten times what any other cluster reached.", by=None)
    SubmissionFactory(pk=87_654_100, unranked_until="2999-01-01T00:00:00Z")
    paths = (
        "/moderation/",
        "/moderation/queue/",
        f"/moderation/submissions/{reported.pk}/",
        f"/moderation/accounts/{flagged.submitted_by_id}/",
        f"/submissions/{flagged.pk}/",
        "/ops/",
    )
    with open_browser(width=width, scheme=scheme, cookies=[moderator_cookie]) as (page, complaints):
        found = [fault for path in paths for fault in faults(page, violations, path)]

    assert found == []
    assert complaints == []


def test_the_filters_of_a_narrow_list_are_accessible_once_shown(open_browser, violations, published):
    with open_browser(width=NARROW) as (page, complaints):
        page.goto("/submissions/")
        page.get_by_label("Show the filters").check()
        found = faults(page, violations)

    assert found == []
    assert complaints == []


@pytest.mark.parametrize(("width", "scheme"), LOOKS)
def test_the_pages_of_an_account_are_accessible_and_fit(open_browser, violations, published, width, scheme):
    with open_browser(width=width, scheme=scheme) as (page, complaints):
        sign_up(page)
        page.goto("/submissions/new/")
        page.get_by_label("Log files").set_input_files(stress_log("cs50-10-3node"))
        press(page, "Upload")
        page.wait_for_url("**/submissions/new/*-*/")
        preview = page.url
        found = [
            fault
            for path in (*ACCOUNT_PAGES, "/submissions/new/", preview, "/account/logout/")
            for fault in faults(page, violations, path)
        ]
        page.goto(preview)
        press(page, "Check again")
        found += faults(page, violations)
        page.get_by_label("Database", exact=True).fill("cassandra")
        page.get_by_label("Provider").fill("aws")
        page.get_by_label("Instance type").first.fill("m5.xlarge")
        press(page, "Check again")
        found += faults(page, violations)
        press(page, "Publish")
        page.wait_for_url("**/published/")
        found += faults(page, violations)
        page.get_by_role("region", name="Results").get_by_role("link", name=re.compile("^#")).click()
        page.wait_for_url(re.compile(r"/submissions/\d+/$"))
        found += faults(page, violations)
        page.get_by_role("link", name="Change visibility").click()
        found += faults(page, violations)
        page.get_by_label("Visibility").select_option("private")
        press(page, "Save")
        page.wait_for_url(re.compile(r"/submissions/\d+/$"))
        found += faults(page, violations)

    assert found == []
    assert complaints == []


@pytest.fixture
def partial_series(published, monkeypatch, settings):
    """Two garbage collectors and two column sizes, three times: a load was killed, and that cell has no result yet."""
    from runners.providers.fake import FakeJob
    from tests.runners.fake_runs import prepare_cloud, record_prices
    from tests.runners.series.orders import drive_series, stored

    cloud = prepare_cloud(monkeypatch, settings)
    record_prices()
    settings.RUNS_NEED_PERMISSION = False
    collectors = {"field": "settings.jvm_options", "values": [None, ["-XX:-UseG1GC", "-XX:+UseParallelGC"]]}
    sizes = {"field": "workload.value_bytes", "values": [34, 400]}
    printed = stress_log("cs40a2-03-netns").read_bytes()

    def log(number):
        """No two runs print the same."""
        return FakeJob(printed.replace(b"236.8 ms", f"{230 + number % 12}.{number % 10} ms".encode()))

    def before_each_run(number):
        cloud.plan["trial-0"] = FakeJob(printed, exit_status=137) if number == KILLED else log(number)

    def drive(series):
        return drive_series(series, before_each_run=before_each_run)

    return drive(stored(vary=[collectors, sizes], repetitions=3)), drive


def test_the_report_of_a_series_is_accessible_and_fits_and_a_killed_cell_runs_again_by_keyboard(
    open_browser, violations, partial_series, live_server, client
):
    series, drive = partial_series
    address = series.get_absolute_url()
    client.force_login(series.owner)
    cookie = {"name": "sessionid", "value": client.cookies["sessionid"].value, "url": live_server.url}
    (width, scheme), (other_width, other_scheme) = LOOKS
    with (
        open_browser(width=width, scheme=scheme, cookies=[cookie]) as (page, complaints),
        open_browser(width=other_width, scheme=other_scheme, cookies=[cookie]) as (narrow, complaints_of_narrow),
    ):
        found = faults(page, violations, address) + faults(narrow, violations, address)
        assert "1 run ended without a result" in page.locator("#live").inner_text()
        tab_to(page, "button", "Run the missing ones again")
        with page.expect_navigation():
            page.keyboard.press("Enter")
        found += faults(page, violations)  # live: it waits for its run
        found += faults(narrow, violations, address)
        drive(series)
        found += faults(page, violations, address) + faults(narrow, violations, address)
        assert "Succeeded: 12 of 12 runs have ended" in page.locator("#live").inner_text()
        assert "13 runs ended" in page.locator("#live").inner_text()
        for each in (page, narrow):
            explore_charts(each)
            tab_to(each, "select[name=against]")
            each.keyboard.press("End")
            tab_to(each, "button", "Show")
            with each.expect_navigation():
                each.keyboard.press("Enter")
            found += faults(each, violations)
            assert "against=4" in each.url

    assert (found, complaints, complaints_of_narrow) == ([], [], [])


WRONG_PAGES = (
    *("/nothing-here/", "/compare/?s=x", "/value/?by=colour", "/workloads/?page=0", "/submissions/?ordering=x"),
    *("/machines/aws/m3.2xlarge9/", "/machines/?ordering=x", "/coverage/?work=x", "/prices/?min_vcpus=x"),
    *("/recommend/?service=cassandra&data_gib=5G", "/value/?discount=aws:100", "/recommend/?currency=XXX"),
)


def test_a_page_that_says_what_is_wrong_is_accessible(open_browser, violations, published):
    with open_browser() as (page, complaints):
        found = [fault for path in WRONG_PAGES for fault in faults(page, violations, path)]

    assert found == []
    # the browser itself notes the status of a page that could not be answered
    assert [line for line in complaints if "status of 40" not in line] == []
