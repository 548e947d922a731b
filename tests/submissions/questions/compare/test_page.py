"""The compare page: the published pair to the digit, what differs, and every bad ?s answered."""

from decimal import Decimal

import pytest
from django.utils import timezone

from submissions.choices import LatencyKind, Visibility
from submissions.models import new_link_key
from submissions.questions.compare.query import LatencyCell
from tests.factories import SubmissionFactory, TrialFactory, UserFactory, WorkloadFactory
from tests.pages import links
from tests.pages import text as words_of

pytestmark = pytest.mark.django_db

URL = "/compare/"


@pytest.fixture
def pair():
    """The two best of the article: AWS at 3 x $0.532, GCE at 3 x $0.304."""
    aws = SubmissionFactory(throughput_ops_s=90748.0, hourly_usd=Decimal("1.596"))
    gce = SubmissionFactory(
        provider="gce",
        region="us-central1",
        instance_type="n1-standard-8",
        throughput_ops_s=111394.0,
        hourly_usd=Decimal("0.912"),
        latency_p99_ms=3.0,
    )
    return aws, gce


def page(client, *ids):
    return client.get(URL, {"s": ids})


def of_its_owner(client, visibility):
    """A result of the account that is signed in."""
    owner = UserFactory()
    client.force_login(owner)
    key = new_link_key() if visibility == Visibility.UNLISTED else None
    return SubmissionFactory(submitted_by=owner, visibility=visibility, link_key=key, published_at=None)


def text(response):
    return " ".join(response.content.decode().split())


def test_the_published_pair_shows_its_ratios_and_the_noise_that_they_are_judged_by(client, pair):
    aws, gce = pair

    response = page(client, aws.pk, gce.pk)

    assert response.status_code == 200
    assert (
        f"#{gce.pk} (3× n1-standard-8 · Google Cloud us-central1) is 22.8 % faster than "
        f"#{aws.pk} (3× m3.2xlarge · AWS us-east-1) (95 % interval: 0.1 to 50.5 % faster) and delivers "
        "2.15 times as much per dollar. Assuming the usual noise of clouds, 6 % from run to run."
    ) in text(response)
    assert "+22.8 %" in text(response)
    assert "2.15 times" in text(response)
    assert "assuming the usual noise of clouds, 6 % from run to run" in text(response)


def test_what_differs_is_named_and_the_rest_is_behind_a_switch(client, pair):
    result = page(client, *[one.pk for one in pair]).context["result"]

    assert [(row.field, row.values) for row in result.differing] == [
        ("provider", ("aws", "gce")),
        ("region", ("us-east-1", "us-central1")),
        ("zones", (["us-east-1a"], ["us-central1a"])),
        ("nodes.database.instance_type", ("m3.2xlarge", "n1-standard-8")),
    ]
    assert "service.version" in [row.field for row in result.same]
    assert result.workload_differences == ()


def test_different_workloads_get_a_banner_that_names_the_fields(client, pair):
    other = SubmissionFactory(
        workload=WorkloadFactory(title="other", canonical={"service": "cassandra", "title": "other"})
    )

    response = page(client, pair[0].pk, other.pk)

    assert "These results are for different workloads.</strong> They differ in title, so" in text(response)
    assert response.context["result"].workload_differences == ("title",)
    assert response.context["charts"] == []
    assert "inconclusive" not in text(response)


def test_the_chart_leaves_out_another_workload(client, pair):
    other = SubmissionFactory(workload=WorkloadFactory(title="other"))

    response = page(client, *[one.pk for one in pair], other.pk)

    assert len(response.context["charts"][0].figure["data"][0]["x"]) == 2
    assert f"Not in the chart, because the workload differs: #{other.pk}" in text(response)


def test_each_kind_of_latency_has_its_own_table(client, pair):
    response_time = SubmissionFactory(latency_kind=LatencyKind.RESPONSE_TIME)

    response = page(client, pair[0].pk, response_time.pk)

    tables = response.context["result"].latency_tables
    assert [table.kind for table in tables] == ["service_time", "response_time"]
    p99 = {metric.label: cells for metric, cells in tables[0].rows}["p99"]
    assert p99 == (LatencyCell(4.0, None), LatencyCell(None, None))
    assert "never compared with each other" in text(response)


def test_trials_give_an_interval_and_a_verdict(client):
    slow = SubmissionFactory(trials_count=0, throughput_ops_s=1000.0)
    fast = SubmissionFactory(trials_count=0, throughput_ops_s=1500.0)
    for submission in (slow, fast):
        for index, factor in enumerate((0.99, 1.0, 1.01)):
            TrialFactory(
                submission=submission,
                index=index,
                throughput_ops_s=submission.throughput_ops_s * factor,
            )

    content = text(page(client, slow.pk, fast.pk))

    assert '<span class="good">better</span>' in content
    assert "is 50.0 % faster than" in content
    assert "in these runs" in content
    assert "assuming the usual noise of clouds" in content


def test_an_uploaders_markup_is_shown_as_text(client, pair):
    hostile = SubmissionFactory(instance_type="<script>alert(1)</script>")

    content = page(client, pair[0].pk, hostile.pk).content

    assert b"<script>alert" not in content


def test_two_numbers_in_one_field_are_two_submissions(client, pair):
    aws, gce = pair

    response = client.get(URL, {"s": f"{aws.pk}, {gce.pk}"})

    assert [side.submission for side in response.context["result"].sides] == [aws, gce]


def test_the_order_of_the_address_decides_what_is_compared_with_what(client, pair):
    aws, gce = pair

    first, second = page(client, gce.pk, aws.pk).context["result"].sides

    assert (first.submission, second.submission) == (gce, aws)
    assert second.against_first.throughput.ratio == pytest.approx(90748 / 111394)


@pytest.mark.parametrize(
    ("query", "status", "problem"),
    [
        ("s=x", 400, "“x” is not the number of a result."),
        ("s=-1", 400, "“-1” is not the number of a result."),
        ("s=²", 400, "“²” is not the number of a result."),
        ("s=99999999999999999999", 400, "is not the number of a result."),
        ("s=9999999999999999999", 404, "Result #9999999999999999999 does not exist or was retracted."),
        ("s=999999&s=999998", 404, "Results #999999 and #999998 do not exist or were retracted."),
        ("s=1&s=2&s=3&s=4&s=5&s=6&s=7", 400, "At most 6 results can be compared; you chose 7."),
        ("s=%00", 400, "is not the number of a result."),
    ],
)
def test_a_bad_choice_is_explained(client, query, status, problem):
    response = client.get(f"{URL}?{query}")

    assert response.status_code == status
    assert problem in text(response)
    assert "Choose two to six results" in text(response)


def test_one_alone_is_offered_others_of_its_workload(client, pair):
    aws, gce = pair
    SubmissionFactory(workload=WorkloadFactory(title="other"))

    response = page(client, aws.pk)

    assert response.status_code == 400
    assert f"Choose at least one more result to compare with #{aws.pk}." in text(response)
    assert (list(response.context["chosen"]), response.context["offered"]) == ([aws], [gce])


def test_a_link_from_a_submission_begins_the_choice_with_it(client, pair):
    aws, gce = pair

    response = client.get(URL, {"with": aws.pk})

    assert response.status_code == 200
    assert (list(response.context["chosen"]), response.context["offered"]) == ([aws], [gce])
    assert client.get(URL, {"with": "x"}).status_code == 200


def test_the_same_number_twice_is_one(client, pair):
    assert page(client, pair[0].pk, pair[0].pk).status_code == 400


def test_a_retracted_result_is_not_compared(client, pair):
    gone = SubmissionFactory(retracted_at=timezone.now())

    assert page(client, pair[0].pk, gone.pk).status_code == 404


def test_without_a_choice_the_page_offers_what_can_be_chosen(client, pair):
    response = client.get(URL)

    assert response.status_code == 200
    assert response.context["offered"] == [pair[1], pair[0]]


def test_an_empty_site_says_what_to_do(client):
    assert "Upload a benchmark log" in text(client.get(URL))


def test_an_owner_gets_the_link_of_unlisted_results_which_works_for_others(client, pair):
    aws, own = pair[0], of_its_owner(client, Visibility.UNLISTED)

    by_number = client.get(f"{URL}?s={own.pk}&s={aws.pk}&scale=log")
    assert (by_number.status_code, by_number.url) == (302, f"{URL}?s={own.pk}&s={aws.pk}&scale=log&key={own.link_key}")
    assert "no-store" in by_number["Cache-Control"]
    shown = client.get(by_number.url)

    client.logout()
    assert client.get(by_number.url).status_code == 200
    exports = links(shown, r"^/api/v1/(chart|compare)/|/embed/")
    assert len(exports) == 4  # the chart as CSV, JSON and embedded, and the comparison
    assert [client.get(address).status_code for address in exports] == [200, 200, 200, 200]


def test_keys_of_other_results_are_left_out_of_the_link(client, pair):
    aws, own = pair[0], of_its_owner(client, Visibility.UNLISTED)
    other_keys = "".join(f"&key={new_link_key()}" for _ in range(10))

    response = client.get(f"{URL}?s={own.pk}&s={aws.pk}{other_keys}&key={own.link_key}")

    assert response.url == f"{URL}?s={own.pk}&s={aws.pk}&key={own.link_key}"
    assert client.get(response.url).status_code == 200


def test_a_comparison_that_only_the_owner_sees_offers_no_address_to_pass_on(client, pair):
    aws, own = pair[0], of_its_owner(client, Visibility.PRIVATE)

    response = page(client, own.pk, aws.pk)

    assert response.status_code == 200
    assert links(response, r"/api/v1/chart/|/embed/") == []
    assert "Short link" not in text(response)


def test_what_holds_against_each_result_is_said_once(client, pair):
    held = SubmissionFactory(throttle_ops_s=560_000.0, throughput_ops_s=551_000.0, flags=["throttled"])

    content = page(client, held.pk, *(row.pk for row in pair)).content.decode()

    assert content.count("throughput and value cannot be compared") == 1


def test_results_of_another_time_have_their_age_marks(client, pair):
    old = pair[0]
    unknown = {"service_version": None, "jdk_version": None, "instance_type": "m5.xlarge"}
    new = SubmissionFactory(measured_at=timezone.now(), workload=old.workload, **unknown)

    content = page(client, old.pk, new.pk).content.decode()

    assert content.count('class="badge age"') == 1


def test_a_p99_of_the_slowest_type_of_operation_is_marked_and_not_called_better_than_one_over_all(client):
    joint = SubmissionFactory(latency_p99_ms=4.0)
    bound = SubmissionFactory(
        workload=joint.workload,
        latency_p99_ms=None,
        latency_p99_at_most_ms=2.5,
        latency_p99_is_bound=True,
        latency_p99_bound_of="read",
    )

    shown = words_of(page(client, joint.pk, bound.pk))

    assert "≤ 2.5 reads, the slowest operation" in shown
    assert "not comparable with the first: at most this" in shown
    assert f"The p99 of #{bound.pk} is at most this" in shown


def test_a_mean_in_the_row_of_p99s_is_named(client, pair):
    other = SubmissionFactory(latency_p99_ms=None, latency_p99_at_most_ms=None, latency_mean_ms=0.95)

    response = page(client, pair[1].pk, other.pk)

    assert "mean 0.95" in words_of(response)


def test_where_clients_ran_and_what_the_machines_are_is_among_the_differences(client):
    rows = [
        SubmissionFactory(
            document={
                "nodes": [{"role": "database", "count": 1, "instance_type": "m", "architecture": architecture}],
                "workload": {"pipeline": pipeline},
                "client_placement": placement,
            }
        )
        for architecture, pipeline, placement in (("arm64", 1, "on_database"), ("x86_64", 16, "separate"))
    ]

    words = words_of(page(client, *(row.pk for row in rows)))

    for label in ("Load clients run on", "Pipeline (requests)", "Database nodes: architecture"):
        assert label in words
    for value in ("the database's machine", "own machines", "ARM", "x86"):
        assert value in words
