"""The tree explains itself: tests mirror the packages, and the architecture page has a line for each folder."""

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PACKAGES = ("benchsite", "submissions", "runners", "tools")


def folders_of(top: Path) -> set[str]:
    """Folders below and including `top` with Python files of their own, as paths from the root."""
    return {
        path.parent.relative_to(ROOT).as_posix()
        for path in top.rglob("*.py")
        if "migrations" not in path.parts and path.name != "__init__.py"
    }


def code_folders() -> set[str]:
    return set.union(*(folders_of(ROOT / name) for name in PACKAGES))


def test_every_folder_of_code_has_its_tests_at_the_same_place():
    missing = {folder for folder in code_folders() if not list((ROOT / "tests" / folder).glob("test_*.py"))}

    assert missing == set()


def test_every_folder_of_tests_is_that_of_a_package_or_a_module():
    tested = {
        path.parent.relative_to(ROOT / "tests").as_posix()
        for name in PACKAGES
        for path in (ROOT / "tests" / name).rglob("test_*.py")
    }
    strangers = {folder for folder in tested if not (ROOT / folder).is_dir() and not (ROOT / f"{folder}.py").is_file()}

    assert strangers == set()


def described_folders(page: str) -> list[str]:
    """Of the rows of the table: a folder, and folders inside it; `<tool>/` are all that have no name in the table."""
    rows = re.findall(r"^\| `((?:benchsite|submissions|runners|tools)(?:/[\w/]+)?/)`(.*?) \|", page, re.MULTILINE)
    folders = [first + inner for first, others in rows for inner in ("", *re.findall(r"`([\w/<>]+/)`", others))]
    named = [folder.rstrip("/") for folder in folders if "<" not in folder]
    parents = {folder.partition("/<")[0] for folder in folders if "<" in folder}
    return named + [f for f in code_folders() if f.rpartition("/")[0] in parents and f not in named]


def test_the_architecture_page_has_each_folder_once_and_no_other():
    described = described_folders((ROOT / "docs" / "architecture.md").read_text(encoding="utf-8"))

    assert sorted(described) == sorted(set(described))
    assert set(described) == code_folders()
