"""Which addresses belong to one organisation."""

import pytest

from submissions.analysis.organisations import organisation_of


@pytest.mark.parametrize(
    ("address", "organisation"),
    [
        ("ann@example.org", "example.org"),
        ("Bob@Bench.Example.ORG", "example.org"),
        ("ann@lab.example.co.uk", "example.co.uk"),
        ("ann@gmail.com", "ann@gmail.com"),
        ("a.n.n+second@googlemail.com", "ann@gmail.com"),
        ("ann+second@outlook.com", "ann@outlook.com"),
        ("a.nn@outlook.com", "a.nn@outlook.com"),
    ],
)
def test_the_registered_domain_or_the_mailbox_of_a_public_provider(address, organisation):
    assert organisation_of(address) == organisation
