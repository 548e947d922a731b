"""The root file system that every host of the lab starts from; made once by debootstrap and kept outside the checkout.

Needs root, Linux with network namespaces and overlayfs, and the Debian packages of `PACKAGES`, which
`ensure_installed` installs with apt-get when they are missing. The image is a minimal Debian with what a cloud's own
image has (sshd, cloud-init, sudo, curl) and, because the hosts cannot reach a package mirror, what a bootstrap script
would install from one (a JRE, PostgreSQL, fio, xfsprogs). LAB_CACHE chooses the folder, LAB_DEBIAN_MIRROR the package
mirror (default: debootstrap's own), LAB_SUITE the release of Debian.
"""

import fcntl
import hashlib
import os
import shutil
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from tests.lab.network import LabError, remove_folder, run

# a user's PATH may lack where Debian keeps the system's programs
os.environ["PATH"] = ":".join([os.environ.get("PATH", "/usr/bin:/bin"), "/usr/sbin", "/sbin"])

CACHE = Path(os.environ.get("LAB_CACHE", "~/.cache/benchsite-lab")).expanduser()
PROGRAMS = {  # what has to be there: the Debian package that brings it
    "ip": "iproute2",
    "nft": "nftables",
    "debootstrap": "debootstrap",
    "losetup": "mount",
    "nsenter": "util-linux",
    "mkfs.xfs": "xfsprogs",
}
SUITE = os.environ.get("LAB_SUITE", "bookworm")
JAVA = {"bullseye": 11, "bookworm": 17, "trixie": 21}  # of each Debian
INCLUDED = [  # beside what a minimal Debian has
    "ca-certificates",
    "cloud-init",
    "curl",
    "fio",
    "gzip",
    "iproute2",
    "mdadm",
    "netcat-openbsd",
    f"openjdk-{JAVA[SUITE]}-jre-headless",
    "openssh-server",
    "postgresql",
    "procps",
    "python3-minimal",
    "sudo",
    "tar",
    "wget",
    "xfsprogs",
    "xz-utils",
]


def unusable() -> str | None:
    """Why there can be no lab here; None when there can."""
    if os.geteuid() != 0:
        return "the lab needs root: it makes network namespaces and mounts"
    missing = [name for name in PROGRAMS if not shutil.which(name)]
    if missing and not shutil.which("apt-get"):
        return f"the lab needs {', '.join(missing)}, and there is no apt-get to install them"
    if "overlay" not in Path("/proc/filesystems").read_text():
        return "the lab needs overlayfs in the kernel"
    try:
        ensure_installed()
        run("ip", "netns", "list")
    except LabError as error:
        return f"the lab cannot be prepared: {error}"
    return None


def ensure_installed(programs: Mapping[str, str] = PROGRAMS) -> None:
    """Install the Debian packages of the missing `programs`; LabError when apt-get cannot."""
    packages = sorted({package for name, package in programs.items() if not shutil.which(name)})
    if packages:
        install = ("apt-get", "-o", "DPkg::Lock::Timeout=120", "install", "-y", "-q", "--no-install-recommends")
        try:
            run("env", "DEBIAN_FRONTEND=noninteractive", *install, *packages)
        except LabError:
            run("apt-get", "update", "-q")
            run("env", "DEBIAN_FRONTEND=noninteractive", *install, *packages)


def root_image() -> Path:
    """The folder with the image; made when it is not there yet, which takes one to two minutes."""
    ensure_installed()
    recipe = hashlib.sha256(repr((SUITE, INCLUDED)).encode()).hexdigest()[:8]
    image = CACHE / f"root-{SUITE}-{recipe}"
    with cache_lock("root"):
        if not image.exists():
            _make(image)
    return image


def _make(image: Path) -> None:
    unfinished = image.with_suffix(".unfinished")
    if unfinished.exists():
        remove_folder(unfinished)
    mirror = [os.environ["LAB_DEBIAN_MIRROR"]] if "LAB_DEBIAN_MIRROR" in os.environ else []
    run("debootstrap", "--variant=minbase", SUITE, unfinished, *mirror)
    # debootstrap cannot resolve virtual packages, apt inside can; Java's installer wants /proc.
    run("mount", "-t", "proc", "proc", unfinished / "proc")
    (unfinished / "usr/sbin/policy-rc.d").write_text("#!/bin/sh\nexit 101\n")  # start no service of it here
    (unfinished / "usr/sbin/policy-rc.d").chmod(0o755)
    apt = ("chroot", unfinished, "env", "DEBIAN_FRONTEND=noninteractive", "apt-get")
    run(*apt, "update", "-q")
    run(*apt, "install", "-y", "-q", "--no-install-recommends", *INCLUDED)
    run(*apt, "clean")
    run("umount", unfinished / "proc")
    (unfinished / "usr/sbin/policy-rc.d").unlink()
    for key in (unfinished / "etc/ssh").glob("ssh_host_*"):
        key.unlink()  # as in a cloud's image: each host has its own
    for folder in ("usr/share/doc", "usr/share/locale", "var/lib/apt/lists"):
        shutil.rmtree(unfinished / folder, ignore_errors=True)
    (unfinished / "etc/resolv.conf").write_text("")
    unfinished.rename(image)


@contextmanager
def cache_lock(name: str) -> Iterator[None]:
    """One process at a time makes a thing in the cache; the others wait for it."""
    CACHE.mkdir(parents=True, exist_ok=True)
    with (CACHE / f"{name}.lock").open("w") as handle:
        fcntl.flock(handle, fcntl.LOCK_EX)
        yield
