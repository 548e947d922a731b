"""A host for each test: a real sshd on loopback."""

import pytest


@pytest.fixture
def sshd(tmp_path):
    from tests.runners.sshd import PROGRAM, Sshd, wait_until

    if PROGRAM is None:
        pytest.skip("no sshd is installed: apt-get install openssh-server")
    server = Sshd(tmp_path)
    wait_until(lambda: server.hosts().check(["db-0"])["db-0"])
    yield server
    server.thaw()
    server.stop()


@pytest.fixture
def hosts(sshd):
    return sshd.hosts()
