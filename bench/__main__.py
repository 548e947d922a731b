"""`python -m bench` (make bench): builds a site in a temporary folder, measures it, prints one table."""

import argparse
import platform
import tempfile
from pathlib import Path

from bench import site


def main() -> None:
    options = _options()
    if options.data_dir:
        _run(Path(options.data_dir).absolute(), options)
        return
    with tempfile.TemporaryDirectory(prefix="benchsite-bench-") as folder:
        _run(Path(folder), options)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m bench", description=__doc__)
    parser.add_argument(
        "--sizes", type=_sizes, default=[1_000, 100_000], metavar="N,N", help="submissions in the database"
    )
    parser.add_argument("--requests", type=int, default=100, metavar="N", help="timed requests of each kind")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--data-dir", metavar="DIR", help="a folder to keep; without it a temporary one")
    return parser.parse_args()


def _sizes(text: str) -> list[int]:
    sizes = sorted({int(part) for part in text.split(",")})
    if sizes[0] < 1:
        raise argparse.ArgumentTypeError("sizes are positive numbers")
    return sizes


def _run(data_dir: Path, options: argparse.Namespace) -> None:
    site.set_environment(data_dir)
    site.prepare()
    # only now: these need Django set up on the folder
    from bench.measures import Bench, Measure
    from bench.table import table
    from bench.timing import Client
    from benchsite import embedded
    from submissions.synthetic.copying import make_dataset, synthetic

    measures: list[Measure] = []
    try:
        with site.server() as port:
            bench = Bench(Client(port, site.token()), options.requests)
            for size in options.sizes:
                if (there := synthetic().count()) > size:
                    raise SystemExit(f"bench: {data_dir} holds {there:,} submissions already, more than {size:,}")
                made = make_dataset(size, seed=options.seed)
                print(f"{made.created:,} submissions made, measuring at {size:,}", flush=True)
                measures += bench.measure(size)
    finally:
        embedded.leave(data_dir)
    print(f"\n{options.requests} requests each, {platform.machine()}, Python {platform.python_version()}\n")
    print(table(measures))


if __name__ == "__main__":
    main()
