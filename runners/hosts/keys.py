"""The keys of one run, for login and for its hosts, and the user data that installs them on a machine.

The user data is cloud-init's own (`#cloud-config`), so it needs an image with cloud-init: every Debian and Ubuntu
image on EC2, Ubuntu's on GCE (Google's Debian images have none). Its write_files module runs in the stage that
systemd orders before sshd (cloud-init.service, Before=ssh.service), so sshd never answers with another key: its
first configuration file names our host key alone, and neither cloud-init nor Google's guest agent touches a key in
/etc/benchsite. Root logs in with the run's key only, on images that forbid it otherwise too: OpenSSH keeps the first
value that it reads for a keyword, and Debian and Ubuntu include sshd_config.d before anything else.

Verified with the real cloud-init: `cloud-init schema` accepts it, and the lab's hosts boot with it.
"""

import base64
import hashlib
from dataclasses import dataclass, field
from datetime import datetime

import yaml
from cryptography.fernet import Fernet
from django.conf import settings

KEY_TYPE = "ssh-ed25519"
HOST_KEY_PATH = "/etc/benchsite/ssh_host_ed25519_key"
AUTHORIZED_KEYS_PATH = "/etc/benchsite/authorized_keys"

_SSHD = f"""\
HostKey {HOST_KEY_PATH}
AuthorizedKeysFile {AUTHORIZED_KEYS_PATH} .ssh/authorized_keys
PermitRootLogin prohibit-password
PasswordAuthentication no
KbdInteractiveAuthentication no
MaxStartups 100
MaxSessions 100
"""


@dataclass(frozen=True, slots=True)
class RunKeys:
    """Two private keys in OpenSSH's format; never logged."""

    private: bytes = field(repr=False)  # the worker's
    host_private: bytes = field(repr=False)  # of every machine of the run


def make_keys() -> RunKeys:
    """New ed25519 keys for one run."""
    return RunKeys(private=_new("benchsite"), host_private=_new("benchsite-host"))


def public_key(private: bytes) -> str:
    """The public half as one line of authorized_keys."""
    import asyncssh  # here, as below: 10 MB of each process of the site

    return asyncssh.import_private_key(private).export_public_key("openssh").decode().strip()


def user_data(host_private: bytes, authorized_key: str, *, expires_at: datetime | None = None) -> str:
    """The cloud-init configuration for the first boot of a machine.

    At `expires_at` the machine shuts itself down, whether or not this site still works. Some clouds delete a machine
    that shuts down; in others the sweep deletes it.
    """
    commands = [
        # needed only if sshd started before the files: by a socket, or not ordered by systemd
        ["sh", "-c", "pkill -HUP -o -x sshd || true"],
    ]
    if expires_at is not None:
        minutes = f"$(( ({int(expires_at.timestamp())} - $(date +%s)) / 60 ))"
        commands.append(["sh", "-c", f'shutdown -P "+{minutes}" || true'])
    config = {
        "ssh_pwauth": False,
        "write_files": [
            _file(HOST_KEY_PATH, host_private.decode(), "0600"),
            _file(HOST_KEY_PATH + ".pub", public_key(host_private) + "\n", "0644"),
            _file(AUTHORIZED_KEYS_PATH, authorized_key + "\n", "0600"),
            _file("/etc/ssh/sshd_config.d/00-benchsite.conf", _SSHD, "0644"),
        ],
        "runcmd": commands,
    }
    return "#cloud-config\n" + yaml.safe_dump(config, sort_keys=False, width=1000)


def seal(secret: bytes) -> bytes:
    """A private key as the database stores it: encrypted with a key derived from the site's secret."""
    return _fernet().encrypt(secret)


def unseal(sealed: bytes | memoryview) -> bytes:
    """The private key; raises cryptography.fernet.InvalidToken when the site's secret has changed since."""
    return _fernet().decrypt(bytes(sealed))


def _fernet() -> Fernet:
    digest = hashlib.sha256(b"benchsite.runners.secrets:" + settings.SECRET_KEY.encode()).digest()
    return Fernet(base64.urlsafe_b64encode(digest))


def _new(comment: str) -> bytes:
    import asyncssh

    return asyncssh.generate_private_key(KEY_TYPE, comment=comment).export_private_key("openssh")


def _file(path: str, content: str, permissions: str) -> dict[str, str]:
    return {"path": path, "content": content, "permissions": permissions, "owner": "root:root"}
