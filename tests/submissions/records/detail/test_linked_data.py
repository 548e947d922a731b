"""A result for search engines: its own numbers, unknown ones left out, and nothing that could end the block."""

import json

import pytest
from justhtml import JustHTML

from tests.factories import ArtifactFactory, SubmissionFactory, UserFactory

pytestmark = pytest.mark.django_db


def linked(response):
    document = JustHTML(response.content.decode(), sanitize=False)
    blocks = [one for one in document.query("script") if one.attrs.get("type") == "application/ld+json"]
    return [json.loads(block.to_text()) for block in blocks]


def test_a_result_has_its_figures_with_their_units(client, settings):
    settings.SITE_URL = "https://bench.example.org"
    row = SubmissionFactory(latency_p99_ms=None, license="CC-BY-4.0")

    [described] = linked(client.get(f"/submissions/{row.pk}/"))

    figures = {figure["name"]: (figure["value"], figure["unitText"]) for figure in described["variableMeasured"]}
    assert figures["Throughput"] == (row.throughput_ops_s, "ops/s")
    assert figures["Operations per dollar"] == (float(row.ops_per_usd), "ops/USD")
    assert "p99" not in figures
    assert described["url"] == f"https://bench.example.org/submissions/{row.pk}/"
    assert described["license"] == "https://creativecommons.org/licenses/by/4.0/"


def test_a_result_lists_its_raw_files_that_are_there(client, settings):
    settings.SITE_URL = "https://bench.example.org"
    row = SubmissionFactory()
    there = ArtifactFactory(submission=row)
    ArtifactFactory(submission=row, removed_at=row.created_at)

    [described] = linked(client.get(f"/submissions/{row.pk}/"))

    files = [file for file in described["distribution"] if "sha256" in file]
    assert [file["contentUrl"] for file in files] == [
        f"https://bench.example.org/submissions/{row.pk}/artifacts/{there.pk}/"
    ]
    assert files[0]["sha256"] == there.sha256


def test_words_of_an_uploader_cannot_end_the_block(client):
    title = '</script><script>alert(1)</script><!-- & "'
    row = SubmissionFactory(title=title)

    [described] = linked(client.get(f"/submissions/{row.pk}/"))

    assert described["name"] == title


def test_what_is_private_or_retracted_is_not_described(client):
    owner = UserFactory()
    private = SubmissionFactory(submitted_by=owner, visibility="private", published_at=None)
    retracted = SubmissionFactory()
    type(retracted).objects.filter(pk=retracted.pk).update(retracted_at=retracted.created_at)
    client.force_login(owner)

    for row in (private, retracted):
        response = client.get(f"/submissions/{row.pk}/")
        assert response.status_code == 200
        assert linked(response) == []
