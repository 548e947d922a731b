"""The packs that come with the site, in the order in which they are loaded."""

from collections.abc import Mapping
from types import MappingProxyType

from submissions.packs.pack import Pack
from submissions.packs.public_runs.pack import PUBLIC_RUNS
from submissions.packs.sparecores.pack import SPARECORES

PACKS: Mapping[str, Pack] = MappingProxyType({pack.name: pack for pack in (PUBLIC_RUNS, SPARECORES)})
