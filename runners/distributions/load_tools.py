"""YCSB and latte for this machine: fetched once by a command into the site's tools, for runs on `local`."""

import hashlib
import os
import platform
import shutil
import subprocess
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from importlib.resources import files
from pathlib import Path

from runners.distributions import maven, tools
from runners.load_tools.latte import latte
from runners.load_tools.scripts import fetch
from runners.load_tools.ycsb import ycsb
from submissions.formatting.names import tool_name

_SCRIPTS = files("runners.load_tools") / "scripts"
_BINDING = hashlib.sha256((_SCRIPTS / "CassandraBinding.java").read_bytes()).hexdigest()[:8]
# tool -> its folder in the site's tools, and the file that only a complete folder has; a site with another binding than
# the one that was compiled compiles it anew
FOLDERS: Mapping[str, tuple[str, str]] = {
    "ycsb": (f"ycsb-{ycsb.VERSION}-{_BINDING}", "classes/benchsite/CassandraBinding.class"),
    "latte": (f"latte-{latte.VERSION}", "latte"),
}


def lacks(folder: Path, tool: str) -> str | None:
    """What is missing before the tool can run here, where it comes without its database; None when nothing is."""
    if tool not in FOLDERS or tool in links(folder):
        return None
    return f"this machine has no {tool_name(tool)}: make {tool}"


def links(folder: Path) -> Mapping[str, Path]:
    """The load tools that this machine has, for tools/ of a node."""
    return {
        tool: (folder / name).resolve() for tool, (name, last) in FOLDERS.items() if (folder / name / last).is_file()
    }


def fetch_ycsb(folder: Path, mirror: str | None) -> Path:
    """Its jars and its compiled binding, in `folder`. Without a mirror, `mvn` knows where its jars are.

    Raises tools.FetchError.
    """
    java = tools.best_java()
    if java is None:
        raise tools.FetchError("YCSB needs Java to compile its binding for Cassandra")
    with _workshop(folder) as work:
        (work / "dist").mkdir()
        if mirror is None:
            maven.jars(ycsb.ARTIFACTS, work / "dist")
        else:
            for address in ycsb.addresses(mirror):
                fetch.main(address, str(work / "dist" / address.rpartition("/")[2]))
        _compile(work, java)
        return _place(work / "dist/ycsb", folder, "ycsb")


def fetch_latte(folder: Path, mirror: str | None) -> Path:
    """Its program, in `folder`. Without a mirror, `cargo` builds it in minutes. Raises tools.FetchError."""
    with _workshop(folder) as work:
        home = work / "latte"
        home.mkdir()
        if mirror is None:
            _build_latte(work)
            (work / "built/bin/latte").rename(home / "latte")
        else:
            fetch.main(f"{latte.program_address(mirror)}-{platform.machine()}", str(home / "latte"))
        (home / "latte").chmod(0o755)
        return _place(home, folder, "latte")


def _build_latte(work: Path) -> None:
    command = ["cargo", "install", "latte-cli", "--version", latte.VERSION, "--locked", "--root", str(work / "built")]
    environment = {**os.environ, "CARGO_TARGET_DIR": str(work / "target")}
    try:
        done = subprocess.run(command, capture_output=True, text=True, env=environment, check=False)
    except FileNotFoundError:
        raise tools.FetchError("cargo is not installed: install Rust, or set LATTE_MIRROR") from None
    if done.returncode:
        raise tools.FetchError(f"latte cannot be built: {done.stderr.strip()[-1000:]}")


def _compile(work: Path, java: Path) -> None:
    """As a host does, whose script finds every jar in its place."""
    (work / "host.env").write_text(f"JAVA_HOME={java}\n")
    (work / "bin").mkdir()
    for name in (*ycsb.SCRIPTS, "fetch.py"):
        (work / "bin" / name).write_bytes((_SCRIPTS / name).read_bytes())
    (work / ycsb.ADDRESSES).write_text("".join(f"{address}\n" for address in ycsb.addresses("")))
    command = ["sh", "bin/ycsb.sh", "install"]
    done = subprocess.run(command, cwd=work, capture_output=True, text=True, umask=0o022, check=False)
    if done.returncode:
        raise tools.FetchError(f"YCSB's binding for Cassandra cannot be compiled: {(done.stdout + done.stderr)[-500:]}")


def _place(home: Path, folder: Path, tool: str) -> Path:
    # runs may use another account
    subprocess.run(["chmod", "-R", "a+rX", home], check=True)
    place = folder / FOLDERS[tool][0]
    if place.exists():
        shutil.rmtree(place)
    return home.rename(place)


@contextmanager
def _workshop(folder: Path) -> Iterator[Path]:
    """A temporary folder on the same file system as the result. Raises tools.FetchError for what goes wrong in it."""
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=folder, prefix=".unfinished-") as name:
        try:
            yield Path(name)
        except SystemExit as error:
            raise tools.FetchError(str(error.code)) from error
        except maven.MavenError as error:
            raise tools.FetchError(str(error)) from error
