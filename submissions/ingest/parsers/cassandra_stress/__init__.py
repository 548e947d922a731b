"""cassandra-stress, of every era: its log and its graph file."""

from submissions.ingest.document.readings import Parser
from submissions.ingest.parsers.cassandra_stress.graph import StressGraph
from submissions.ingest.parsers.cassandra_stress.log import StressLog

PARSERS: tuple[Parser, ...] = (StressGraph(), StressLog())
