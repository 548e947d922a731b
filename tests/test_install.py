"""What `make run` installs: real pip, and wheels of a folder in place of an index."""

import hashlib
import os
import subprocess
import sys
import zipfile
from pathlib import Path

INSTALL = Path(__file__).parents[1] / ".ci" / "install"


def wheel(folder, name, version, *lines):
    """A wheel with nothing but its metadata; its line of a file of requirements."""
    path = folder / f"{name}-{version}-py3-none-any.whl"
    info = f"{name}-{version}.dist-info"
    metadata = "\n".join(["Metadata-Version: 2.1", f"Name: {name}", f"Version: {version}", *lines, ""])
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr(f"{info}/METADATA", metadata)
        kind = ["Wheel-Version: 1.0", "Generator: test", "Root-Is-Purelib: true", "Tag: py3-none-any", ""]
        archive.writestr(f"{info}/WHEEL", "\n".join(kind))
        archive.writestr(f"{info}/RECORD", "")
    return f"{name}=={version} --hash=sha256:{hashlib.sha256(path.read_bytes()).hexdigest()}\n"


def install(folder, requirements):
    lock = folder / "requirements.txt"
    lock.write_text("".join(requirements))
    environment = os.environ | {"PIP_NO_INDEX": "1", "PIP_FIND_LINKS": str(folder), "PIP_TARGET": str(folder / "site")}
    command = [sys.executable, INSTALL, sys.executable, lock]
    return subprocess.run(command, env=environment, capture_output=True, text=True, check=False)


def test_a_newer_version_of_what_is_locked_does_not_stop_an_install(tmp_path):
    needs = wheel(tmp_path, "signer", "1.0", "Requires-Dist: keyring-of-tests[tls]<2,>=1")
    locked = wheel(tmp_path, "keyring_of_tests", "1.1", "Provides-Extra: tls")
    wheel(tmp_path, "keyring_of_tests", "1.2", "Provides-Extra: tls")
    done = install(tmp_path, [needs, locked])
    assert done.returncode == 0, done.stdout
    assert {path.name for path in (tmp_path / "site").glob("*.dist-info")} == {
        "signer-1.0.dist-info",
        "keyring_of_tests-1.1.dist-info",
    }


def test_an_install_refuses_a_file_that_is_not_the_locked_one(tmp_path):
    locked = wheel(tmp_path, "signer", "1.0")
    wheel(tmp_path, "signer", "1.0", "Summary: another file of the same name")
    done = install(tmp_path, [locked])
    assert done.returncode != 0
    assert "DO NOT MATCH THE HASHES" in done.stdout
