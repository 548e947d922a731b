"""The sitemap: every page for everybody, in parts by number, and nothing that is not listed."""

from xml.etree import ElementTree

import pytest

from submissions import sitemap
from tests.factories import SubmissionFactory, WorkloadFactory

pytestmark = pytest.mark.django_db

SITE = "https://bench.example.org"


@pytest.fixture(autouse=True)
def site(settings):
    settings.SITE_URL = SITE


def entries(client, path):
    """(address, day of its last change)"""
    response = client.get(path)
    assert response.status_code == 200
    assert response["Content-Type"].startswith("application/xml")
    root = ElementTree.fromstring(response.content)
    return [tuple(field.text for field in entry) for entry in root]


def test_the_index_leads_to_parts_and_parts_to_pages_that_open(client):
    row = SubmissionFactory()
    parts = [address for address, *_ in entries(client, "/sitemap.xml")]

    assert f"{SITE}/sitemap-pages-1.xml" in parts
    pages = [page for part in parts for page, *_ in entries(client, part.removeprefix(SITE))]
    assert {f"{SITE}/", f"{SITE}/submissions/{row.pk}/", f"{SITE}/services/cassandra/"} <= set(pages)
    assert f"{SITE}/workloads/{row.workload.fingerprint}/" in pages
    for page in pages:
        assert client.get(page.removeprefix(SITE)).status_code == 200, page


def test_a_result_has_the_time_of_its_last_change(client):
    row = SubmissionFactory()
    part = -(-row.pk // sitemap.A_PART)

    [(_, changed)] = entries(client, f"/sitemap-results-{part}.xml")

    assert changed == f"{max(row.created_at, row.published_at):%Y-%m-%dT%H:%M:%SZ}"


def test_only_listed_results_and_their_workloads_are_in_it(client):
    hidden = SubmissionFactory(workload=WorkloadFactory(fingerprint="a" * 16), visibility="private", published_at=None)
    retracted = SubmissionFactory(workload=WorkloadFactory(fingerprint="b" * 16))
    type(retracted).objects.filter(pk=retracted.pk).update(retracted_at=retracted.created_at)
    shown = SubmissionFactory(workload=WorkloadFactory(fingerprint="c" * 16))

    parts = [address.removeprefix(SITE) for address, *_ in entries(client, "/sitemap.xml")]
    pages = {page.removeprefix(SITE) for part in parts for page, *_ in entries(client, part)}

    assert f"/submissions/{shown.pk}/" in pages
    for row in (hidden, retracted):
        assert f"/submissions/{row.pk}/" not in pages
        assert f"/workloads/{row.workload.fingerprint}/" not in pages


def test_parts_are_ranges_of_numbers(client, monkeypatch):
    monkeypatch.setattr(sitemap, "A_PART", 2)
    rows = [SubmissionFactory() for _ in range(3)]
    index = [address.removeprefix(SITE) for address, *_ in entries(client, "/sitemap.xml")]
    parts = {f"/sitemap-results-{-(-row.pk // 2)}.xml" for row in rows}

    by_part = [[page for page, _ in entries(client, part)] for part in parts]

    assert parts <= set(index)
    assert all(len(pages) <= 2 for pages in by_part)
    assert sorted(page for pages in by_part for page in pages) == sorted(f"{SITE}/submissions/{r.pk}/" for r in rows)


@pytest.mark.parametrize("part", ["results-0", "results-99999", "pages-2", "colours-1"])
def test_a_part_that_is_not_there_is_not_found(client, part):
    assert client.get(f"/sitemap-{part}.xml").status_code == 404


def test_robots_learn_where_it_is(client):
    said = client.get("/robots.txt").content.decode()

    assert f"Sitemap: {SITE}/sitemap.xml\n" in said
    assert "Disallow: /account/\n" in said
