"""benchsite run: starts a run by the API and follows it; the test is the worker and moves it on between two looks."""

import pytest
import yaml

from tests.runners.conftest import cloud  # noqa: F401 - a fixture


@pytest.fixture
def plan(cloud, ada, tmp_path):  # noqa: F811 - the fixture
    from tests.runners.fake_runs import PLAN, record_prices

    record_prices()
    ada.is_superuser = True  # may start cloud runs
    ada.save()
    path = tmp_path / "plan.yaml"
    path.write_text(yaml.safe_dump({**PLAN, "max_usd": 10}))
    return path


@pytest.fixture
def worker(monkeypatch):
    """A step for each look of the command; what `before` raises, the command gets first."""
    from runners import driver
    from runners.models import Run

    interrupts = []

    def work(seconds):
        if interrupts:
            raise interrupts.pop()
        driver.drive_once(Run.objects.get())

    monkeypatch.setattr("benchsite_cli.commands.run.time.sleep", work)
    return interrupts


def test_a_run_is_followed_to_its_receipt(benchsite, plan, worker):
    from runners.models import Run

    estimated = benchsite("run", plan, "--estimate")
    assert not Run.objects.exists()
    ended = benchsite("run", plan, "--wait")

    run = Run.objects.get()
    assert "usd" in estimated.out
    assert (ended.code, run.status) == (0, "succeeded"), ended.err
    assert f"/runs/{run.pk}/" in ended.out
    assert f"Result #{run.submission_id}" in ended.out
    assert "4 machines, $" in ended.out
    assert "0 machines left running" in ended.out
    assert "stressing" in ended.err


def test_ctrl_c_asks_whether_to_cancel(benchsite, plan, worker):
    from runners.models import Run

    worker += [KeyboardInterrupt(), KeyboardInterrupt()]
    ended = benchsite("run", plan, "--wait", typed="n\n")
    assert (ended.code, "The run goes on" in ended.err) == (130, True)
    Run.objects.all().delete()

    ended = benchsite("run", plan, "--wait", typed="y\n")

    run = Run.objects.get()
    assert (ended.code, run.status) == (1, "cancelled")
    assert "cancelled" in ended.out
