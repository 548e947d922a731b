"""The guide names everything that the contract asks for, and every right that the AWS provider uses."""

import inspect
import json
import re
from pathlib import Path

import pytest

from runners.providers import base
from runners.providers.base import Abilities, Provider, ProviderError
from tests.runners.providers.clouds import Cloud

ROOT = Path(__file__).resolve().parents[2]
GUIDE = (ROOT / "docs" / "adding-a-provider.md").read_text(encoding="utf-8")

ERRORS = [name for name, thing in vars(base).items() if inspect.isclass(thing) and issubclass(thing, ProviderError)]
TESTS_OF_A_CLOUD = [name for name, thing in vars(Cloud).items() if inspect.isfunction(thing)]


@pytest.mark.parametrize("name", [*sorted(Provider.__abstractmethods__), *ERRORS, *Abilities.__slots__])
def test_the_guide_names_each_part_of_the_contract(name):
    assert re.search(rf"\b{name}\b", GUIDE)


@pytest.mark.parametrize("name", TESTS_OF_A_CLOUD)
def test_the_guide_names_what_the_suite_asks_of_a_cloud(name):
    assert f"`{name}`" in GUIDE


def test_the_policy_has_the_rights_that_the_provider_uses_and_no_other():
    policy = json.loads(re.search(r"```json\n(.*?)```", GUIDE, re.DOTALL)[1])
    allowed = {action for statement in policy["Statement"] for action in statement["Action"]}
    source = "".join(path.read_text() for path in (ROOT / "runners/providers/aws").glob("*.py"))

    used = set(re.findall(r"\b(?:ec2|client)\.((?:describe|create|import|run|authorize)_\w+)\(", source))
    used |= set(re.findall(r"\bec2\.((?:terminate|cancel|delete)_\w+)\b", source))
    used |= set(re.findall(r'"(describe_\w+)"', source))

    words = {"ec2:" + "".join(part.capitalize() for part in name.split("_")) for name in used}
    # CreateTags is what tagging in a create call is checked as
    assert allowed == words | {"ec2:CreateTags", "servicequotas:GetServiceQuota", "ssm:GetParameters"}
