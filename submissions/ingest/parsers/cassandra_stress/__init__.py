"""cassandra-stress, of every era: its log and its graph file."""

from submissions.ingest.parsers.cassandra_stress.graph import StressGraph
from submissions.ingest.parsers.cassandra_stress.log import StressLog
from submissions.ingest.readings import Parser

PARSERS: tuple[Parser, ...] = (StressGraph(), StressLog())
