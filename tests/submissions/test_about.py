"""The methodology, the robots' file, the pages for errors, and the headers that all pages have."""

from datetime import UTC, datetime, timedelta

import pytest
from django.template.loader import render_to_string
from django.test import Client

from tests.factories import SubmissionFactory, UserFactory
from tests.pages import faults, links, text

PAGES = [
    "/",
    "/submissions/",
    "/services/",
    "/workloads/",
    "/scaling/",
    "/recommend/",
    "/prices/",
    "/about/methodology/",
    "/account/login/",
]


@pytest.mark.django_db
def test_the_methodology_has_contents_that_lead_into_it(client):
    response = client.get("/about/methodology/")

    content = response.content.decode()
    anchors = links(response, "^#(?!main)")
    assert len(anchors) > 5
    assert all(f'id="{anchor[1:]}"' in content for anchor in anchors)
    assert faults(response) == []


def test_robots_read_the_results_and_not_every_filter_of_them(client):
    response = client.get("/robots.txt")

    assert response["Content-Type"] == "text/plain; charset=utf-8"
    assert "Disallow: /account/" in response.content.decode().splitlines()
    assert "Disallow: /submissions/?*" in response.content.decode().splitlines()


@pytest.mark.django_db
@pytest.mark.parametrize("address", PAGES)
def test_every_page_has_a_strict_policy_and_a_way_past_the_menu(client, address):
    response = client.get(address)

    policy = response["Content-Security-Policy"]
    assert "default-src 'self'" in policy
    assert "unsafe" not in policy
    assert "object-src 'none'" in policy
    assert response["X-Content-Type-Options"] == "nosniff"
    assert links(response)[0] == "#main"
    assert 'lang="en"' in response.content.decode()
    assert faults(response) == []


@pytest.mark.django_db
@pytest.mark.parametrize("address", PAGES)
def test_the_menu_tells_where_the_reader_is(client, address):
    content = client.get(address).content.decode()
    header = content.partition("<header")[2].partition("</header>")[0]
    menu, tabs = (header.partition(start)[2].partition("</nav>")[0] for start in ('aria-label="Main"', 'class="tabs"'))

    # the frame of a form or of the front page lies in no section
    assert menu.count("aria-current") == tabs.count("aria-current") == (0 if not tabs else 1)
    assert ("aria-current=" in header) == (address != "/")


@pytest.mark.django_db
@pytest.mark.parametrize("address", ["/nothing/", "/submissions/0/", "/services/nothing/"])
def test_a_missing_page_says_so_in_the_frame_of_the_site(client, address):
    response = client.get(address)

    assert response.status_code == 404
    assert "Page not found" in text(response)
    assert faults(response) == []


@pytest.mark.parametrize("name", ["400", "403", "403_csrf", "404", "429", "500"])
def test_a_page_for_an_error_needs_no_request_and_no_database(name):
    page = render_to_string(f"{name}.html")

    assert 'aria-label="Main"' in page
    assert "<h1>" in page


@pytest.mark.django_db
def test_a_fault_of_ours_is_told_without_its_details(monkeypatch):
    from submissions.records.databases import services

    def broken(*_):
        raise RuntimeError("a secret detail")

    monkeypatch.setattr(services, "service_summaries", broken)
    response = Client(raise_request_exception=False).get("/services/")

    assert response.status_code == 500
    assert "Server error" in text(response)
    assert "secret" not in response.content.decode()


@pytest.mark.django_db
def test_the_source_is_linked_when_the_keeper_tells_where_it_is(client, settings):
    assert "Source code" not in client.get("/services/").content.decode()

    settings.SOURCE_CODE_URL = "https://example.org/benchsite"

    assert "https://example.org/benchsite" in links(client.get("/services/"))


@pytest.mark.django_db
def test_results_are_read_only_for_the_keepers_too(client):
    submission = SubmissionFactory()
    client.force_login(UserFactory(username="root", is_staff=True, is_superuser=True))

    for model in ("submission", "workload", "price", "instancetype", "upload", "apitoken"):
        assert client.get(f"/admin/submissions/{model}/").status_code == 200
        assert client.get(f"/admin/submissions/{model}/add/").status_code == 403
    page = client.get(f"/admin/submissions/submission/{submission.pk}/change/")
    assert page.status_code == 200
    assert 'name="_save"' not in page.content.decode()
    assert client.post(f"/admin/submissions/submission/{submission.pk}/delete/").status_code == 403


@pytest.mark.django_db
def test_terms_and_privacy_are_linked_from_every_page_and_name_the_operators(client, settings):
    settings.CONTACT_EMAIL = "keeper@example.org"
    assert {"/terms/", "/privacy/"} <= set(links(client.get("/services/")))

    for address in ("/terms/", "/privacy/"):
        page = client.get(address)
        assert faults(page) == []
        assert "keeper@example.org" in text(page)
    assert "CC BY 4.0" in text(client.get("/terms/"))
    assert "csrftoken" in text(client.get("/privacy/"))


def test_security_txt_names_a_contact_and_does_not_outlive_a_year(client, settings):
    settings.SITE_URL = "https://bench.example.org"
    settings.CONTACT_EMAIL = ""
    assert client.get("/.well-known/security.txt").status_code == 404
    settings.CONTACT_EMAIL = "keeper@example.org"

    answer = client.get("/.well-known/security.txt")

    fields = dict(line.split(": ", 1) for line in answer.content.decode().splitlines())
    assert answer["Content-Type"] == "text/plain; charset=utf-8"
    assert fields["Contact"] == "mailto:keeper@example.org"
    assert fields["Canonical"] == "https://bench.example.org/.well-known/security.txt"
    left = datetime.fromisoformat(fields["Expires"]) - datetime.now(UTC)
    assert timedelta(days=30) < left < timedelta(days=365)
