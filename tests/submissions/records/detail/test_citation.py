"""A citation is valid BibTeX whatever the title holds."""

import pytest

from submissions.records.detail.citation import bibtex, citation
from tests.factories import SubmissionFactory, UserFactory

ADDRESS = "https://example.org/submissions/4/"


@pytest.mark.django_db
def test_an_entry_names_the_submission_its_author_and_year():
    submission = SubmissionFactory(title="Three nodes on AWS", submitted_by=UserFactory(username="ada"))

    assert bibtex(submission, ADDRESS) == "\n".join(
        [
            f"@misc{{benchsite-{submission.pk},",
            "  title = {Three nodes on AWS},",
            "  author = {ada},",
            "  year = {2015},",
            "  howpublished = {\\url{https://example.org/submissions/4/}},",
            f"  note = {{Benchsite submission {submission.pk}, content {submission.content_hash[:16]}}},",
            "}",
        ]
    )


@pytest.mark.django_db
def test_a_title_cannot_end_its_field_nor_start_a_command():
    submission = SubmissionFactory(title="100 % } \\input{/etc/passwd} a_b\n@misc{x, & #1 $x$")

    title = bibtex(submission, ADDRESS).splitlines()[1]

    assert title == "  title = {100 \\% input /etc/passwd a\\_b @misc x, \\& \\#1 \\$x\\$},"


@pytest.mark.django_db
def test_a_citation_in_plain_text_names_author_year_title_address_and_licence():
    submission = SubmissionFactory(
        title="Three nodes\non AWS", submitted_by=UserFactory(username="ada"), license="CC-BY-4.0"
    )

    assert citation(submission, ADDRESS) == (
        f"ada (2015). “Three nodes on AWS”. Benchsite, result {submission.pk}. {ADDRESS} "
        f"(content {submission.content_hash[:16]}). CC-BY-4.0."
    )
