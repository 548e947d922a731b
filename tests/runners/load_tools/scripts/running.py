"""The scripts of the hosts, run on this machine."""

import os
import subprocess
import sys
from pathlib import Path

import runners.load_tools.scripts

FOLDER = Path(runners.load_tools.scripts.__file__).parent
SECONDS = 60


def run(script, *arguments, cwd, **environment):
    command = [sys.executable, str(FOLDER / script), *map(str, arguments)]
    done = subprocess.run(
        command, cwd=cwd, capture_output=True, text=True, timeout=SECONDS, env={**os.environ, **environment}
    )
    return done.returncode, done.stdout, done.stderr
