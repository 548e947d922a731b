"""`python -m bench.rows --data-dir DIR --rows N`: a site's data folder with N submissions, stopped.

Called again with a larger number, it adds what is missing.
"""

import argparse
import os
import time
from pathlib import Path

from bench import site
from bench.rows import row_count


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m bench.rows", description=__doc__)
    parser.add_argument("--data-dir", type=Path, required=True)
    parser.add_argument("--rows", type=row_count, required=True, metavar="N", help="1000, 100k, 1M")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    site.set_environment(options.data_dir.absolute())
    os.environ["EMBEDDED_DURABLE"] = "0"  # a folder that is not finished is made anew
    site.prepare()
    # only now: these need Django set up on the folder
    from bench.rows.filling import fill
    from benchsite.processes import embedded

    began = time.monotonic()
    try:
        fill(
            options.rows,
            seed=options.seed,
            say=lambda words: print(f"{time.monotonic() - began:6.1f} s  {words}", flush=True),
        )
    finally:
        embedded.leave(options.data_dir)


if __name__ == "__main__":
    main()
