"""cloud-init's stages on a lab host, with what an image starts between them.

Each stage is the real one, in a process of its own, but Python and cloud-init are loaded once for all three: that is
half of the work of a boot, and what cloud-init itself does from release 24.3 on (--all-stages).
"""

import os
import subprocess
import sys

# what each stage would load by name: the distribution, the source of the metadata
from cloudinit.cmd import main
from cloudinit.distros import debian
from cloudinit.sources import DataSourceNoCloud

LOADED = (debian, DataSourceNoCloud)


def stage(*words: str) -> None:
    child = os.fork()
    if child == 0:
        sys.argv = ["cloud-init", *words]
        sys.exit(main.main(sys.argv))
    os.waitpid(child, 0)


stage("init")
subprocess.run(["/bin/sh", "/etc/lab/logins.sh"])
stage("modules", "--mode=config")
stage("modules", "--mode=final")
