"""The guide names everything that a load tool has to have, and the versions that runs have."""

import inspect
import re
from pathlib import Path

import pytest

from runners.databases.cassandra_here import OnThisMachine
from runners.load_tools import MODULES, workload_of
from runners.load_tools.base import Workload
from runners.load_tools.latte import latte
from runners.load_tools.on_cassandra import OnCassandra
from runners.load_tools.ycsb import ycsb
from submissions.formatting.names import tool_name

GUIDE = (Path(__file__).resolve().parents[2] / "docs" / "adding-a-load-tool.md").read_text(encoding="utf-8")


def methods(kind):
    return {name for name, thing in vars(kind).items() if inspect.isfunction(thing) and not name.startswith("_")}


@pytest.mark.parametrize(
    "name", sorted(methods(Workload) | set(OnCassandra.__abstractmethods__) | methods(OnCassandra) | {"link_command"})
)
def test_the_guide_names_each_method_that_a_tool_may_have(name):
    assert re.search(rf"\b{name}\(", GUIDE)


def test_the_guide_names_what_a_class_states():
    for name in ("tool", "service", "operations", "options", "settings", "max_nodes", "needs_java", "traces"):
        assert hasattr(Workload, name) or name in Workload.__annotations__
        assert f"`{name}`" in GUIDE


@pytest.mark.parametrize("tool", sorted(MODULES))
def test_every_tool_of_runs_says_where_its_programs_come_from(tool):
    assert re.search(rf"^\| {re.escape(tool_name(tool))}\b", GUIDE, re.MULTILINE)
    assert workload_of(tool).tool == tool


def test_the_versions_are_those_that_hosts_install():
    assert f"YCSB {ycsb.VERSION} " in GUIDE
    assert f"driver {ycsb.DRIVER}," in GUIDE
    assert f"latte-{latte.VERSION}-x86_64" in GUIDE
    assert issubclass(OnThisMachine, OnCassandra)
