"""Which database a reader reads from: a replica that is near enough, else the primary, else whatever answers."""

import pytest

from benchsite.postgresql.databases import PRIMARY
from benchsite.replicas import servers
from benchsite.replicas.choice import Choice


class Clock:
    now = 1000.0

    def monotonic(self):
        return self.now


@pytest.fixture
def site(monkeypatch):
    """A primary and two replicas at positions that a test sets, as of now."""
    clock = Clock()
    monkeypatch.setattr(servers, "time", clock)
    choice = Choice(["replica1", "replica2"])
    positions = {PRIMARY: 100, "replica1": 100, "replica2": 100}
    for server in (choice.primary, *choice.replicas):
        monkeypatch.setattr(server, "ask_position", lambda alias=server.alias: positions[alias])
    choice.is_watching = True

    def look(*, after=0.0, **at):
        clock.now += after
        positions.update({PRIMARY if alias == "primary" else alias: position for alias, position in at.items()})
        choice.look()
        return choice

    return look


def chosen(choice, wrote_at=None):
    return {choice.of("", wrote_at) for _ in range(4)}


def test_readers_are_shared_among_replicas_and_an_account_keeps_its_own(site):
    choice = site()

    assert chosen(choice) == {"replica1", "replica2"}
    assert len({choice.of("session", None) for _ in range(4)}) == 1


def test_who_wrote_reads_where_the_write_is(site):
    choice = site(primary=150, replica1=149, replica2=150)
    assert chosen(choice, wrote_at=150) == {"replica2"}

    choice = site(replica2=120)
    assert chosen(choice, wrote_at=150) == {PRIMARY}
    assert chosen(choice) == {"replica1", "replica2"}


def test_a_replica_that_is_long_behind_is_not_read(site):
    site(primary=150)
    choice = site(after=servers.MOST_BEHIND_SECONDS - 1, replica1=150)
    assert chosen(choice) == {"replica1", "replica2"}

    choice = site(after=2, primary=160, replica1=155)
    assert chosen(choice) == {"replica1"}

    assert chosen(site(replica2=160)) == {"replica1", "replica2"}


def test_a_dead_replica_is_not_read(site):
    assert chosen(site(replica1=None)) == {"replica2"}
    assert chosen(site(replica2=None)) == {PRIMARY}


def test_a_server_that_answers_no_look_is_down(site, monkeypatch):
    choice = site()
    monkeypatch.setattr(choice.replicas[0], "look", lambda: None)  # it hangs

    assert chosen(site(after=servers.SILENT_SECONDS)) == {"replica2"}
    assert choice.replicas[0].position is None


def test_without_the_primary_every_replica_is_read_however_old(site):
    site(primary=150, replica1=100)
    choice = site(after=60, primary=None)

    assert choice.is_read_only()
    assert chosen(choice, wrote_at=150) == {"replica1", "replica2"}


def test_without_any_server_nothing_is_promised(site):
    choice = site(primary=None, replica1=None, replica2=None)

    assert not choice.is_read_only()
    assert chosen(choice) == {PRIMARY}
