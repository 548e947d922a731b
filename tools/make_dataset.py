"""Adds invented submissions to the site of DATA_DIR, for load tests and demonstrations.

They are titled 'Synthetic: ...', have the source make_dataset, and are the same for a seed.
"""

import os
import sys
import time
from argparse import ArgumentParser
from collections.abc import Sequence

import django


def main(arguments: Sequence[str] | None = None) -> None:
    parser = ArgumentParser(prog="python -m tools.make_dataset", description=__doc__)
    parser.add_argument("--submissions", type=int, default=0, metavar="N")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--clear", action="store_true", help="first delete all invented submissions, and only those")
    options = parser.parse_args(arguments)
    if options.submissions < 0 or not (options.submissions or options.clear):
        parser.error("say how many: --submissions N, or --clear")
    _use_site()
    fill(options.submissions, seed=options.seed, clear=options.clear)


def _use_site() -> None:
    from benchsite.processes import embedded

    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "benchsite.settings")
    try:
        embedded.use_configured()
    except embedded.EmbeddedError as error:
        sys.exit(f"make_dataset: {error}")
    django.setup()


def fill(submissions: int, *, seed: int, clear: bool) -> None:
    from tools.synthetic import copying  # its models need Django

    if clear:
        print(f"deleted {copying.clear():,} synthetic submissions")
    if submissions:
        began = time.monotonic()
        made = copying.make_dataset(submissions, seed=seed)
        print(
            f"made {made.created:,} synthetic submissions of seed {seed} in {time.monotonic() - began:.1f} s"
            f" ({made.there_before:,} were there before)"
        )


if __name__ == "__main__":
    main()
