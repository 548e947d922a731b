"""docker-compose.yml really up: two workers behind the proxy, upload, attack, back up, restore, upgrade.

python -m deploy.check   (needs a Docker engine; everything it makes is removed at the end, images are kept)
"""

import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import yaml

from deploy.check import images
from deploy.check.steps import Deployment

ROOT = Path(__file__).parents[2]


def main() -> int:
    if shutil.which("docker") is None or subprocess.run(["docker", "info"], capture_output=True).returncode:
        print("no Docker engine here: docker-compose.yml was not brought up")
        return 0
    compose = _compose()
    if compose is None:
        print("no docker-compose here: docker-compose.yml was not brought up")
        return 0
    for image in _images():
        images.provide(image)
    with tempfile.TemporaryDirectory(prefix="benchsite-compose-") as folder:
        place = Path(folder)
        _copy_the_source(place / "first")
        deployment = Deployment(place / "first", compose)
        try:
            deployment.check()
            return 0
        except BaseException:
            deployment.show_logs()
            raise
        finally:
            deployment.remove()


def _compose() -> list[str] | None:
    if subprocess.run(["docker", "compose", "version"], capture_output=True).returncode == 0:
        return ["docker", "compose"]
    return ["docker-compose"] if shutil.which("docker-compose") else None


def _images() -> list[str]:
    """What the file pulls, the base of its own image first."""
    content = yaml.safe_load((ROOT / "docker-compose.yml").read_text())
    named = [service["image"] for service in content["services"].values() if "build" not in service]
    base = content["x-site"]["build"]["args"]["BASE_IMAGE"].partition(":-")[2].rstrip("}")
    return [base, *named]


def _copy_the_source(folder: Path) -> None:
    """What is in the index: a site that is deployed from this checkout keeps its .env and its keys."""
    listed = subprocess.check_output(["git", "ls-files", "-z"], cwd=ROOT, text=True)
    for name in listed.rstrip("\0").split("\0"):
        if (ROOT / name).is_file():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, folder / name)


if __name__ == "__main__":
    sys.exit(main())
