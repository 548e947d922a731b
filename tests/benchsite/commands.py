"""Runs manage.py as a person would: another process, an environment of its own."""

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent

PRODUCTION = {
    "SECRET_KEY": "vXy2n8Qk4Jm6Rt0Wz3Lc5Pf7Hs9Bd1Ga-another-fifty-characters-long",
    "DATABASE_URL": "postgres://user:password@db.example.org/benchsite",
    "REDIS_URL": "redis://:password@redis.example.org/0",
    "CACHE_REDIS_URL": "redis://:password@cache.example.org/0",
    "ALLOWED_HOSTS": "bench.example.org",
}


def environment(**settings):
    """What a fresh machine has, and `settings`."""
    kept = {name: os.environ[name] for name in ("PATH", "HOME", "TMPDIR", "LANG") if name in os.environ}
    return kept | {name: str(value) for name, value in settings.items()}


def manage(*arguments, **settings):
    """The finished process; its output, errors included, is in `stdout`."""
    return subprocess.run(
        [sys.executable, ROOT / "manage.py", *arguments],
        cwd=ROOT,
        env=environment(**settings),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=600,
        check=False,
    )


def start(*arguments, **settings):
    """A running process with its output in `stdout`; the caller ends it."""
    return subprocess.Popen(
        [sys.executable, ROOT / "manage.py", *arguments],
        cwd=ROOT,
        env=environment(PYTHONUNBUFFERED="1", **settings),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
