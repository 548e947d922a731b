"""The guide's example is a question that works: page, JSON, CSV, schema, embedded chart."""

import importlib
import re
import sys
from pathlib import Path

import pytest
from django.urls import clear_url_caches, path

import submissions.questions
from submissions import api_urls, urls
from tests.factories import SubmissionFactory
from tests.pages import faults, text

GUIDE = (Path(__file__).resolve().parents[2] / "docs" / "adding-a-question.md").read_text(encoding="utf-8")
FILES = dict(re.findall(r"^`([\w/]+\.(?:py|html))`\n\n```\w+\n(.*?)```", GUIDE, re.MULTILINE | re.DOTALL))
LINES = re.findall(r"^```python\n(path\(.*\))\n```", GUIDE, re.MULTILINE)

pytestmark = pytest.mark.django_db


@pytest.fixture
def question(tmp_path, settings, monkeypatch):
    """The site with the guide's question added to it."""
    for name, content in FILES.items():
        file = tmp_path / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(content)
    package = tmp_path / "submissions" / "questions"
    (package / "vcpu" / "__init__.py").touch()
    monkeypatch.setattr(submissions.questions, "__path__", [*submissions.questions.__path__, str(package)])
    [templates] = settings.TEMPLATES
    settings.TEMPLATES = [{**templates, "DIRS": [*templates["DIRS"], tmp_path / "templates"]}]
    for patterns, line, module in zip((urls, api_urls), LINES, ("page", "api"), strict=True):
        names = {"path": path, "vcpu": importlib.import_module(f"submissions.questions.vcpu.{module}")}
        added = eval(line, names)
        monkeypatch.setattr(patterns, "urlpatterns", patterns.urlpatterns)
        patterns.urlpatterns.append(added)
    clear_url_caches()
    yield
    for patterns in (urls, api_urls):
        patterns.urlpatterns.pop()
    clear_url_caches()
    for name in [name for name in sys.modules if name.startswith("submissions.questions.vcpu")]:
        del sys.modules[name]


@pytest.fixture
def two_clusters():
    """The second does more with fewer vCPUs."""
    return (
        SubmissionFactory(node_count=3, vcpus=8, throughput_ops_s=24_000.0),
        SubmissionFactory(node_count=3, vcpus=4, throughput_ops_s=36_000.0, instance_type="i4i.xlarge"),
    )


def test_the_guide_has_every_file_and_both_lines():
    assert {Path(name).name for name in FILES} == {
        "form.py", "query.py", "sentences.py", "chart.py", "answer.py", "page.py", "api.py", "page.html"
    }  # fmt: skip
    assert len(LINES) == 2


def test_the_page_ranks_by_vcpu_and_names_what_it_excludes(client, question, two_clusters):
    SubmissionFactory(vcpus=None)

    response = client.get("/vcpu/")

    assert response.status_code == 200
    assert faults(response) == []
    words = text(response)
    assert "3× i4i.xlarge · AWS us-east-1 does the most per vCPU: 3 k ops/s." in words
    assert "Excluded: 1 result that has no known number of vCPUs." in words


def test_the_api_answers_the_same_as_json_and_csv(client, question, two_clusters):
    slower, faster = two_clusters

    answer = client.get("/api/v1/vcpu/").json()
    csv = client.get("/vcpu/?format=csv", follow=True).getvalue().decode().splitlines()

    assert [(row["submission"], row["ops_s_per_vcpu"]) for row in answer["rows"]] == [
        (faster.pk, 3000.0),
        (slower.pk, 1000.0),
    ]
    assert csv[0] == "submission,provider,instance_type,node_count,vcpus,ops_s_per_vcpu"
    assert csv[1] == f"{faster.pk},aws,i4i.xlarge,3,4,3000.0"


def test_its_chart_can_be_embedded_and_its_page_shared(client, question, two_clusters):
    embedded = client.get("/embed/vcpu/vcpu/")
    link = client.post("/s/", {"path": "/vcpu/"})

    assert embedded.status_code == 200
    assert "3 k ops/s" in text(embedded)
    assert link.status_code in (200, 302)


def test_a_misspelt_parameter_is_refused(client, question):
    assert client.get("/api/v1/vcpu/?wrokload=x").status_code == 400


def test_an_unknown_workload_is_not_found(client, question, two_clusters):
    assert client.get("/vcpu/?workload=unknown").status_code == 404
    assert client.get("/api/v1/vcpu/?workload=unknown").status_code == 400


def test_an_empty_site_says_what_to_do_next(client, question):
    assert "Upload a benchmark log to begin." in text(client.get("/vcpu/"))
