"""The rows that other tests stand on are themselves valid."""

from decimal import Decimal

import pytest

from submissions.ingest.document.submission import SubmissionDocument
from submissions.models import ApiToken, Submission
from tests.factories import ArtifactFactory, PriceFactory, SubmissionFactory, make_token

pytestmark = pytest.mark.django_db


def test_a_submission_of_the_factory_obeys_every_constraint():
    submission = SubmissionFactory(trials_count=3)

    submission.refresh_from_db()
    submission.validate_constraints()

    assert submission.trials.count() == 3
    assert [group.role for group in submission.node_groups.all()] == ["database", "client"]
    assert submission.ops_per_usd == Decimal("203007518.7970")
    assert submission.usd_per_million_ops == Decimal("0.0049259259")


def test_the_factory_s_document_is_one_that_the_site_accepts():
    SubmissionDocument.model_validate(SubmissionFactory().document)


def test_an_unpriced_submission_has_no_figure_of_money():
    submission = SubmissionFactory(hourly_usd=None)

    assert (submission.ops_per_usd, submission.usd_per_million_ops, submission.price_date) == (
        None,
        None,
        None,
    )
    assert Submission.objects.priced().count() == 0


def test_an_artifact_has_its_bytes_and_their_sum():
    artifact = ArtifactFactory(content=b"abc")

    assert artifact.size_bytes == 3
    assert artifact.sha256 == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"


def test_prices_and_tokens_are_made():
    PriceFactory()
    text = make_token(scopes=["submit"])

    assert ApiToken.objects.get(token_key=text[:15]).scopes == ["submit"]
