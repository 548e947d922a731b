"""A site whose workers could not reach their machines does not start."""

import pytest

from runners.providers.checks import clouds_are_configured


@pytest.fixture
def ids(settings, monkeypatch):
    monkeypatch.delenv("AWS_ENDPOINT_URL", raising=False)
    monkeypatch.delenv("AWS_ENDPOINT_URL_EC2", raising=False)
    settings.GCE_ENDPOINT = settings.RUN_VPC_ID = None
    settings.GCE_PROJECT = "bench"

    def ids(cidr, *providers):
        settings.RUN_SSH_CIDR, settings.RUN_PROVIDERS = cidr, list(providers)
        return [message.id for message in clouds_are_configured(None)]

    return ids


@pytest.mark.parametrize("cidr", ["127.0.0.1/32", "10.0.0.7/32", "192.168.0.0/16", "::1/128", "the office"])
def test_an_address_that_no_machine_sees_is_an_error(ids, cidr):
    assert ids(cidr, "local") == []
    assert ids(cidr, "local", "aws", "gce") == ["runners.E001"]


def test_one_message_names_all_that_is_missing(ids, settings):
    settings.GCE_PROJECT = None
    ids("127.0.0.1/32", "local", "aws", "gce")
    [message] = clouds_are_configured(None)

    assert message.msg == (
        "RUN_PROVIDERS=local,aws,gce needs other settings. GCE_PROJECT must name the project of the machines. "
        "RUN_SSH_CIDR=127.0.0.1/32 cannot work with aws and gce: "
        "machines in a cloud are never reached from a loopback address."
    )


def test_a_project_alone_may_be_missing(ids, settings):
    settings.GCE_PROJECT = None

    assert ids("8.8.4.4/32", "local", "aws") == []
    assert ids("8.8.4.4/32", "local", "gce") == ["runners.E001"]
    assert "RUN_SSH_CIDR" not in clouds_are_configured(None)[0].msg


def test_the_hint_names_no_address_that_would_be_refused(ids):
    ids("203.0.113.7/32", "aws")
    [message] = clouds_are_configured(None)

    assert message.hint == "RUN_SSH_CIDR is the public address of your workers, followed by /32."


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
