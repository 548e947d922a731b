"""Rules of the code that no import contract can express: each test reads the source."""

import ast
import re
import subprocess
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PACKAGES = ("benchsite", "submissions", "runners", "tools", "bench", "cli/src")
OTHER_TEXT = ("templates", "static", "docs", "deploy", "tests")
MOST_FILES = 15

PROVIDERS = {"aws", "gce", "azure", "local", "on-premises"}
# Where a provider may be named: its own folders, the table of what each bills, lists with one line for each.
NAMES_PROVIDERS = (
    "runners/providers/",
    "submissions/pricing/sources/",
    "tools/prices/",
    "submissions/pricing/providers.py",
    "submissions/formatting/names.py",  # display names
    "benchsite/settings.py",  # settings are named after their provider
)


def sources() -> Iterator[tuple[str, ast.Module]]:
    for package in ("benchsite", "submissions", "runners", "tools"):
        for path in sorted((ROOT / package).rglob("*.py")):
            if "migrations" not in path.parts:
                yield path.relative_to(ROOT).as_posix(), ast.parse(path.read_text())


def compared_providers(tree: ast.AST) -> Iterator[int]:
    """Lines that decide by a provider's slug: a comparison, `in`, `match`, a key of a dictionary, an index."""
    for node in ast.walk(tree):
        match node:
            case ast.Compare():
                parts = [node.left, *node.comparators]
            case ast.Dict():
                parts = [key for key in node.keys if key]
            case ast.MatchValue():
                parts = [node.value]
            case ast.Subscript():
                parts = [node.slice]
            case _:
                continue
        if any(_names_provider(part) for part in parts):
            yield node.lineno


def _names_provider(node: ast.AST) -> bool:
    """Also inside of a tuple, a set or a list: `provider in ("aws", "gce")`, `(provider, kind) == ("gce", "nvme")`."""
    if isinstance(node, ast.Constant):
        return node.value in PROVIDERS
    inner = node.elts if isinstance(node, ast.Tuple | ast.List | ast.Set) else ()
    return any(_names_provider(element) for element in inner)


def test_no_code_decides_by_the_name_of_a_provider():
    found = [
        f"{path}:{line}"
        for path, tree in sources()
        if not path.startswith(NAMES_PROVIDERS)
        for line in compared_providers(tree)
    ]

    assert found == [], "ask submissions/pricing/providers.py or the provider's TRAITS and abilities"


def test_the_rule_of_providers_sees_every_kind_of_decision():
    decisions = """
provider == "aws"
provider in ("aws", "gce")
(provider, kind) != ("gce", "nvme")
match provider:
    case "local":
        pass
{"azure": 1}
table["on-premises"]
"""
    harmless = 'plan = {"provider": "aws"}; make(provider="gce"); known = ("aws", "gce")'

    assert sorted(compared_providers(ast.parse(decisions))) == [2, 3, 4, 6, 8, 9]
    assert list(compared_providers(ast.parse(harmless))) == []


def test_no_folder_has_more_modules_than_a_reader_sees_at_once():
    """Migrations and an empty __init__.py do not count."""
    modules = Counter(
        path.parent.relative_to(ROOT).as_posix()
        for package in PACKAGES
        for path in (ROOT / package).rglob("*.py")
        if "migrations" not in path.parts and not (path.name == "__init__.py" and not path.stat().st_size)
    )

    assert {folder: count for folder, count in modules.items() if count > MOST_FILES} == {}


def test_no_file_has_the_marks_of_a_conflict_that_a_merge_left():
    kinds = (".py", ".html", ".css", ".js", ".json", ".md", ".sql", ".txt", ".toml", ".in", ".yml", ".sh", ".conf")
    files = [path for folder in (*PACKAGES, *OTHER_TEXT) for path in (ROOT / folder).rglob("*")] + list(ROOT.glob("*"))
    marked = [
        path.relative_to(ROOT).as_posix()
        for path in files
        if path.suffix in kinds and path.is_file() and re.search(r"^(<<<<<<<|>>>>>>>) ", path.read_text(), re.MULTILINE)
    ]

    assert marked == []


def test_no_question_imports_what_another_shows():
    """Not its page, its chart or its sentences: what questions share is in questions/boards/."""
    shown = re.compile(r"submissions\.questions\.(?!boards)(\w+)\.(page|chart|sentences)")
    folder = "submissions/questions/"
    found = [
        f"{path}: {module}"
        for path, tree in sources()
        if path.startswith(folder)
        for module in imported_modules(tree)
        if (match := shown.match(module)) and not path.startswith(f"{folder}{match[1]}/")
    ]

    assert found == []


def imported_modules(tree: ast.Module) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom):
            yield from (f"{node.module}.{alias.name}" for alias in node.names)
        elif isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)


def test_what_is_counted_has_a_noun_never_a_bare_n():
    """Trials, runs and results are three things: "n = 3" says of none of them how many there are."""
    bare = re.compile(r">\s*n\s*<|data-label=.n( =)?[\"']|\bn = |\bn is the number|\(n\)")
    pages = sorted((ROOT / "templates").rglob("*.html"))
    found = [f"{path.relative_to(ROOT)}" for path in pages if bare.search(path.read_text())]
    for path, tree in sources():
        texts = [node.value for node in ast.walk(tree) if isinstance(node, ast.Constant)]
        texts = [text for text in texts if isinstance(text, str)]
        if any(re.search(r"(^|[\s,(])n = $|(^|[\s,(])n = \d|data-label=.n( =)?[\"']", text) for text in texts):
            found.append(path)

    assert found == []


def test_the_audit_fails_where_nothing_could_be_checked():
    """Without --strict, pip-audit answers "no known vulnerabilities" also when its index knows none of the packages."""
    printed = subprocess.run(["make", "--dry-run", "audit"], cwd=ROOT, capture_output=True, text=True, check=True)

    assert "pip-audit --strict" in printed.stdout
