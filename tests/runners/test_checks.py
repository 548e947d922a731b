"""A site whose workers could not reach their machines does not start."""

import pytest

from runners.checks import ssh_reaches_the_machines


@pytest.fixture
def ids(settings, monkeypatch):
    monkeypatch.delenv("AWS_ENDPOINT_URL", raising=False)
    monkeypatch.delenv("AWS_ENDPOINT_URL_EC2", raising=False)
    settings.GCE_ENDPOINT = settings.RUN_VPC_ID = None

    def ids(cidr, *providers):
        settings.RUN_SSH_CIDR, settings.RUN_PROVIDERS = cidr, list(providers)
        return [message.id for message in ssh_reaches_the_machines(None)]

    return ids


@pytest.mark.parametrize("cidr", ["127.0.0.1/32", "10.0.0.7/32", "192.168.0.0/16", "::1/128", "the office"])
def test_an_address_that_no_machine_sees_is_an_error_for_each_cloud(ids, cidr):
    assert ids(cidr, "local") == []
    assert ids(cidr, "local", "aws", "gce") == ["runners.E001", "runners.E001"]


def test_the_hint_names_no_address_that_would_be_refused_as_if_it_were_one(ids, settings):
    ids("203.0.113.7/32", "aws")
    [message] = ssh_reaches_the_machines(None)

    assert message.hint == "Set it to your workers' public address (203.0.113.x is only an example)."


@pytest.mark.parametrize("cidr", ["8.8.4.4/32", "2a00:1450::7/128"])
def test_a_public_address_is_right(ids, cidr):
    assert ids(cidr, "aws", "gce") == []


def test_a_private_address_needs_a_network_of_the_sites_own(ids, settings):
    settings.RUN_VPC_ID = "vpc-1"

    assert ids("10.0.0.0/16", "aws") == []
    assert ids("127.0.0.1/32", "aws") == ["runners.E001"]


def test_a_lab_is_reached_from_anywhere(ids, settings, monkeypatch):
    monkeypatch.setenv("AWS_ENDPOINT_URL", "http://127.0.0.1:1")
    settings.GCE_ENDPOINT = "http://127.0.0.1:2"

    assert ids("127.0.0.1/32", "aws", "gce") == []


def test_everyone_is_a_warning(ids):
    assert ids("0.0.0.0/0", "aws") == ["runners.W001"]
