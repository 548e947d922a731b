"""YCSB on the Cassandra nodes of this machine: what `make ycsb` has fetched."""

from runners.databases.cassandra_here import OnThisMachine
from runners.load_tools.ycsb.ycsb import Ycsb


class YcsbHere(OnThisMachine, Ycsb):
    def link_command(self) -> str | None:
        return "sh bin/ycsb.sh link"


WORKLOAD = YcsbHere()
