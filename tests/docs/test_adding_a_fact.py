"""The guide's example is a fact that works: in a copy of the site it is on all pages, in the API and the dump."""

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.benchsite.commands import environment
from tests.documents import document

ROOT = Path(__file__).resolve().parents[2]
LAST_MIGRATION = max(int(path.name[:4]) for path in (ROOT / "submissions" / "migrations").glob("0*.py"))
GUIDE = (ROOT / "docs" / "adding-a-fact.md").read_text(encoding="utf-8")
EXAMPLE = GUIDE.partition("## A whole one")[2].partition("\n## ")[0]
SECTIONS = re.findall(r"^`([\w/]+\.py)`\n\n((?:```(?:python|text)\n.*?```\n+)+)", EXAMPLE, re.MULTILINE | re.DOTALL)
BLOCKS = [
    (name, block)
    for name, blocks in SECTIONS
    for block in re.findall(r"```(?:python|text)\n(.*?)```", blocks, re.DOTALL)
]
SITE = ("benchsite", "submissions", "runners", "tools", "templates", "static", "docs", "manage.py", "pyproject.toml")


@pytest.fixture
def copy(tmp_path):
    """The site with the guide's fact, before its migration."""
    for name in SITE:
        if (ROOT / name).is_dir():
            shutil.copytree(ROOT / name, tmp_path / name, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            shutil.copy(ROOT / name, tmp_path / name)
    for name, block in BLOCKS:
        anchor = block.splitlines(keepends=True)[0]
        file = tmp_path / name
        text = file.read_text(encoding="utf-8")
        assert f"\n{text}".count(f"\n{anchor}") == 1, f"{name}: {anchor}"
        file.write_text(f"\n{text}".replace(f"\n{anchor}", f"\n{block}").removeprefix("\n"), encoding="utf-8")
    return tmp_path


def test_the_guide_names_four_files():
    assert [name for name, _ in SECTIONS] == [
        "submissions/choices.py",
        "submissions/facts.py",
        "submissions/models/results/submission.py",
        "submissions/ingest/document/submission.py",
    ]


def test_the_guides_fact_is_wherever_its_attributes_say(copy, prepared_site):
    """On a site with results of before."""
    script = (Path(__file__).parent / "one_more_fact.py").read_text(encoding="utf-8")
    settings = {"DATA_DIR": prepared_site.data_dir, "STATIC_MANIFEST": 0, "EMBEDDED_DURABLE": 0, "PACKS": ""}
    done = subprocess.run(
        [sys.executable, copy / "manage.py", "shell", "-v0", "-c", script],
        cwd=copy,
        env=environment(**settings, DOCUMENT=json.dumps(document()), TOKEN=prepared_site.token),
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )

    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout.splitlines()[-1])
    never, always, unknown = found.pop("ids")
    assert found == {
        "migrations": [f"{LAST_MIGRATION + 1:04}_huge_pages"],
        "further migrations": False,
        "configurations": 3,
        "api, one": ["never", "always", None],
        "api, list": {str(never): "never", str(always): "always", str(unknown): None},
        "api, filtered": [always],
        "api, unknown value": 400,
        "csv": True,
        "page of a result": "Huge pages always",
        "page of one without it": False,
        "list, filtered": [always],
        "list, head": True,
        "list, cell": True,
        "list, counts": {"never": 1, "always": 1, "unknown": True},
        "compare": "Huge pages never always",
        "compare, api": {"field": "huge_pages", "a": "never", "b": "always"},
        "form": ["", "never", "madvise", "always"],
        "form, document": {"huge_pages": "always"},
        "grid": ["always", "never"],
        "one fact": 200,
        "dump, schema": {
            "name": "huge_pages",
            "type": "text",
            "parquet": "string",
            "unit": None,
            "meaning": "huge pages: never, madvise, always; transparent ones, of the database nodes",
        },
        "dump": {str(never): "never", str(always): "always", str(unknown): ""},
        "openapi": ["filter", "row", "document", "grid"],
        "a change is a new version": True,
    }
