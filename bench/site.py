"""A site of its own for the measurement: its folder, its services, its server process."""

import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
START_SECONDS = 180
MANY = "1000000/min"

# What would make the measured site another one than a fresh `make run`
FOREIGN = ("DATABASE_URL", "REDIS_URL", "S3_BUCKET", "ALLOWED_HOSTS", "HTTPS", "DEBUG", "SECRET_KEY", "REDIS_PREFIX")


def set_environment(data_dir: Path) -> None:
    """Point this process and those that it starts at `data_dir`; never at the user's own site."""
    for name in FOREIGN:
        os.environ.pop(name, None)
    os.environ.update(
        DJANGO_SETTINGS_MODULE="bench.settings",
        DATA_DIR=str(data_dir),
        LOG_LEVEL="WARNING",
        THROTTLE_ANON=MANY,
        THROTTLE_USER=MANY,
        THROTTLE_UPLOAD=MANY,
        THROTTLE_PAGES="0/min",
    )


def prepare() -> None:
    """Services, database, static files, prices and published results, as `make run` makes them."""
    # told to end, still end the server and the services
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))
    import django
    from django.core.management import call_command

    from benchsite import embedded

    django.setup()
    embedded.use_configured()
    call_command("prepare", admin=False, stdout=sys.stderr)


@contextmanager
def server() -> Iterator[int]:
    """The web server of `make run` as a process of its own; yields its port on loopback."""
    from benchsite.management.commands.serve import commands

    port = _free_port()
    command = commands("127.0.0.1", port)["web"]
    process = subprocess.Popen(command, cwd=ROOT, stdout=sys.stderr, stderr=sys.stderr, start_new_session=True)
    try:
        _wait_until_it_answers(process, port)
        yield port
    finally:
        process.terminate()
        with suppress(subprocess.TimeoutExpired):
            process.wait(timeout=20)
        with suppress(ProcessLookupError):  # a worker that was just starting outlives its master
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()


def _wait_until_it_answers(process: subprocess.Popen[bytes], port: int) -> None:
    deadline = time.monotonic() + START_SECONDS
    while time.monotonic() < deadline:
        if process.poll() is not None:
            raise SystemExit(f"bench: the server ended with {process.returncode}")
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.1)
    raise SystemExit(f"bench: the server did not answer within {START_SECONDS} s")


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def token() -> str:
    """A key that may submit, of an account made for it."""
    from django.contrib.auth import get_user_model

    from submissions.models import ApiToken

    user, _ = get_user_model().objects.get_or_create(username="bench")
    return ApiToken.objects.create(user=user, name="bench", scopes=[ApiToken.Scope.SUBMIT], expiry=None)[1]
