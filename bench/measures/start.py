"""`python -m bench.measures.start`: how long a site takes to start on an empty folder and again; prints JSON."""

import json
import sys
import tempfile
from pathlib import Path

from bench import site


def main() -> None:
    with tempfile.TemporaryDirectory(prefix="benchsite-bench-start-") as folder:
        site.set_environment(Path(folder))
        import django

        django.setup()  # no services of ours: `serve` starts and stops them
        with site.running() as first:
            empty, memory = first.start_seconds, first.memory_mb()
        with site.running() as second:
            again, memory_again = second.start_seconds, second.memory_mb()
    found = {"empty_seconds": empty, "again_seconds": again, "memory": memory, "memory_again": memory_again}
    json.dump(found, sys.stdout)


if __name__ == "__main__":
    main()
