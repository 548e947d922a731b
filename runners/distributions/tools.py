"""The Cassandra distributions in the site's tools: fetching them, listing them, and the Java for them."""

import os
import re
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from functools import lru_cache
from pathlib import Path

from runners.distributions import maven
from runners.load_tools.scripts import fetch

LOAD_TOOL = "load-tool.version"  # next to bin/: the release of its cassandra-stress
OLDEST_JAVA = 11
BEST_JAVA = 17  # the newest supported by Cassandra 5.0
_PREFIX = "apache-cassandra-"
_VERSION = re.compile(r"\d+(\.\d+)+(-[a-z0-9]+)?")
# Before 2.1.10 it needs classes that Java 11 removed: cassandra-stress ends early with wrong results (cassandra.sh).
_OLD_HISTOGRAMS = "HdrHistogram-2.1.[0-9].jar"
_HISTOGRAMS = "HdrHistogram-2.1.1[0-9].jar"


class FetchError(Exception):
    """A distribution cannot be fetched; the text is for the user of the terminal."""


def versions(tools: Path) -> list[str]:
    """The complete releases, the newest last."""
    names = [path.parent.name.removeprefix(_PREFIX) for path in tools.glob(f"{_PREFIX}*/{LOAD_TOOL}")]
    return sorted((name for name in names if _VERSION.fullmatch(name)), key=_order)


def from_mirror(tools: Path, mirror: str, version: str) -> Path:
    """Download the official tarball, verified by its published checksum, and unpack it. Raises FetchError."""
    _check(version)
    name = f"{_PREFIX}{version}-bin.tar.gz"
    with _workshop(tools) as folder:
        try:
            fetch.main(f"{mirror.rstrip('/')}/{version}/{name}", str(folder / name))
        except SystemExit as error:
            raise FetchError(str(error.code)) from error
        return unpack(tools, folder / name, version)


def from_maven(tools: Path, version: str) -> Path:
    """Compose a distribution from Maven Central (maven.py). Raises FetchError."""
    _check(version)
    with _workshop(tools) as folder:
        home = folder / f"{_PREFIX}{version}"
        try:
            maven.compose(home, version, maven.download(maven.STRESS, folder))
        except maven.MavenError as error:
            raise FetchError(str(error)) from error
        return _finish(tools, home, version)


def unpack(tools: Path, tarball: Path, version: str) -> Path:
    """Unpack a tarball into `tools`, replacing an existing distribution. Raises FetchError."""
    with _workshop(tools) as folder:
        command = ["tar", "--extract", "--no-same-owner", "--no-same-permissions", "--directory", str(folder)]
        done = subprocess.run([*command, "--file", tarball], capture_output=True, text=True, umask=0o022, check=False)
        if done.returncode:
            raise FetchError(f"{tarball.name} cannot be unpacked: {done.stderr.strip()[-500:]}")
        return _finish(tools, folder / f"{_PREFIX}{version}", version)


def best_java() -> Path | None:
    """The home of Java 17, else of 11, else of the newest release; None when all are older."""
    usable = {home: major for home in java_homes() if (major := java_major(home)) and major >= OLDEST_JAVA}
    return max(usable, key=lambda home: (usable[home] in (BEST_JAVA, OLDEST_JAVA), usable[home]), default=None)


def java_major(home: Path) -> int | None:
    """17 for Java 17, 8 for 1.8; None when it does not run."""
    program = home / "bin/java"
    return _major(program, program.stat().st_mtime_ns) if program.is_file() else None


@lru_cache(maxsize=64)
def _major(program: Path, _changed_at: int) -> int | None:
    try:
        text = subprocess.run([program, "-version"], capture_output=True, text=True, timeout=30, check=False).stderr
    except (OSError, subprocess.TimeoutExpired):
        return None
    match = re.search(r'version "(?:1\.)?(\d+)', text)
    return int(match[1]) if match else None


def java_homes() -> Iterator[Path]:
    named = os.environ.get("JAVA_HOME")
    on_path = shutil.which("java")
    if named:
        yield Path(named).resolve()
    if on_path:
        yield Path(on_path).resolve().parent.parent
    for program in sorted(Path("/usr/lib/jvm").glob("*/bin/java")):
        yield program.parent.parent.resolve()


def _finish(tools: Path, home: Path, version: str) -> Path:
    """Check and mark the folder, and move it to its place: only a complete distribution has the mark."""
    for program in ("bin/cassandra", "tools/bin/cassandra-stress"):
        if not (home / program).is_file():
            raise FetchError(f"{program} is missing: this is not a binary distribution of Cassandra {version}")
    _renew_histograms(home)
    is_composed = (home / "tools" / maven.STRESS).is_dir()
    (home / LOAD_TOOL).write_text(f"{maven.STRESS if is_composed else version}\n")
    # runs may use another account
    subprocess.run(["chmod", "-R", "a+rX", home], check=True)
    place = tools / home.name
    if place.exists():
        shutil.rmtree(place)
    return home.rename(place)


def _renew_histograms(home: Path) -> None:
    old = list(home.rglob(_OLD_HISTOGRAMS))
    renewed = next(iter((home / "lib").glob(_HISTOGRAMS)), None)
    if old and renewed is None:
        raise FetchError("its cassandra-stress does not work with Java 11 and newer: use Cassandra 5.0 or newer")
    for jar in old:
        if renewed is not None:
            shutil.copy(renewed, jar.parent)
            jar.unlink()


def _check(version: str) -> None:
    if not _VERSION.fullmatch(version):
        raise FetchError(f"{version!r} is not a release of Cassandra, such as 5.0.9")


@contextmanager
def _workshop(tools: Path) -> Iterator[Path]:
    """A temporary folder on the same file system as the result."""
    tools.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=tools, prefix=".unfinished-") as folder:
        yield Path(folder)


def _order(version: str) -> tuple[int, ...]:
    return tuple(int(part) for part in re.findall(r"\d+", version))
