"""SSH keys for the tests of the lab, and a connection that trusts nothing but the injected host key."""

import asyncio
import time
from collections.abc import Callable, Coroutine
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import asyncssh
import yaml


@dataclass(frozen=True)
class KeyPair:
    private: str
    public: str


def make_key_pair() -> KeyPair:
    key = asyncssh.generate_private_key("ssh-ed25519")
    return KeyPair(key.export_private_key().decode(), key.export_public_key().decode().strip())


def cloud_config(host_key: KeyPair, **more: object) -> str:
    """User data that gives a host its key; `more` are further keys of #cloud-config."""
    keys = {"ed25519_private": host_key.private, "ed25519_public": host_key.public}
    return "#cloud-config\n" + yaml.safe_dump({"ssh_keys": keys, "ssh_deletekeys": True, **more})


def ssh(address: str, user: str, login: KeyPair, host_key: KeyPair, command: str) -> str:
    """What a command printed. Raises asyncssh.Error or OSError, as for a host key that is not `host_key`."""

    async def talk() -> str:
        options = asyncssh.SSHClientConnectionOptions(
            username=user,
            client_keys=[asyncssh.import_private_key(login.private)],
            known_hosts=asyncssh.import_known_hosts(f"{address} {host_key.public}"),
            connect_timeout=15,
            login_timeout=30,
        )
        async with asyncssh.connect(address, options=options) as connection:
            return str((await connection.run(command, check=True, timeout=30)).stdout)

    return _run(talk)


def ssh_when_up(address: str, user: str, login: KeyPair, host_key: KeyPair, command: str) -> str:
    """As `ssh`, for a host that is still booting: asks again for up to five minutes while it lets nobody in."""
    for _ in range(1200):
        try:
            return ssh(address, user, login, host_key, command)
        except (OSError, asyncssh.ConnectionLost, asyncssh.PermissionDenied):  # sshd may listen before the user is made
            time.sleep(0.25)
    raise TimeoutError(f"{address} takes no ssh")


def _run(talk: Callable[[], Coroutine[None, None, str]]) -> str:
    """In a thread of its own: a browser test of the same process leaves an event loop running in this one."""
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(lambda: asyncio.run(talk())).result()
