"""What is refused before a cloud is asked."""

import pytest

from runners.distributions import tools
from runners.distributions.java import releases_in
from runners.plan_schema.run_plan import RunPlan
from runners.plans.faults import faults_of
from tests.runners.fake_runs import PLAN


@pytest.fixture(autouse=True)
def clouds(settings):
    settings.RUN_PROVIDERS = ["aws", "gce"]
    settings.CASSANDRA_STRESS_VERSION = ""


def faults(provider="aws", version="5.0.9", **changes):
    content = {**PLAN, "provider": provider, "service": {"name": "cassandra", "version": version}, **changes}
    return [(fault.pointer, fault.detail) for fault in faults_of(RunPlan.model_validate(content))]


@pytest.mark.parametrize("version", ["3.11.5", "4.0.12", "4.1.5", "5.0.9"])
@pytest.mark.parametrize("provider", ["aws", "gce"])
def test_the_default_images_have_the_java_of_every_version(provider, version):
    assert faults(provider, version) == []


def test_an_image_without_the_java_of_the_version_is_refused_with_what_to_choose(settings):
    settings.AWS_IMAGE = "debian-12"

    assert faults(version="5.0.9") == []
    assert faults(version="4.1.5") == [
        (
            "#/service/version",
            "needs Java 11, and the machines' image debian-12 has only Java 17: choose another version, or ask a site "
            "operator to set AWS_IMAGE to ubuntu-22.04 or ubuntu-24.04",
        )
    ]
    assert [place for place, _ in faults(jdk={"vendor": "openjdk", "version": "21"})] == ["#/jdk/version"]


def test_a_java_of_the_mirror_needs_none_of_the_image(settings):
    settings.AWS_IMAGE, settings.JDK_MIRROR = "debian-12", "https://mirror.example.org"

    assert faults(version="4.1.5", jdk={"vendor": "temurin", "version": "11.0.24"}) == []


def test_an_image_of_the_sites_own_is_trusted(settings):
    settings.AWS_IMAGE = "ami-0123456789abcdef0"

    assert faults(version="4.1.5") == []


@pytest.mark.parametrize(
    ("image", "releases"),
    [
        ("ubuntu-2404-lts-amd64", {8, 11, 17, 21}),
        ("projects/ubuntu-os-cloud/global/images/family/ubuntu-2204-lts", {8, 11, 17, 21}),
        ("debian-12", {17}),
        ("projects/mine/global/images/bench-7", None),
    ],
)
def test_the_java_of_an_image_goes_by_its_distribution(image, releases):
    assert releases_in(image) == releases


def test_a_load_tool_that_this_machine_does_not_have_is_a_fault_of_the_tool(settings, tmp_path, monkeypatch):
    settings.RUN_PROVIDERS, settings.DATA_DIR = ["local"], tmp_path
    (tmp_path / "tools/apache-cassandra-5.0.9").mkdir(parents=True)
    (tmp_path / "tools/apache-cassandra-5.0.9" / tools.LOAD_TOOL).write_text("5.0.9")
    monkeypatch.setattr(tools, "best_java", lambda: tmp_path)
    here = {"client": None, "region": None, "zones": [], "database": {"instance_type": "this-machine", "count": 1}}
    workload = {"operation": "mixed", "read_share": 0.5, "duration_seconds": 10}

    found = {
        tool: faults("local", jdk=None, workload={"tool": tool, **workload}, **here)
        for tool in ("cassandra-stress", "ycsb", "latte")
    }

    assert found == {
        "cassandra-stress": [],
        "ycsb": [("#/workload/tool", "this machine has no YCSB: make ycsb")],
        "latte": [("#/workload/tool", "this machine has no latte: make latte")],
    }
