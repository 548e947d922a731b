"""The site's settings with one address more: the floor."""

from benchsite.settings import *  # noqa: F403

ROOT_URLCONF = "bench.urls"
