"""The package alone: it installs, its command starts, and it needs nothing of the site."""

import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

CLI = Path(__file__).resolve().parents[1]
PROJECT = tomllib.loads((CLI / "pyproject.toml").read_text())["project"]


def files_in(folder):
    return {path.relative_to(folder) for path in folder.rglob("*")}


def test_it_is_installed_by_pip_which_leaves_nothing_behind_and_its_command_starts(tmp_path):
    pip = [sys.executable, "-m", "pip", "install", "--quiet", "--no-index", "--no-deps", "--no-build-isolation"]
    source = shutil.copytree(CLI, tmp_path / "cli", ignore=shutil.ignore_patterns("build", "*.egg-info", "__pycache__"))
    before = files_in(source)
    subprocess.run([*pip, "--target", tmp_path / "installed", source], check=True)

    assert files_in(source) == before

    code = "from benchsite_cli.app import main; import benchsite_cli, sys; print(benchsite_cli.__file__); main()"
    done = subprocess.run(
        [sys.executable, "-c", code, "--version"],
        cwd=tmp_path,
        env={"PYTHONPATH": str(tmp_path / "installed"), "PATH": "/usr/bin:/bin"},
        capture_output=True,
        text=True,
        check=True,
    )

    assert str(tmp_path / "installed") in done.stdout
    assert f"benchsite-cli {PROJECT['version']}" in done.stdout
    assert (tmp_path / "installed" / "bin" / "benchsite").exists()


def test_every_dependency_has_a_range_and_every_import_is_a_dependency():
    assert all(re.fullmatch(r"[\w-]+>=[\d.]+,<[\d.]+", text) for text in PROJECT["dependencies"])
    names = {re.match(r"[\w-]+", text)[0].lower() for text in PROJECT["dependencies"]}
    sources = "\n".join(path.read_text() for path in (CLI / "src").rglob("*.py"))
    imported = set(re.findall(r"^(?:from|import) (\w+)", sources, re.MULTILINE)) - set(sys.stdlib_module_names)

    assert imported - {"benchsite_cli"} == {"yaml" if name == "pyyaml" else name for name in names}
