"""The check of a deployment, with a compose of this test in the place of Docker's: what it takes for a loss."""

import pytest

from deploy.check.steps import Deployment

# Of what is asked of it, the one answer that matters: the numbers of the submissions, more each time
COMPOSE = """#!/bin/sh
case "$*" in
  *" shell "*) echo 1 >>"$0.times"; seq "$(cat "$0.first")" "$((10 + $(wc -l <"$0.times")))" ;;
  *) echo done ;;
esac
"""


@pytest.fixture
def deployment(tmp_path, monkeypatch):
    compose = tmp_path / "compose"
    compose.write_text(COMPOSE)
    compose.chmod(0o700)
    (tmp_path / "compose.first").write_text("1")
    (tmp_path / "docker").symlink_to(compose)
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    deployment = Deployment(tmp_path, [str(compose)])
    deployment.up = lambda: None
    return deployment


def test_packs_that_a_worker_loads_meanwhile_are_no_difference(deployment):
    stored = deployment.stored()

    deployment.back_up_and_restore(stored)

    assert deployment.stored() > stored


def test_a_submission_that_does_not_come_back_is_named(deployment, tmp_path):
    stored = deployment.stored()
    (tmp_path / "compose.first").write_text("3")

    with pytest.raises(AssertionError, match=r"2 of 11 submissions are gone after the restore: \[1, 2\]"):
        deployment.back_up_and_restore(stored)
