"""Connections that are kept from one step of a run to the next, on a real sshd."""

from dataclasses import replace

import pytest

from runners.hosts.hosts import Finished, HostNotReady
from runners.hosts.keys import make_keys, public_key
from tests.runners.sshd import PATIENT


def test_a_connection_is_kept_for_the_next_step(sshd):
    limits = replace(PATIENT, keep_seconds=60)
    for _ in range(3):
        sshd.hosts(limits=limits).run({"db-0": "true"}, timeout_seconds=60)

    assert (sshd.folder / "log").read_text().count("Accepted publickey") == 2  # one is the fixture's


def test_a_kept_connection_that_broke_is_made_anew(sshd):
    limits = replace(PATIENT, keep_seconds=60)
    sshd.hosts(limits=limits).run({"db-0": "true"}, timeout_seconds=60)
    sshd.cut_connections()

    assert sshd.hosts(limits=limits).run({"db-0": "echo here"}, timeout_seconds=60) == {"db-0": Finished(0, "here\n")}


def test_a_kept_connection_is_used_with_the_keys_that_made_it_only(sshd):
    limits = replace(PATIENT, keep_seconds=60)
    sshd.hosts(limits=limits).run({"db-0": "true"}, timeout_seconds=60)

    with pytest.raises(HostNotReady, match="its host key is not that of the run"):
        sshd.hosts(limits=limits, host_key=public_key(make_keys().host_private)).run(
            {"db-0": "true"}, timeout_seconds=60
        )
    with pytest.raises(HostNotReady, match="it does not accept the key of the run"):
        sshd.hosts(limits=limits, private_key=make_keys().private).put({"db-0": {"a": b""}})
