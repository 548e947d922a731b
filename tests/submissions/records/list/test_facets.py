"""Counts beside the values of each filter, under the choices in all other ones."""

import pytest
from django.http import QueryDict

from submissions.models import Submission
from submissions.records.list.facet_counts import facet_counts
from submissions.records.list.facets import FacetValue, facets_of
from submissions.records.list.filters import SubmissionFilter
from tests.factories import SubmissionFactory, WorkloadFactory
from tests.pages import text

pytestmark = pytest.mark.django_db


def counted(query=""):
    filterset = SubmissionFilter(QueryDict(query), Submission.objects.listed())
    assert filterset.is_valid()
    return facets_of(facet_counts(filterset), filterset)


def counts(facets, name):
    return {value.value: value.count for value in facets.of(name).values}


@pytest.fixture
def clouds():
    """Three on AWS (two with a JDK of Oracle), two on GCE, one of each without a known JDK."""
    for provider, jdk, disk in (
        ("aws", "oracle", "local-ssd"),
        ("aws", "oracle", "gp3"),
        ("aws", None, "gp3"),
        ("gce", "openjdk", "pd-ssd"),
        ("gce", None, None),
    ):
        SubmissionFactory(provider=provider, jdk_vendor=jdk, disk_kind=disk)


def test_without_a_choice_every_row_counts_and_unknown_is_a_value(clouds):
    facets = counted()

    assert facets.total == 5
    assert facets.of("jdk_vendor").values == (
        FacetValue("oracle", "oracle", 2, False),
        FacetValue("openjdk", "openjdk", 1, False),
        FacetValue("unknown", "unknown", 2, False),
    )
    assert counts(facets, "provider") == {"aws": 3, "gce": 2}


def test_a_choice_narrows_the_other_facets_and_not_its_own(clouds):
    facets = counted("provider=aws")

    assert facets.total == 3
    assert counts(facets, "provider") == {"aws": 3, "gce": 2}
    assert counts(facets, "jdk_vendor") == {"oracle": 2, "unknown": 1}
    assert counts(facets, "disk_kind") == {"gp3": 2, "local-ssd": 1}


def test_two_values_of_a_facet_are_either_and_two_facets_are_both(clouds):
    facets = counted("provider=aws&provider=gce&jdk_vendor=unknown&jdk_vendor=openjdk")

    assert facets.total == 3
    assert counts(facets, "provider") == {"aws": 1, "gce": 2}
    assert counts(facets, "jdk_vendor") == {"oracle": 2, "openjdk": 1, "unknown": 2}
    assert counts(facets, "disk_kind") == {"gp3": 1, "pd-ssd": 1, "unknown": 1}
    assert [value.value for value in facets.of("provider").selected] == ["gce", "aws"]


def test_a_limit_narrows_every_facet(clouds):
    SubmissionFactory(provider="azure", throughput_ops_s=5.0)

    assert counts(counted("min_throughput=6"), "provider") == {"aws": 3, "gce": 2}


def test_a_chosen_value_that_nothing_has_stays_with_a_count_of_zero(clouds):
    facets = counted("provider=azure")

    assert facets.total == 0
    assert counts(facets, "provider") == {"aws": 3, "gce": 2, "azure": 0}
    assert counts(facets, "jdk_vendor") == {}


def test_a_row_with_two_flags_counts_for_both():
    SubmissionFactory(flags=["short", "errors"])
    SubmissionFactory(flags=["short"])
    SubmissionFactory(flags=[])

    assert counts(counted(), "flag") == {"short": 2, "errors": 1}
    assert counts(counted("flag=errors"), "flag") == {"short": 2, "errors": 1}
    assert counted("flag=errors").total == 1


def test_retracted_rows_do_not_count(clouds):
    SubmissionFactory(provider="aws", retracted_at="2020-01-01T00:00:00Z")

    assert counts(counted(), "provider") == {"aws": 3, "gce": 2}


def test_numbers_and_closed_lists_keep_their_own_order():
    for nodes, trust in ((12, "reproduced"), (3, "uploaded"), (3, "historical"), (6, "uploaded")):
        SubmissionFactory(node_count=nodes, trust=trust)
    facets = counted()

    assert [value.value for value in facets.of("node_count").values] == ["3", "6", "12"]
    assert [value.value for value in facets.of("trust").values] == ["historical", "uploaded", "reproduced"]


def test_workloads_are_counted_by_fingerprint_and_named_by_title():
    write = WorkloadFactory(title="writes")
    read = WorkloadFactory(title="reads")
    for workload in (write, write, read):
        SubmissionFactory(workload=workload)

    facets = counted()

    assert facets.workloads == 2
    assert facets.of("workload").values == (
        FacetValue(write.fingerprint, "writes", 2, False),
        FacetValue(read.fingerprint, "reads", 1, False),
    )
    chosen = counted(f"workload={read.fingerprint}")
    assert (chosen.total, chosen.workloads) == (1, 1)
    assert counts(chosen, "workload") == {write.fingerprint: 2, read.fingerprint: 1}


def test_rare_values_stand_behind_more_unless_they_are_chosen():
    for number in range(10):
        for _ in range(10 - number):
            SubmissionFactory(instance_type=f"type-{number}")

    facet = counted("instance_type=type-9").of("instance_type")

    assert [value.value for value in facet.shown] == [*(f"type-{n}" for n in range(8)), "type-9"]
    assert [value.value for value in facet.more] == ["type-8"]


def test_an_empty_site_has_no_counts():
    facets = counted()

    assert (facets.total, facets.workloads) == (0, 0)
    assert all(facet.values == () for facet in facets.facets)


def test_licences_and_packs_are_in_words(client):
    SubmissionFactory(license="CC-BY-SA-4.0", pack="sparecores")
    SubmissionFactory(license="CC-BY-4.0")
    SubmissionFactory(license="")

    facets = counted()

    shown = {name: {value.value: value.label for value in facets.of(name).values} for name in ("license", "pack")}
    assert facets.of("license").label == "Licence"
    assert shown["license"] == {"CC-BY-SA-4.0": "CC BY-SA 4.0", "CC-BY-4.0": "CC BY 4.0", "none": "Not stated"}
    assert shown["pack"] == {"sparecores": "Spare Cores", "none": "Uploaded or run here"}
    page = text(client.get("/submissions/?pack=none"))
    assert "Pack: Uploaded or run here" in page or "Pack Uploaded or run here" in page


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("pack=sparecores", {"of a pack"}),
        ("pack=none", {"uploaded", "unknown"}),
        ("pack=none&pack=sparecores", {"of a pack", "uploaded", "unknown"}),
        ("license=CC-BY-4.0", {"uploaded"}),
        ("license=none", {"unknown"}),
        ("license=CC-BY-SA-4.0&pack=none", set()),
    ],
)
def test_lists_and_the_api_are_filtered_by_licence_and_pack(client, query, expected):
    SubmissionFactory(title="of a pack", license="CC-BY-SA-4.0", pack="sparecores", submitted_by=None)
    SubmissionFactory(title="uploaded", license="CC-BY-4.0")
    SubmissionFactory(title="unknown", license="")

    answered = client.get(f"/api/v1/submissions/?{query}").json()["results"]

    assert {row["title"] for row in answered} == expected
    shown = {word for word in ("of a pack", "uploaded", "unknown") if f'title="{word}"' in page_of(client, query)}
    assert shown == expected
    assert counted(query).total == len(expected)


def page_of(client, query):
    return client.get(f"/submissions/?{query}").content.decode()
