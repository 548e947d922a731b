"""latte on the Cassandra nodes of this machine: what `make latte` has built or fetched."""

from runners.databases.cassandra_here import OnThisMachine
from runners.load_tools.latte.latte import PROGRAM, Latte


class LatteHere(OnThisMachine, Latte):
    def link_command(self) -> str | None:
        missing = '{ echo "this machine has no latte: make latte"; exit 1; }'
        return f'{{ [ -x tools/latte/latte ] || {missing}; }} && ln -sfn "$(readlink -f tools/latte/latte)" {PROGRAM}'


WORKLOAD = LatteHere()
