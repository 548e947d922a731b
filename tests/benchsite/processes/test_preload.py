"""What is loaded before the processes of a site are forked: what most of them use, in memory that they share."""

import subprocess
import sys

from tests.benchsite.commands import ROOT, environment

SHARED = ["numpy", "scipy.stats", "granian.cli"]
NOT_SHARED = ["plotly", "pyarrow", "asyncssh", "boto3", "moto", "google"]
PRELOADED = """
import os, sys, django
django.setup()
from benchsite.processes.preload import preload
preload()
from django.db import connections
from django.template import Template
from django.template.loader import get_template

print(*sorted(set(sys.argv[1:]) & set(sys.modules)))
print(len(os.listdir("/proc/self/task")), len([each for each in connections.all() if each.connection]))
compiled = []
Template.compile_nodelist = compiled.append
get_template("base.html"), get_template("components/empty.html")
print(len(compiled))
"""


def test_before_the_fork_all_is_loaded_that_most_processes_use_and_no_thread_and_no_connection_is_shared(tmp_path):
    done = subprocess.run(
        [sys.executable, "-c", PRELOADED, *SHARED, *NOT_SHARED],
        cwd=ROOT,
        env=environment(DJANGO_SETTINGS_MODULE="benchsite.settings", DATA_DIR=tmp_path),
        capture_output=True,
        text=True,
        check=True,
    )

    loaded, shared, compiled = done.stdout.splitlines()
    assert loaded.split() == sorted(SHARED)
    assert shared.split() == ["1", "0"]  # this thread alone; no connection
    assert compiled == "0"  # templates
